// The system calls of a process, in order: its syncs and its answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPrograms } from '../../scripts/programs.ts';

/** Why strace is unavailable, as a sentence; null if it is available. In CI it is installed first. */
export function findMissingStrace(): string | null {
  const strace = installPrograms(['strace']);
  return 'missing' in strace ? strace.missing : null;
}

export type Call = 'sync' | 'ack';

/** @returns a function that stops tracing and returns the calls in the order of their effect */
export async function traceCalls(pid: number, file: string): Promise<() => Promise<Call[]>> {
  const calls = 'trace=fsync,fdatasync,sync_file_range,write,writev,sendto,sendmsg';
  const child = spawn('strace', ['-f', '-s', '4096', '-e', calls, '-o', file, '-p', String(pid)]);
  child.stderr.setEncoding('utf8');
  for await (const text of child.stderr) if (String(text).includes('attached')) break;
  await sleep(100);
  return async () => {
    child.kill('SIGINT');
    await once(child, 'exit');
    return readFileSync(file, 'utf8').split('\n').flatMap(toCalls);
  };
}

/** A sync counts when it returns, an answer when it starts. */
function toCalls(line: string): Call[] {
  if (/\b(fsync|fdatasync)\b.*= 0$/.test(line)) return ['sync'];
  const isWrite = /\b(write|writev|sendto|sendmsg)\(/.test(line);
  return isWrite ? (line.match(/\\"type\\":\\"ack\\"/g) ?? []).map(() => 'ack' as const) : [];
}
