// Runs in the server process: kills it, like kill -9, at the chosen stage of the chosen commit.
import { subscribe } from 'node:diagnostics_channel';

const stage = process.env['FAULT_STAGE'];
let stagesLeft = Number(process.env['FAULT_COUNT']);

subscribe('backchannel.commit', (message) => {
  if ((message as { stage: string }).stage !== stage) return;
  stagesLeft -= 1;
  if (stagesLeft === 0) process.kill(process.pid, 'SIGKILL');
});
