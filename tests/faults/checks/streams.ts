// Checks that each client applied each seq once, without gaps.
import type { History, Step, Stream } from '../history.ts';
import type { Violation } from './violation.ts';

export function checkStreams(history: History): Violation[] {
  const knownItems = mapKnownItems(history);
  const deletedIds = listDeletedMessages(history);
  return history.streams.flatMap((stream) => [
    ...checkSteps(stream),
    ...checkItems(stream, (step, seq) => {
      const item = knownItems.get(toKey(history, stream.classId, step, seq));
      // A replay omits items that were deleted since. If no client ever saw the item, it may be one of these.
      return item === undefined ? deletedIds.size > 0 : deletedIds.has(item ?? '');
    }),
  ]);
}

function checkSteps({ client, classId, steps }: Stream): Violation[] {
  let last: number | null = null;
  const violations: Violation[] = [];
  for (const step of steps) {
    if (step.kind === 'events' && (step.from !== (last ?? 0) + 1 || step.to < step.from)) {
      const detail = `${client} applied ${step.from} to ${step.to} of ${classId} after ${last}`;
      violations.push({ rule: 'no gaps', detail });
    }
    last = step.kind === 'snapshot' ? step.seq : step.to;
  }
  return violations;
}

function checkItems(
  { client, steps }: Stream,
  mayBeLeftOut: (step: Step, seq: number) => boolean,
): Violation[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'events') return [];
    const counts = Map.groupBy(step.items, (item) => item.seq);
    const range = `${client}'s events ${step.from} to ${step.to}`;
    const violations: Violation[] = [];
    for (let seq = step.from; seq <= step.to; seq++) {
      const count = counts.get(seq)?.length ?? 0;
      if (count > 1) {
        violations.push({ rule: 'no gaps', detail: `${range} have ${seq} ${count} times` });
      }
      if (count === 0 && !mayBeLeftOut(step, seq)) {
        violations.push({ rule: 'no gaps', detail: `${range} lack ${seq}` });
      }
    }
    const seqs = step.items.map((item) => item.seq);
    if (seqs.some((seq) => seq < step.from || seq > step.to)) {
      violations.push({ rule: 'no gaps', detail: `${range} hold ${seqs.join(', ')}` });
    }
    if (seqs.some((seq, i) => i > 0 && seq < seqs[i - 1]!)) {
      violations.push({ rule: 'no gaps', detail: `${range} are in the order ${seqs.join(', ')}` });
    }
    return violations;
  });
}

/** Maps each seq to its message, as any client received it. The key contains the restore, because seqs are assigned again after it. */
function mapKnownItems(history: History): Map<string, string | null> {
  const messageIds = new Map<string, string | null>();
  for (const { classId, steps } of history.streams) {
    for (const step of steps) {
      if (step.kind !== 'events') continue;
      for (const { seq, messageId } of step.items) {
        messageIds.set(toKey(history, classId, step, seq), messageId);
      }
    }
  }
  return messageIds;
}

function toKey(
  { restores }: History,
  classId: string,
  { time: stepTime }: Step,
  seq: number,
): string {
  return `${classId} ${restores.filter((restore) => restore.time <= stepTime).length} ${seq}`;
}

function listDeletedMessages({ operations }: History): Set<string> {
  return new Set(
    operations
      .filter((operation) => operation.kind === 'delete')
      .map((operation) => operation.messageId),
  );
}
