// Runs inside the server: ends its process, as kill -9 does, at the chosen moment of the chosen commit.
import { subscribe } from 'node:diagnostics_channel';

const moment = process.env['FAULT_MOMENT'];
let left = Number(process.env['FAULT_COUNT']);

subscribe('backchannel.commit', (message) => {
  if ((message as { moment: string }).moment !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
