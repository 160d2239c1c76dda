// Brings a client that was offline up to date with a class's log.
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { ClassSettings, Message, Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Database } from '#server/store/tables.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import { listLogEntries, type Entry, type LogRow } from './log-queries.ts';
import { listMessagesById } from './messages-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';
import {
  countJsonBytes,
  listShownMentions,
  toPersonaIds,
  getPageBefore,
  type HistoryPage,
} from './history.ts';

/** If the client is further behind, a snapshot is smaller than the events. */
const maxReplayEntries = 500;
/** The number of entries per read. Each entry may hold a message of 12 KB, so the number limits the memory of a page. */
const pageEntries = { min: 4, first: 16, max: 64 };

export interface Snapshot extends Omit<HistoryPage, 'hasNewer'> {
  seq: number;
  lastId: string | null;
  /** The settings of the class; absent if no one has changed them, or started a lecture. */
  settings?: ClassSettings;
}

/** `to` is the log's head. If nothing was missed, `items` is empty and `from > to`. */
export interface Replay {
  from: number;
  to: number;
  lastId: string;
  items: LogItem[];
}

/**
 * Lists every change after the client's replica, up to `head`. Rows are read in their current state, so an item may already show
 * a later change. The later change also arrives as an event, and applying it twice is harmless.
 *
 * @param replica the last entry that the client has
 * @returns null if a snapshot is needed: too far behind, entries compacted, or another history
 */
export async function replay(
  db: Database,
  classId: string,
  replica: Position,
  head: number,
): Promise<Replay | null> {
  if (replica.seq > head || head - replica.seq > maxReplayEntries) return null;
  if (replica.seq === 0 && head === 0) return { from: 1, to: 0, lastId: '', items: [] };
  const entries = await listLogEntries(db, classId, Math.max(replica.seq, 1), head);
  const replicaEntry = replica.seq === 0 ? null : entries.shift();
  if (
    replicaEntry === undefined ||
    (replicaEntry && replica.id !== null && replicaEntry.id !== replica.id)
  ) {
    return null;
  }
  const from = replica.seq + 1;
  const lastEntry: Entry | null | undefined = entries.at(-1) ?? replicaEntry;
  if (!lastEntry || entries.length !== head - replica.seq) return null;
  return { from, to: head, lastId: lastEntry.id, items: await listItems(db, classId, entries) };
}

/** A position in the log. The id is null if the log is empty. */
export interface Position {
  seq: number;
  id: string | null;
}

/**
 * Reads the changes after the client's replica in pages that each fit into one frame, on demand.
 *
 * @param readPage reads the changes after a position, at most up to a seq
 * @returns null if a snapshot is needed, even between pages: entries may be compacted in the meantime
 */
export async function* replayPages<Page extends { to: number; lastId: string }>(
  replica: Position,
  head: number,
  readPage: (position: Position, upTo: number) => Promise<Page | null>,
): AsyncGenerator<Page | null> {
  if (replica.seq > head || head - replica.seq > maxReplayEntries) return yield null;
  let position = replica;
  let entryCount = pageEntries.first;
  do {
    const page = await readPage(position, Math.min(head, position.seq + entryCount));
    if (!page) return yield null;
    yield page;
    // Entries that did not fit into the page are read again, so the next read has about as many entries as fitted.
    entryCount = Math.min(pageEntries.max, Math.max(pageEntries.min, 2 * (page.to - position.seq)));
    position = { seq: page.to, id: page.lastId };
  } while (position.seq < head);
}

/** Returns the changes like `replay`, but at most as many as fit into one frame. */
export async function replayPage(
  db: Database,
  classId: string,
  replica: Position,
  upTo: number,
): Promise<Replay | null> {
  const fullReplay = await replay(db, classId, replica, upTo);
  return fullReplay && cutToFit(fullReplay, limits.historyFrameBytes);
}

/** Keeps as many of the first items as fit, at least one. */
function cutToFit(fullReplay: Replay, maxBytes: number): Replay {
  let bytes = 0;
  const firstOver = fullReplay.items.findIndex(
    (item) => (bytes += countJsonBytes(item)) > maxBytes,
  );
  const last = fullReplay.items[Math.max(0, firstOver - 1)];
  if (firstOver < 0 || fullReplay.items.length === 1 || !last) return fullReplay;
  const items = fullReplay.items.slice(0, Math.max(1, firstOver));
  return { from: fullReplay.from, to: last.seq, lastId: last.id, items };
}

/** The latest messages at `head` that fit into one frame. */
export async function takeSnapshot(db: Database, classId: string, head: number): Promise<Snapshot> {
  const settings = await findSettings(db, classId);
  const isChanged = settings !== defaultClassSettings;
  const { messages, personas, hasOlder } = await getPageBefore(db, classId, head + 1, {
    limit: limits.snapshotMessages,
    maxBytes: limits.historyFrameBytes - (isChanged ? countJsonBytes(settings) : 0),
  });
  const last = head > 0 ? (await listLogEntries(db, classId, head, head))[0] : undefined;
  return {
    seq: head,
    lastId: last?.id ?? null,
    messages,
    personas,
    hasOlder,
    ...(isChanged && { settings }),
  };
}

async function listItems(db: Database, classId: string, entries: readonly LogRow[]) {
  const listRefs = (...kinds: LogRow['kind'][]) =>
    entries.filter((entry) => kinds.includes(entry.kind)).map((entry) => entry.ref);
  const foundMessages = await listMessagesById(
    db,
    classId,
    listRefs('posted', 'edited', 'reacted', 'moderated', 'question', 'poll', 'moved'),
  );
  const messages = new Map(foundMessages.map((message) => [message.id, message]));
  const authors = foundMessages.flatMap(toPersonaIds);
  const personas = new Map<string, Persona>();
  for (const persona of await listPersonas(db, classId, [...authors, ...listRefs('persona')])) {
    personas.set(persona.memberId, persona);
  }
  // Every entry of changed settings would have the same current settings, so only the last one has them.
  const lastSettingsEntry = entries.findLast(({ kind }) => kind === 'settings');
  const settings = lastSettingsEntry ? await findSettings(db, classId) : null;
  const changedClass = listRefs('class').length > 0 ? await findClass(db, classId) : null;

  const items: LogItem[] = [];
  for (const { kind, seq, id, ref, memberId } of entries) {
    const message = messages.get(ref);
    const author = message && personas.get(message.memberId);
    const persona = personas.get(ref);
    const entry = { seq, id };
    const mentionedPersonas = message && listMentionedPersonas(message, personas);
    const mentions = mentionedPersonas?.length ? { personas: mentionedPersonas } : {};
    if (kind === 'deleted') items.push({ kind, ...entry, messageId: ref });
    if (kind === 'posted' && message && author) {
      items.push({ kind, ...entry, message, persona: author, ...mentions });
    }
    if (kind === 'edited' && message) {
      const { text, editedAt, createdAt } = message;
      // An empty list is sent, too, because the unknown text before the edit may have mentioned members.
      items.push({
        kind,
        ...entry,
        messageId: ref,
        text,
        editedAt: editedAt ?? createdAt,
        personas: mentionedPersonas ?? [],
      });
    }
    if (kind === 'moderated' && message) {
      items.push({ kind, ...entry, messageId: ref, moderation: message.moderation });
    }
    if (kind === 'reacted' && message && memberId) {
      const emoji = message.reactions[memberId] ?? null;
      items.push({ kind, ...entry, messageId: ref, memberId, emoji });
    }
    if (kind === 'question' && message?.question) {
      items.push({ kind, ...entry, messageId: ref, question: message.question, ...mentions });
    }
    if (kind === 'poll' && message?.poll) {
      items.push({ kind, ...entry, messageId: ref, poll: message.poll });
    }
    if (kind === 'moved' && message) {
      items.push({ kind, ...entry, movedId: ref, topicId: message.topicId ?? null });
    }
    if (kind === 'persona' && persona) items.push({ kind, ...entry, persona });
    if (kind === 'class' && changedClass) {
      items.push({ kind, ...entry, class: toClass(changedClass) });
    }
    if (kind === 'settings' && settings && seq === lastSettingsEntry?.seq) {
      items.push({ kind, ...entry, settings });
    }
  }
  return items;
}

function listMentionedPersonas(
  message: Message,
  personas: ReadonlyMap<string, Persona>,
): Persona[] {
  return listShownMentions(message).flatMap((memberId) => personas.get(memberId) ?? []);
}
