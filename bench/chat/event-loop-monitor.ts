// Runs inside a server (`node --import`) and reports the longest delay of its event loop over the IPC channel, and the most
// processor time that its thread used without reacting: other programs change the first, and not the second.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 5;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

const measureCpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let cpuMsAtTick = measureCpuMs();
let longestCpuMs = 0;
setInterval(() => {
  const cpuMs = measureCpuMs();
  longestCpuMs = Math.max(longestCpuMs, cpuMs - cpuMsAtTick);
  cpuMsAtTick = cpuMs;
}, resolutionMs).unref();

process.on('message', (request) => {
  if (request === 'reset') {
    delay.reset();
    longestCpuMs = 0;
    return;
  }
  process.send?.({ longestMs: Math.max(0, delay.max / 1e6 - resolutionMs), longestCpuMs });
});
// The channel alone must not keep the server alive.
process.channel?.unref();
