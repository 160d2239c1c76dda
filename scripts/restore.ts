// `npm run restore`
import { runInThisProcess } from './commands/command-call.ts';
import { runRestore } from './commands/restore.ts';

await runInThisProcess(runRestore);
