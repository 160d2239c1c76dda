// A replica of one class's log and its only state transitions. All functions are pure and return the same
// object if nothing changed. Rows from the server can be newer than their seq, so every step must be
// idempotent.
//
// The replica holds the newest messages. A member who reads older ones holds a window too: a second run of
// messages with a gap between them. The window joins the newest messages when the gap closes.
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { ClassSettings, Message, Persona, Question, Quote } from '#contract/entities.ts';
import { toLocalQuote } from '#contract/quote-text.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';

export type SnapshotFrame = Extract<ServerFrame, { type: 'snapshot' }>;
export type EventsFrame = Extract<ServerFrame, { type: 'events' }>;
/** The most messages that a browser keeps around what the member sees. */
export const maxHeld = 500; // CHAT-42

type WithoutEntry<Item> = Item extends unknown ? Omit<Item, 'seq' | 'id'> : never;
/** A change of a message. The replica may not hold that message. */
export type Change = WithoutEntry<Extract<LogItem, { messageId: string }>> | Move;

/** The message has another topic, or none. */
interface Move {
  kind: 'moved';
  messageId: string;
  topicId: string | null;
}

export const toMove = ({ movedId, topicId }: Extract<LogItem, { kind: 'moved' }>): Move => ({
  kind: 'moved',
  messageId: movedId,
  topicId,
});

export interface LogReplica {
  epoch: string;
  /** The last change that the replica includes. */
  seq: number;
  /** The id of the entry at `seq`, or null if the log is empty. */
  lastId: string | null;
  /** `messages` holds every message from this seq. */
  from: number;
  /** The newest messages, ascending by seq. */
  messages: readonly Message[];
  /** Older messages that the member reads, apart from the newest ones. Null if the member reads those. */
  window: LogWindow | null;
  personas: ReadonlyMap<string, Persona>;
  /** The viewer's memberId in this class. */
  me: string;
  /** Others have seen the viewer's persona. */
  hasAppeared: boolean;
  /** The viewer has read everything up to this seq. */
  readSeq: number;
  hasOlder: boolean;
  settings: ClassSettings;
  /** Null if no page of history is requested. */
  request: PageRequest | null;
}

/** Every message from the seq `from` to the seq `to`. */
export interface LogWindow {
  from: number;
  to: number;
  /** Ascending by seq. */
  messages: readonly Message[];
  hasOlder: boolean;
  /** Messages after this seq are from before the last snapshot and may have changed. Null: all are current. */
  staleAfter: number | null;
}

interface PageRequest {
  /** The seq of the replica at the request. The page includes all changes up to it. */
  seq: number;
  /** Changes since the request, which the page may lack. */
  changes: readonly Change[];
}

export function createReplica(frame: SnapshotFrame): LogReplica {
  const { epoch, seq, lastId, messages, personas, hasOlder } = frame;
  const { readSeq, hasAppeared, sanction: _, ...me } = frame.me;
  return {
    epoch,
    seq,
    lastId,
    from: messages[0]?.seq ?? seq + 1,
    messages,
    window: null,
    personas: mapByMemberId([...personas, me]),
    me: me.memberId,
    hasAppeared,
    readSeq,
    hasOlder,
    settings: frame.settings ?? defaultClassSettings,
    request: null,
  };
}

/**
 * Applies entries that directly follow `seq`. Repeats are ignored. Returns `gap` if an entry is missing: the
 * caller must then request the log again.
 */
export function applyEvents(replica: LogReplica, frame: EventsFrame): LogReplica | 'gap' {
  const { from, to, lastId, items } = frame;
  if (to <= replica.seq) return replica;
  if (from > replica.seq + 1) return 'gap';
  const newItems = items.filter((item) => item.seq > replica.seq);
  return { ...newItems.reduce(applyItem, replica), seq: to, lastId };
}

function applyItem(replica: LogReplica, item: LogItem): LogReplica {
  switch (item.kind) {
    case 'posted': {
      const { message, persona } = item;
      const personas = putPersonas(replica.personas, [...(item.personas ?? []), persona]);
      // Rows can be newer than the seq of their snapshot, so the message may be there.
      const index = replica.messages.findLastIndex(({ seq }) => seq <= message.seq);
      if (replica.messages[index]?.id === message.id) return replica;
      const messages = replica.messages.toSpliced(index + 1, 0, message);
      return appear({ ...replica, messages, personas }, persona);
    }
    case 'deleted':
    case 'moderated':
    case 'reacted':
    case 'poll':
      return applyToMessages(replica, item);
    case 'edited':
    case 'question':
      return applyToMessages(
        { ...replica, personas: putPersonas(replica.personas, item.personas ?? []) },
        item,
      );
    case 'moved':
      return applyToMessages(replica, toMove(item));
    case 'persona':
      return appear(
        { ...replica, personas: putPersona(replica.personas, item.persona) },
        item.persona,
      );
    case 'class':
      // Class changes belong to the class list, which has its own queries.
      return replica;
    case 'settings':
      return { ...replica, settings: item.settings };
    default:
      // A newer server may send kinds that this page does not know.
      return replica;
  }
}

/** Notes if it is the viewer whom others see. */
function appear(replica: LogReplica, { memberId }: Persona): LogReplica {
  return memberId === replica.me ? { ...replica, hasAppeared: true } : replica;
}

function applyToMessages(replica: LogReplica, change: Change): LogReplica {
  const { request } = replica;
  const messages = applyToAll(replica.messages, change);
  const window = replica.window && changeMessages(replica.window, change);
  if (request) {
    const changes = [...request.changes, change];
    return { ...replica, messages, window, request: { ...request, changes } };
  }
  const isSame = messages === replica.messages && window === replica.window;
  return isSame ? replica : { ...replica, messages, window };
}

/** Adds the persona of a member if the replica does not hold one. A held persona is newer. */
export function addPersona(replica: LogReplica, persona: Persona): LogReplica {
  if (replica.personas.has(persona.memberId)) return replica;
  return { ...replica, personas: putPersona(replica.personas, persona) };
}

function putPersonas(
  personas: LogReplica['personas'],
  newPersonas: readonly Persona[],
): LogReplica['personas'] {
  return newPersonas.reduce(putPersona, personas);
}

/** Returns the same map if the persona is unchanged. */
function putPersona(personas: LogReplica['personas'], persona: Persona): LogReplica['personas'] {
  const { memberId, anonymousName, icon, staff } = persona;
  const knownPersona = personas.get(memberId);
  const isSame =
    knownPersona?.anonymousName === anonymousName &&
    knownPersona.icon === icon &&
    knownPersona.staff === staff;
  return isSame ? personas : new Map(personas).set(memberId, persona);
}

function changeMessages(window: LogWindow, change: Change): LogWindow {
  const messages = applyToAll(window.messages, change);
  return messages === window.messages ? window : { ...window, messages };
}

/** Changes the message and the quotes of it. Returns the same array if it holds neither. */
export function applyToAll(messages: readonly Message[], change: Change): readonly Message[] {
  const { messageId } = change;
  const isConcerned = (message: Message) =>
    message.id === messageId || isQuoting(message, messageId);
  if (!messages.some(isConcerned)) return messages;
  return messages.flatMap((message) => {
    if (message.id === messageId) return applyChange(message, change);
    return isQuoting(message, messageId) ? [changeQuotes(message, change)] : [message];
  });
}

function isQuoting({ replyTo, question }: Message, messageId: string): boolean {
  return [replyTo, question?.answer?.messageId, question?.endorsed?.messageId].includes(messageId);
}

/** Changes the quote of a reply, and those of the answers to a question. */
function changeQuotes(message: Message, change: Change): Message {
  if (!changesQuotes(change)) return message;
  const { messageId } = change;
  const { replyTo, quote, question } = message;
  const changeAnswer = (answer: Question['answer']) => {
    if (answer?.messageId !== messageId) return answer;
    const changedQuote = changeQuote(answer.quote, change);
    return changedQuote && { messageId, quote: changedQuote };
  };
  return {
    ...message,
    quote: replyTo === messageId && quote ? changeQuote(quote, change) : quote,
    ...(question && {
      question: {
        ...question,
        answer: changeAnswer(question.answer),
        endorsed: changeAnswer(question.endorsed),
      },
    }),
  };
}

type ContentChange = Extract<Change, { kind: 'edited' | 'deleted' | 'moderated' }>;

function changesQuotes(change: Change): change is ContentChange {
  return ['edited', 'deleted', 'moderated'].includes(change.kind);
}

function changeQuote(quote: Quote, change: ContentChange): Quote | null {
  switch (change.kind) {
    case 'edited':
      return { ...quote, text: toLocalQuote(change.text) };
    case 'deleted':
      return null;
    case 'moderated': {
      if (change.moderation === 'removed') return null;
      const { hidden: _, ...visible } = quote;
      return change.moderation ? { ...quote, hidden: true } : visible;
    }
  }
}

/** The content that a removed message loses. */
const removedContent = {
  text: '',
  imageUrl: null,
  storagePath: null,
  images: [],
  editedAt: null,
  replyTo: null,
  quote: null,
  reactions: {},
};

/** @returns the changed message in an array, or an empty array if it was deleted */
function applyChange(message: Message, change: Change): Message[] {
  switch (change.kind) {
    case 'edited':
      return [{ ...message, text: change.text, editedAt: change.editedAt }];
    case 'deleted':
      return [];
    case 'moderated': {
      const { moderation } = change;
      const { question: _, poll: __, topicId: ___, ...rest } = message;
      return moderation === 'removed'
        ? [{ ...rest, ...removedContent, moderation }]
        : [{ ...message, moderation }];
    }
    case 'reacted': {
      const { [change.memberId]: _, ...otherReactions } = message.reactions;
      const reactions = change.emoji
        ? { ...otherReactions, [change.memberId]: change.emoji }
        : otherReactions;
      return [{ ...message, reactions }];
    }
    case 'question':
      return message.moderation === 'removed'
        ? [message]
        : [{ ...message, question: change.question }];
    case 'poll':
      return message.moderation === 'removed' ? [message] : [{ ...message, poll: change.poll }];
    case 'moved': {
      const { topicId: _, ...rest } = message;
      return [change.topicId === null ? rest : { ...rest, topicId: change.topicId }];
    }
  }
}

/** Selects messages by seq, around a message, or since a time in milliseconds, all or those of a topic. */
export type HistoryQuery = (
  | { before: number }
  | { after: number }
  | { around: string; limit?: number }
  | { since: number }
) & { topicId?: string };

export interface HistoryPage {
  messages: readonly Message[];
  personas: readonly Persona[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** A digit for each question of the page: '1' if the viewer has it, too. Absent from a server of an earlier version. */
  voted?: string | undefined;
}

/** Starts recording changes for a page. Call before requesting it. */
export function startPageRequest(replica: LogReplica): LogReplica {
  return { ...replica, request: { seq: replica.seq, changes: [] } };
}

/** The page request failed. */
export function endPageRequest(replica: LogReplica): LogReplica {
  return { ...replica, request: null };
}

/** The run of messages that the member reads. */
export function getShownRun({ seq, window, from, messages, hasOlder }: LogReplica): LogWindow {
  return window ?? { from, to: seq, messages, hasOlder, staleAfter: null };
}

/**
 * Applies the changes since the request to a page. Without them the page would restore deleted messages. A page
 * that was requested before the last snapshot is dropped: the result is null.
 */
function receivePage(replica: LogReplica, page: HistoryPage) {
  const { request } = replica;
  if (!request) return null;
  const messages = request.changes.reduce(applyToAll, page.messages);
  // The replica's personas are newer than those of the page.
  const personas = new Map([...mapByMemberId(page.personas), ...replica.personas]);
  // Deleted messages count: the page also says what is between its remaining ones.
  const from = page.hasOlder ? (page.messages[0]?.seq ?? 0) : 0;
  const to = page.hasNewer ? (page.messages.at(-1)?.seq ?? 0) : request.seq;
  return {
    base: { ...replica, personas, request: null },
    page: { from, to: Math.max(to, page.messages.at(-1)?.seq ?? 0), messages },
  };
}

/** Adds the page before the messages that the member reads. */
export function addOlderPage(replica: LogReplica, page: HistoryPage): LogReplica {
  const receipt = receivePage(replica, page);
  if (!receipt) return replica;
  const { base } = receipt;
  const shownRun = getShownRun(replica);
  const older = receipt.page.messages.filter((message) => message.seq < shownRun.from);
  const run = {
    from: Math.min(shownRun.from, page.messages[0]?.seq ?? shownRun.from),
    messages: [...older, ...shownRun.messages],
    hasOlder: page.hasOlder,
  };
  return replica.window ? { ...base, window: { ...replica.window, ...run } } : { ...base, ...run };
}

/** Adds the page after the window. */
export function addNewerPage(replica: LogReplica, page: HistoryPage): LogReplica {
  const receipt = receivePage(replica, page);
  const { window } = replica;
  if (!receipt || !window) return replica;
  const newer = receipt.page.messages.filter((message) => message.seq > window.to);
  return joinNewest(receipt.base, {
    ...window,
    to: Math.max(window.to, receipt.page.to),
    messages: [...window.messages, ...newer],
  });
}

/** Shows the page instead of what the member reads. */
export function openPage(replica: LogReplica, page: HistoryPage): LogReplica {
  const receipt = receivePage(replica, page);
  if (!receipt) return replica;
  if (page.messages.length === 0) return showNewest(receipt.base);
  const { hasOlder } = page;
  return joinNewest(receipt.base, { ...receipt.page, hasOlder, staleAfter: null });
}

/** After a snapshot, keeps what the member reads until it is read again with `refreshWindow`. */
export function keepWindow(snapshot: LogReplica, previousReplica: LogReplica): LogReplica {
  const personas = new Map([...previousReplica.personas, ...snapshot.personas]);
  return { ...snapshot, personas, window: { ...getShownRun(previousReplica), staleAfter: 0 } };
}

/**
 * Replaces a stale window by a page of it. The messages after the page stay until `forgetStale`, because the list
 * keeps its position only if it changes at one end at a time.
 */
export function refreshWindow(replica: LogReplica, page: HistoryPage): LogReplica {
  const receipt = receivePage(replica, page);
  const { window } = replica;
  if (!receipt || !window) return replica;
  const { from, to, messages } = receipt.page;
  const stale = window.messages.filter(({ seq }) => seq > to);
  const run = { from, to: window.to, messages: [...messages, ...stale], staleAfter: to };
  return { ...receipt.base, window: { ...run, hasOlder: page.hasOlder } };
}

/** Forgets the messages after the page with which the window was refreshed. */
export function forgetStale(replica: LogReplica): LogReplica {
  const { window } = replica;
  if (!window?.staleAfter) return replica;
  const to = window.staleAfter;
  const messages = window.messages.filter(({ seq }) => seq <= to);
  return joinNewest(replica, { ...window, to, messages, staleAfter: null });
}

/** Makes one run of the window and the newest messages if no message is missing between them. */
function joinNewest(replica: LogReplica, window: LogWindow): LogReplica {
  if (window.to + 1 < replica.from) return { ...replica, window };
  if (window.from >= replica.from) return { ...replica, window: null };
  const older = window.messages.filter(({ seq }) => seq < replica.from);
  const { from, hasOlder } = window;
  return { ...replica, from, hasOlder, messages: [...older, ...replica.messages], window: null };
}

/** Joins the window with the newest messages if no message is missing between them. */
export function closeGap(replica: LogReplica): LogReplica {
  const { window } = replica;
  return window && window.to + 1 >= replica.from ? joinNewest(replica, window) : replica;
}

export function showNewest(replica: LogReplica): LogReplica {
  return replica.window ? { ...replica, window: null } : replica;
}

/**
 * Forgets messages that are far from `nearSeq`, or from the newest message if it is null. At most `max`
 * remain around it, and as many of the newest ones.
 */
export function forgetDistant(
  replica: LogReplica,
  nearSeq: number | null,
  max: number = maxHeld,
): LogReplica {
  if (replica.window) {
    const window = trimRun(replica.window, nearSeq, max);
    const newest = trimRun(getNewestRun(replica), null, max);
    const isSame = window === replica.window && newest.messages === replica.messages;
    return isSame ? replica : { ...replica, ...pickRun(newest), window };
  }
  const newestRun = getNewestRun(replica);
  const keptRun = trimRun(newestRun, nearSeq, max);
  if (keptRun === newestRun) return replica;
  const isCutAtEnd = keptRun.messages.at(-1) !== newestRun.messages.at(-1);
  if (!isCutAtEnd) return { ...replica, ...pickRun(keptRun) };
  const rest = newestRun.messages.filter(({ seq }) => seq > keptRun.to);
  const newest = trimRun(
    { ...newestRun, from: keptRun.to + 1, messages: rest, hasOlder: true },
    null,
    max,
  );
  return { ...replica, ...pickRun(newest), window: keptRun };
}

function getNewestRun({ from, seq, messages, hasOlder }: LogReplica): LogWindow {
  return { from, to: seq, messages, hasOlder, staleAfter: null };
}

function pickRun({ from, messages, hasOlder }: LogWindow) {
  return { from, messages, hasOlder };
}

/** Keeps `max` messages around `nearSeq`, or the last ones if it is null. */
function trimRun(run: LogWindow, nearSeq: number | null, max: number): LogWindow {
  const { messages } = run;
  const extraCount = messages.length - max;
  if (extraCount <= 0) return run;
  const nearIndex = messages.findIndex(({ seq }) => nearSeq !== null && seq >= nearSeq);
  const start =
    nearIndex < 0 ? extraCount : Math.min(Math.max(0, nearIndex - Math.floor(max / 2)), extraCount);
  const keptMessages = messages.slice(start, start + max);
  return {
    ...run,
    from: start > 0 ? (keptMessages[0]?.seq ?? run.from) : run.from,
    to: start < extraCount ? (keptMessages.at(-1)?.seq ?? run.to) : run.to,
    messages: keptMessages,
    hasOlder: start > 0 || run.hasOlder,
  };
}

function mapByMemberId(personas: readonly Persona[]): ReadonlyMap<string, Persona> {
  return new Map(personas.map((persona) => [persona.memberId, persona]));
}
