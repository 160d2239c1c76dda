import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';

interface PictureProcess {
  pid: number;
  niceness: number;
  busyTicks: number;
}

/** This process's child processes that make pictures, read from /proc. */
export function pictureProcesses(): PictureProcess[] {
  return readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'latin1').split(' '))
    .map(Number)
    .filter((pid) => pid > 0)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('picture-process'))
    .map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      const busyTicks = Number(fields[11]) + Number(fields[12]);
      return { pid, niceness: getPriority(pid), busyTicks };
    });
}
