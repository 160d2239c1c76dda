// A thread that ends its process when the server is gone. The main thread cannot notice that while it draws.
import { workerData } from 'node:worker_threads';

const checkIntervalMs = 1000;

const { parent } = workerData as { parent: number };
setInterval(() => {
  if (!isRunning()) process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);

/** Most systems give the process another parent. Windows does not. */
function isRunning(): boolean {
  try {
    return process.ppid === parent && process.kill(parent, 0);
  } catch {
    return false;
  }
}
