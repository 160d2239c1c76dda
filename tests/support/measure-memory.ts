import { readFileSync } from 'node:fs';

/** The memory of a process in bytes; 0 if the system does not report it. */
export function measureMemory(pid = 0): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) || 0) * 1024;
  } catch {
    return 0;
  }
}
