// `npm run doctor`
import { runInThisProcess } from './commands/command-call.ts';
import { runDoctor } from './commands/doctor.ts';

await runInThisProcess(runDoctor);
