// A replica of one class's log and its only state transitions. All functions are pure and return the same
// object if nothing changed. Rows from the server can be newer than their seq, so every step must be
// idempotent.
import type { Message, Persona } from '#contract/entities.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';

export type SnapshotFrame = Extract<ServerFrame, { type: 'snapshot' }>;
export type EventsFrame = Extract<ServerFrame, { type: 'events' }>;
/** A change of a message. The replica may not hold that message. */
type Change = Extract<LogItem, { messageId: string }>;

export interface LogReplica {
  epoch: string;
  /** The last change that the replica includes. */
  seq: number;
  /** The id of the entry at `seq`, or null if the log is empty. */
  lastId: string | null;
  /** The replica holds no messages before this seq. */
  from: number;
  /** Ascending by seq. */
  messages: readonly Message[];
  personas: ReadonlyMap<string, Persona>;
  /** The viewer's memberId in this class. */
  me: string;
  /** The viewer has read everything up to this seq. */
  readSeq: number;
  hasOlder: boolean;
  /** Changes since an older page was requested, which that page may lack. Null if no request is pending. */
  passed: readonly Change[] | null;
}

export function fromSnapshot(frame: SnapshotFrame): LogReplica {
  const { epoch, seq, lastId, messages, personas, hasOlder } = frame;
  const { readSeq, ...me } = frame.me;
  return {
    epoch,
    seq,
    lastId,
    from: messages[0]?.seq ?? seq + 1,
    messages,
    personas: named([...personas, me]),
    me: me.memberId,
    readSeq,
    hasOlder,
    passed: null,
  };
}

/**
 * Applies entries that directly follow `seq`. Repeats are ignored. Returns `hole` if an entry is missing: the
 * caller must then request the log again.
 */
export function applyEvents(held: LogReplica, frame: EventsFrame): LogReplica | 'hole' {
  const { from, to, lastId, items } = frame;
  if (to <= held.seq) return held;
  if (from > held.seq + 1) return 'hole';
  const fresh = items.filter((item) => item.seq > held.seq);
  return { ...fresh.reduce(applyItem, held), seq: to, lastId };
}

function applyItem(held: LogReplica, item: LogItem): LogReplica {
  switch (item.kind) {
    case 'posted': {
      const { message, persona } = item;
      if (held.messages.some(({ id }) => id === message.id)) return held;
      const messages = [...held.messages, message];
      return { ...held, messages, personas: withPersona(held.personas, persona) };
    }
    case 'edited':
    case 'deleted':
    case 'reacted': {
      const index = held.messages.findIndex(({ id }) => id === item.messageId);
      const message = held.messages[index];
      if (!message) return held.passed ? { ...held, passed: [...held.passed, item] } : held;
      return { ...held, messages: held.messages.toSpliced(index, 1, ...changed(message, item)) };
    }
    case 'persona':
      return { ...held, personas: withPersona(held.personas, item.persona) };
    case 'class':
      // Class changes belong to the class list, which has its own queries.
      return held;
  }
}

/** Returns the same map if the persona is unchanged. */
function withPersona(personas: LogReplica['personas'], persona: Persona): LogReplica['personas'] {
  const { memberId, anonymousName, icon } = persona;
  const known = personas.get(memberId);
  const same = known?.anonymousName === anonymousName && known.icon === icon;
  return same ? personas : new Map(personas).set(memberId, persona);
}

/** @returns the changed message in an array, or an empty array if it was deleted */
function changed(message: Message, change: Change): Message[] {
  switch (change.kind) {
    case 'edited':
      return [{ ...message, text: change.text, editedAt: change.editedAt }];
    case 'deleted':
      return [];
    case 'reacted': {
      const { [change.memberId]: _, ...others } = message.reactions;
      const reactions = change.emoji ? { ...others, [change.memberId]: change.emoji } : others;
      return [{ ...message, reactions }];
    }
  }
}

export interface OlderPage {
  messages: readonly Message[];
  personas: readonly Persona[];
  hasOlder: boolean;
}

/** Starts recording changes for the older page. Call before requesting it. */
export function markOlderRequested(held: LogReplica): LogReplica {
  return { ...held, passed: [] };
}

/** The page request failed. */
export function clearOlderRequest(held: LogReplica): LogReplica {
  return { ...held, passed: null };
}

/**
 * Prepends an older page and applies the changes recorded meanwhile. Without them the page would restore
 * deleted messages. A page that was requested before the last snapshot is dropped.
 */
export function prependOlder(held: LogReplica, page: OlderPage): LogReplica {
  const { passed } = held;
  if (!passed) return held;
  const older = page.messages
    .filter((message) => message.seq < held.from)
    .flatMap((message) =>
      passed
        .filter(({ messageId }) => messageId === message.id)
        .reduce((now, change) => now.flatMap((one) => changed(one, change)), [message]),
    );
  return {
    ...held,
    from: Math.min(held.from, page.messages[0]?.seq ?? held.from),
    messages: [...older, ...held.messages],
    // The replica's personas are newer than those of the page.
    personas: new Map([...named(page.personas), ...held.personas]),
    hasOlder: page.hasOlder,
    passed: null,
  };
}

export function markRead(held: LogReplica, seq: number): LogReplica {
  return seq > held.readSeq ? { ...held, readSeq: seq } : held;
}

function named(personas: readonly Persona[]): ReadonlyMap<string, Persona> {
  return new Map(personas.map((persona) => [persona.memberId, persona]));
}
