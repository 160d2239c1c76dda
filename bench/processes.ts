// Reads CPU time and memory from Linux's /proc, for a process with its descendants and for the machine.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100; // USER_HZ of Linux
const microsecondsPerTick = 1e6 / ticksPerSecond;

/** CPU time used so far by the process and its descendants. */
export function measureCpuMicroseconds(pid: number): number {
  return listProcessTree(pid).reduce(
    (sum, descendant) => sum + (findStat(descendant)?.cpu ?? 0),
    0,
  );
}

/** Memory of the process and its descendants. Shared pages count once. */
export function measureMemoryBytes(pid: number): number {
  return listProcessTree(pid).reduce(
    (sum, descendant) => sum + measureProportionalSetSize(descendant),
    0,
  );
}

/** CPU time of the machine since its start: used by all processes, and withheld by a hypervisor. */
export function measureMachineMicroseconds(): { busy: number; stolen: number } {
  const [first = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * microsecondsPerTick);
  return { busy: user + nice + system + irq + softIrq, stolen };
}

/** The process and its descendants. */
function listProcessTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc').map(Number)) {
    const parent = pid > 0 ? findStat(pid)?.parent : undefined;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(pid);
    else children.set(parent, [pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Null if the process has ended. */
function findStat(pid: number): { parent: number; cpu: number } | null {
  const text = findProcFile(pid, 'stat');
  if (!text) return null;
  // The process name before the last parenthesis may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
  const ticks = (user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0);
  return { parent: Number(fields[1]), cpu: ticks * microsecondsPerTick };
}

function measureProportionalSetSize(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(findProcFile(pid, 'smaps_rollup') ?? '')?.[1] ?? 0) * 1024;
}

function findProcFile(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return null;
  }
}
