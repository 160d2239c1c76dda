import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

interface WorkerProcess {
  pid: number;
  niceness: number;
  busyTicks: number;
}

type Parent = number | 'self';

/** All processes that a process started, and that these started. A sandbox starts the program as its own child. */
export function listDescendants(parent: Parent): number[] {
  return listChildren(parent).flatMap((pid) => [pid, ...listDescendants(pid)]);
}

/** Any thread of a process can start another process. */
function listChildren(parent: Parent): number[] {
  const threads = readUnlessEnded(() => readdirSync(`/proc/${parent}/task`)) ?? [];
  return threads
    .flatMap((thread) => readProcessFile(parent, `task/${thread}/children`).split(' '))
    .map(Number)
    .filter((pid) => pid > 0);
}

/** @returns an empty text if the process has ended */
export function readProcessFile(pid: Parent, file: string): string {
  return readUnlessEnded(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')) ?? '';
}

function readUnlessEnded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

export const listPictureProcesses = () => listWorkerProcesses('picture-worker');

/** The descendants of a process, of this one if none is named, that run the program or its sandbox. */
export function listWorkerProcesses(program: string, parent: Parent = 'self'): WorkerProcess[] {
  return listDescendants(parent)
    .filter((pid) => readProcessFile(pid, 'cmdline').includes(program))
    .map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      const busyTicks = Number(fields[11]) + Number(fields[12]);
      return { pid, niceness: getPriority(pid), busyTicks };
    });
}
