// `npm run admin`
import { runInThisProcess } from './commands/command-call.ts';
import { runAdmin } from './commands/admin.ts';

await runInThisProcess(runAdmin);
