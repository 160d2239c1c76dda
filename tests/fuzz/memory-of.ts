import { readFileSync } from 'node:fs';

/** What a process holds in memory, in bytes; 0 where the system does not tell. */
export function memoryOf(pid = 0): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) || 0) * 1024;
  } catch {
    return 0;
  }
}
