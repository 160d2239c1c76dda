// `npm run backup`
import { runInThisProcess } from './commands/command-call.ts';
import { runBackup } from './commands/backup.ts';

await runInThisProcess(runBackup);
