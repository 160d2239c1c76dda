// How somebody who has been away gets level with a class's log.
import type { Persona } from '#contract/entities.ts';
import { Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Reader } from '../storage/database.ts';
import { findClass, toClass } from '../storage/queries/classes.ts';
import { listLog } from '../storage/queries/log.ts';
import { listMessagesBetween } from '../storage/queries/messages.ts';
import { listPersonas } from '../storage/queries/personas.ts';
import { readHistory, type HistoryPage } from './messages.ts';

/** Further behind than this, a snapshot is smaller than the events. */
const longestReplay = 500;

export type CatchUp =
  | { kind: 'events'; from: number; to: number; items: LogItem[] }
  | ({ kind: 'snapshot'; seq: number; hasOlder: boolean } & HistoryPage);

/**
 * What is missing after seq `held`, or the room's latest messages when that is too much or unknown.
 * The head is read first and bounds the rest: rows are as they are now, and a change that came
 * meanwhile follows as an event, which is harmless to apply again.
 *
 * @throws {Refusal} NOT_FOUND
 */
export async function catchUp(db: Reader, classId: string, held: number | null): Promise<CatchUp> {
  const found = await findClass(db, classId);
  if (!found) throw new Refusal('NOT_FOUND');
  const head = found.seq;
  if (held !== null && held <= head && head - held <= longestReplay) {
    return { kind: 'events', ...(await readEvents(db, classId, held + 1, head)) };
  }
  const limit = limits.snapshotMessages;
  const page = await readHistory(db, classId, head + 1, limit + 1);
  const messages = page.messages.slice(-limit);
  const authors = new Set(messages.map((message) => message.memberId));
  return {
    kind: 'snapshot',
    seq: head,
    messages,
    personas: page.personas.filter((persona) => authors.has(persona.memberId)),
    hasOlder: page.messages.length > limit,
  };
}

/** Each change with `from <= seq <= to`, its rows as they are now. */
async function readEvents(db: Reader, classId: string, from: number, to: number) {
  const entries = await listLog(db, classId, from, to);
  const messages = new Map(
    (await listMessagesBetween(db, classId, from, to)).map((message) => [message.seq, message]),
  );
  const changed = entries.filter((entry) => entry.kind === 'persona').map((entry) => entry.ref);
  const personas = new Map<string, Persona>(
    (await listPersonas(db, classId, changed)).map((persona) => [persona.memberId, persona]),
  );
  const items: LogItem[] = [];
  for (const { kind, seq, ref } of entries) {
    const message = messages.get(seq);
    const persona = personas.get(ref);
    if (kind === 'posted' && message) items.push({ kind, seq, message });
    if (kind === 'persona' && persona) items.push({ kind, seq, persona });
    if (kind === 'class') {
      const row = await findClass(db, classId);
      if (row) items.push({ kind, seq, class: toClass(row) });
    }
  }
  return { from, to, items };
}
