import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

interface WorkerProcess {
  pid: number;
  niceness: number;
  busyTicks: number;
}

export const listPictureProcesses = () => listWorkerProcesses('picture-worker');

function listChildren(parent: number | 'self'): number[] {
  return readdirSync(`/proc/${parent}/task`)
    .flatMap((task) => readFileSync(`/proc/${parent}/task/${task}/children`, 'latin1').split(' '))
    .map(Number)
    .filter((pid) => pid > 0);
}

/** A sandbox starts the program as its own child. */
function listDescendants(parent: number | 'self'): number[] {
  return listChildren(parent).flatMap((pid) => [pid, ...listDescendants(pid)]);
}

/** The descendants of a process, of this one if none is named, that run the program or its sandbox, read from /proc. */
export function listWorkerProcesses(
  program: string,
  parent: number | 'self' = 'self',
): WorkerProcess[] {
  return listDescendants(parent)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(program))
    .map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      const busyTicks = Number(fields[11]) + Number(fields[12]);
      return { pid, niceness: getPriority(pid), busyTicks };
    });
}
