// What this browser holds of one class's log, and the only ways in which that may change.
// Pure: each step returns a new value, or the same one when nothing changed. Rows that the server
// reads can be newer than the seq they come with, so every step may be applied again.
import type { Message, Persona } from '#contract/entities.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';

export type SnapshotFrame = Extract<ServerFrame, { type: 'snapshot' }>;
export type EventsFrame = Extract<ServerFrame, { type: 'events' }>;
/** A change of a message that may not be held. */
type Change = Extract<LogItem, { messageId: string }>;

export interface LogReplica {
  epoch: string;
  /** Every change up to this one is in. */
  seq: number;
  /** Of the entry at `seq`; null while the log is empty. */
  lastId: string | null;
  /** Messages before this seq are not held. */
  from: number;
  /** Ascending by seq. */
  messages: readonly Message[];
  personas: ReadonlyMap<string, Persona>;
  /** My own memberId in this class. */
  me: string;
  /** Everything up to here was seen. */
  readSeq: number;
  hasOlder: boolean;
  /** While a page of older messages is on its way: the changes since that it may not have. */
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
 * Applies only what follows on directly: repeats are dropped, and a hole is answered with `hole`,
 * after which the log has to be asked for again.
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
      // Of the class itself the list of classes knows, which has its own way to the server.
      return held;
  }
}

/** The same map where it says so already. */
function withPersona(personas: LogReplica['personas'], persona: Persona): LogReplica['personas'] {
  const { memberId, anonymousName, icon } = persona;
  const known = personas.get(memberId);
  const same = known?.anonymousName === anonymousName && known.icon === icon;
  return same ? personas : new Map(personas).set(memberId, persona);
}

/** @returns the message as it is then, or nothing when it is no more */
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

/** Before a page of history is asked for: from here on, what changes is kept for it. */
export function markOlderRequested(held: LogReplica): LogReplica {
  return { ...held, passed: [] };
}

/** The page did not come. */
export function clearOlderRequest(held: LogReplica): LogReplica {
  return { ...held, passed: null };
}

/**
 * Puts a page of history before what is held. What changed on its way is applied to it, or it would bring back what was deleted meanwhile. A
 * page that was asked for before a snapshot replaced everything is dropped.
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
    // What is held is newer than what a page, asked for earlier, says of the same persona.
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
