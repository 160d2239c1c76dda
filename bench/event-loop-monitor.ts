// Runs inside a server (`node --import`). Over the IPC channel it reports the longest delay of the event loop, and the most CPU
// time that the thread used between two ticks of a timer. Other programs on the machine change the delay, but not the CPU time.
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
