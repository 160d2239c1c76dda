// What this browser holds of one class's log, and the only ways in which that may change.
// Pure: each step returns a new value, or the same one when nothing changed.
import type { Message, Persona } from '#contract/entities.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';

type Snapshot = Extract<ServerFrame, { type: 'snapshot' }>;
type Events = Extract<ServerFrame, { type: 'events' }>;

export interface HeldLog {
  epoch: string;
  /** Every change up to this one is in. */
  seq: number;
  /** Ascending by seq. */
  messages: readonly Message[];
  personas: ReadonlyMap<string, Persona>;
  /** My own memberId in this class. */
  me: string;
  hasOlder: boolean;
}

export function fromSnapshot({ epoch, seq, messages, personas, me, hasOlder }: Snapshot): HeldLog {
  return { epoch, seq, messages, personas: named(personas), me: me.memberId, hasOlder };
}

/**
 * Applies only what follows on directly: repeats are dropped, and a hole is answered with `hole`,
 * after which the log has to be asked for again.
 */
export function applyEvents(held: HeldLog, { from, to, items }: Events): HeldLog | 'hole' {
  if (to <= held.seq) return held;
  if (from > held.seq + 1) return 'hole';
  const fresh = items.filter((item) => item.seq > held.seq);
  return { ...fresh.reduce(applyItem, held), seq: to };
}

function applyItem(held: HeldLog, item: LogItem): HeldLog {
  switch (item.kind) {
    case 'posted':
      return { ...held, messages: [...held.messages, item.message] };
    case 'persona':
      return { ...held, personas: new Map(held.personas).set(item.persona.memberId, item.persona) };
    case 'class':
      return held;
  }
}

export interface OlderPage {
  messages: readonly Message[];
  personas: readonly Persona[];
}

/** Puts a page of history before what is held; `asked` is how many messages it could have had. */
export function prependOlder(held: HeldLog, page: OlderPage, asked: number): HeldLog {
  const oldest = held.messages[0]?.seq ?? Number.POSITIVE_INFINITY;
  const older = page.messages.filter((message) => message.seq < oldest);
  return {
    ...held,
    messages: [...older, ...held.messages],
    // What is held is newer than what a page, asked for earlier, says of the same persona.
    personas: new Map([...named(page.personas), ...held.personas]),
    hasOlder: page.messages.length >= asked,
  };
}

function named(personas: readonly Persona[]): ReadonlyMap<string, Persona> {
  return new Map(personas.map((persona) => [persona.memberId, persona]));
}
