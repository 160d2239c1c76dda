// What the systemd unit allows, and what a traced server did.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/run-tool.ts';

export const unitFile = join(projectRoot, 'deploy/backchannel.service');

/** The values of all lines of a setting. */
export function listUnitValues(setting: string): string[] {
  const lines = readFileSync(unitFile, 'utf8').split('\n');
  const start = `${setting}=`;
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

export function listAllowedCalls(): Set<string> {
  const calls = new Set<string>();
  for (const line of listUnitValues('SystemCallFilter')) {
    for (const call of expand(line.replace(/^~/, '').split(' '))) {
      if (line.startsWith('~')) calls.delete(call);
      else calls.add(call);
    }
  }
  return calls;
}

/** The calls in systemd's groups, such as `@system-service`. */
function expand(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (!name.startsWith('@')) return [name];
    const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', name], { encoding: 'utf8' });
    const members = stdout
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    return expand(members.filter((member) => member !== '' && !member.startsWith('#')));
  });
}

export interface Trace {
  calls: Set<string>;
  socketFamilies: Set<string>;
  /** Files that were opened to write to them. */
  written: Set<string>;
}

/** @param file written by strace -f */
export function loadTrace(file: string): Trace {
  const trace = {
    calls: new Set<string>(),
    socketFamilies: new Set<string>(),
    written: new Set<string>(),
  };
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const call = /^(?:\d+\s+)?(?:<\.\.\. )?(\w+)(?:\(| resumed)/.exec(line)?.[1];
    if (call) trace.calls.add(call);
    const family = /\bsocket(?:pair)?\((AF_\w+)/.exec(line)?.[1];
    if (family) trace.socketFamilies.add(family);
    // bubblewrap sets up its namespaces by paths that are relative to /proc.
    const path = /\bopenat\(AT_FDCWD, "([^"]+)", [A-Z_|]*O_(?:WRONLY|RDWR|CREAT)/.exec(line)?.[1];
    if (path) trace.written.add(path);
  }
  return trace;
}
