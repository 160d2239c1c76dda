import { checkChanges } from './checks/changes.ts';
import { checkLists } from './checks/lists.ts';
import { checkPosts } from './checks/posts.ts';
import { checkRows } from './checks/rows.ts';
import { checkStreams } from './checks/streams.ts';
import type { Violation } from './checks/violation.ts';
import type { History } from './history.ts';

/** The server may grow by this much under any fault, even if clients do not read. */
export const maxMemoryGrowth = 256 * 1024 * 1024;

/** Every promise that the history breaks; empty if it keeps all of them. */
export function checkHistory(history: History): Violation[] {
  return [
    ...checkPosts(history),
    ...checkChanges(history),
    ...checkStreams(history),
    ...checkLists(history),
    ...checkRows(history),
    ...checkMembership(history),
    ...checkMemory(history),
    ...checkObservations(history),
  ];
}

function checkMembership({ leaks }: History): Violation[] {
  return leaks.map(({ client, classId, frame }) => ({
    rule: 'membership',
    detail: `${client}, who is not in ${classId}, got ${frame} of it`,
  }));
}

function checkMemory({ memory }: History): Violation[] {
  if (!memory || memory.peak - memory.bytesBefore <= maxMemoryGrowth) return [];
  const [mebibytesBefore, peak] = [memory.bytesBefore, memory.peak].map((bytes) =>
    Math.round(bytes / 2 ** 20),
  );
  return [{ rule: 'memory', detail: `the server grew from ${mebibytesBefore} to ${peak} MiB` }];
}

function checkObservations({ observations }: History): Violation[] {
  return observations
    .filter((observation) => !observation.isMet)
    .map(({ expectation, detail }) => ({
      rule: 'observed',
      detail: `not met: ${expectation} (${detail})`,
    }));
}
