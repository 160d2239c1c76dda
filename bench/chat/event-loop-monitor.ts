// Runs inside a server (`node --import`) and reports the longest delay of its event loop over the IPC channel.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

process.on('message', (request) => {
  if (request === 'reset') delay.reset();
  else process.send?.({ longestMs: Math.max(0, delay.max / 1e6 - resolutionMs) });
});
// The channel alone must not keep the server alive.
process.channel?.unref();
