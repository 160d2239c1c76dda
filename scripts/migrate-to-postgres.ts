// `npm run migrate-to-postgres`
import { runInThisProcess } from './commands/command-call.ts';
import { runMigration } from './commands/migrate-to-postgres.ts';

await runInThisProcess(runMigration);
