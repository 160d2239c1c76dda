// Brings a client that was offline up to date with a class's log.
import type { Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Database } from '../storage/database.ts';
import { findClass, toClass } from '../storage/queries/classes.ts';
import { listLog, type Entry, type LogRow } from '../storage/queries/log.ts';
import { listMessagesById } from '../storage/queries/messages.ts';
import { listPersonas } from '../storage/queries/personas.ts';
import { jsonBytes, readHistory, type HistoryPage } from './history.ts';

/** If the client is further behind, a snapshot is smaller than the events. */
const maxReplayEntries = 500;
/** The number of entries per read. Each may hold a message of 12 KB, so this limits a page's memory. */
const pageEntries = { min: 4, first: 16, max: 64 };

export interface Snapshot extends HistoryPage {
  seq: number;
  lastId: string | null;
}

/** `to` is the log's head. If nothing was missed, `items` is empty and `from > to`. */
export interface Replay {
  from: number;
  to: number;
  lastId: string;
  items: LogItem[];
}

/**
 * Every change after the client's replica, up to `head`. Rows are read in their current state. A change that
 * happens in between also arrives as an event, and applying it twice is harmless.
 *
 * @param held the last entry of the client's replica
 * @returns null if a snapshot is needed: too far behind, entries compacted, or another history
 */
export async function replay(
  db: Database,
  classId: string,
  held: { seq: number; id: string | null },
  head: number,
): Promise<Replay | null> {
  if (held.seq > head || head - held.seq > maxReplayEntries) return null;
  if (held.seq === 0 && head === 0) return { from: 1, to: 0, lastId: '', items: [] };
  const entries = await listLog(db, classId, Math.max(held.seq, 1), head);
  const known = held.seq === 0 ? null : entries.shift();
  if (known === undefined || (known && held.id !== null && known.id !== held.id)) return null;
  const from = held.seq + 1;
  const last: Entry | null | undefined = entries.at(-1) ?? known;
  if (!last || entries.length !== head - held.seq) return null;
  return { from, to: head, lastId: last.id, items: await itemsOf(db, classId, entries) };
}

/**
 * Like `replay`, in pages that each fit into one frame, read on demand.
 *
 * @returns null if a snapshot is needed, even between pages: entries may be compacted in the meantime
 */
export async function* replayPages(
  db: Database,
  classId: string,
  held: { seq: number; id: string | null },
  head: number,
): AsyncGenerator<Replay | null> {
  if (held.seq > head || head - held.seq > maxReplayEntries) return yield null;
  let at = held;
  let entries = pageEntries.first;
  do {
    const found = await replay(db, classId, at, Math.min(head, at.seq + entries));
    if (!found) return yield null;
    const page = cutToFit(found, limits.historyFrameBytes);
    if (page.from <= page.to) yield page;
    // Entries that did not fit are read again. The next read is sized by what fitted.
    entries = Math.min(pageEntries.max, Math.max(pageEntries.min, 2 * (page.to - at.seq)));
    at = { seq: page.to, id: page.lastId };
  } while (at.seq < head);
}

/** As many of the first items as fit, at least one. */
function cutToFit(found: Replay, maxBytes: number): Replay {
  let bytes = 0;
  const over = found.items.findIndex((item) => (bytes += jsonBytes(item)) > maxBytes);
  const last = found.items[Math.max(0, over - 1)];
  if (over < 0 || found.items.length === 1 || !last) return found;
  const items = found.items.slice(0, Math.max(1, over));
  return { from: found.from, to: last.seq, lastId: last.id, items };
}

/** Every change of the class after `seq`; null if the class is gone or a snapshot is needed. */
export async function replayToHead(
  db: Database,
  classId: string,
  seq: number,
): Promise<Replay | null> {
  const found = await findClass(db, classId);
  return found && replay(db, classId, { seq, id: null }, found.seq);
}

/** The latest messages at `head` that fit into one frame. */
export async function takeSnapshot(db: Database, classId: string, head: number): Promise<Snapshot> {
  const page = await readHistory(db, classId, head + 1, {
    limit: limits.snapshotMessages,
    maxBytes: limits.historyFrameBytes,
  });
  const last = head > 0 ? (await listLog(db, classId, head, head))[0] : undefined;
  return { seq: head, lastId: last?.id ?? null, ...page };
}

async function itemsOf(db: Database, classId: string, entries: readonly LogRow[]) {
  const refs = (...kinds: LogRow['kind'][]) =>
    entries.filter((entry) => kinds.includes(entry.kind)).map((entry) => entry.ref);
  const found = await listMessagesById(db, classId, refs('posted', 'edited', 'reacted'));
  const messages = new Map(found.map((message) => [message.id, message]));
  const authors = found.map((message) => message.memberId);
  const personas = new Map<string, Persona>();
  for (const persona of await listPersonas(db, classId, [...authors, ...refs('persona')])) {
    personas.set(persona.memberId, persona);
  }
  const row = refs('class').length > 0 ? await findClass(db, classId) : null;

  const items: LogItem[] = [];
  for (const { kind, seq, id, ref, memberId } of entries) {
    const message = messages.get(ref);
    const author = message && personas.get(message.memberId);
    const persona = personas.get(ref);
    const at = { seq, id };
    if (kind === 'deleted') items.push({ kind, ...at, messageId: ref });
    if (kind === 'posted' && message && author) {
      items.push({ kind, ...at, message, persona: author });
    }
    if (kind === 'edited' && message) {
      const { text, editedAt, createdAt } = message;
      items.push({ kind, ...at, messageId: ref, text, editedAt: editedAt ?? createdAt });
    }
    if (kind === 'reacted' && message && memberId) {
      const emoji = message.reactions[memberId] ?? null;
      items.push({ kind, ...at, messageId: ref, memberId, emoji });
    }
    if (kind === 'persona' && persona) items.push({ kind, ...at, persona });
    if (kind === 'class' && row) items.push({ kind, ...at, class: toClass(row) });
  }
  return items;
}
