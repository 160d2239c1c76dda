// `npm run search:reindex`
import { runInThisProcess } from './commands/command-call.ts';
import { runReindex } from './commands/search-reindex.ts';

await runInThisProcess(runReindex);
