// Runs in the server process: kills it, like kill -9, at the chosen moment of the chosen commit.
import { subscribe } from 'node:diagnostics_channel';

const moment = process.env['FAULT_MOMENT'];
let left = Number(process.env['FAULT_COUNT']);

subscribe('backchannel.commit', (message) => {
  if ((message as { moment: string }).moment !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
