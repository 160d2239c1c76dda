// Where the member reads in the log of one class: pages of history, jumps, and the way back to the newest message.
import type { Message } from '#contract/entities.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import {
  addNewerPage,
  addOlderPage,
  closeGap,
  endPageRequest,
  forgetDistant,
  forgetStale,
  type HistoryPage,
  type HistoryQuery,
  type LogReplica,
  maxHeld,
  openPage,
  refreshWindow,
  showNewest,
  getShownRun,
  startPageRequest,
} from '#web/sync/engine/log-replica.ts';
import type { Jump, Room } from './room.ts';

type PageKind = 'older' | 'newer' | 'jump';
/** The page, or the error. Null if a newer request or a snapshot has replaced this one. */
type PageResult = HistoryPage | Error | null;
type RequestState = 'idle' | 'loading' | 'failed';

/** The list forgets messages in steps of this size, which costs less than one at a time. */
const forgetStep = 100;

/** The functions that the room spreads. So in the class they are fields, not methods. */
export type PageActions = Pick<
  Room,
  | 'loadOlder'
  | 'loadNewer'
  | 'openMessage'
  | 'openTime'
  | 'showNewest'
  | 'setSeen'
  | 'forgetDistant'
>;

export class RoomPages implements PageActions {
  readonly #readHistory: (query: HistoryQuery) => Promise<HistoryPage>;
  readonly #getReplica: () => LogReplica | null;
  readonly #setReplica: (next: LogReplica) => void;
  readonly #refreshView: () => void;
  /** The page request that is in progress or has failed. */
  #request: { kind: PageKind; failed: boolean } | null = null;
  #jump: Jump = { count: 0, messageId: null };
  /** A message on screen, or null if the member follows the newest one. */
  #seenSeq: number | null = null;

  /** @param setReplica refreshes the view if `next` is another replica */
  constructor(
    readHistory: (query: HistoryQuery) => Promise<HistoryPage>,
    getReplica: () => LogReplica | null,
    setReplica: (next: LogReplica) => void,
    refreshView: () => void,
  ) {
    this.#readHistory = readHistory;
    this.#getReplica = getReplica;
    this.#setReplica = setReplica;
    this.#refreshView = refreshView;
  }

  state(): { jump: Jump; older: RequestState; newer: RequestState } {
    return {
      jump: this.#jump,
      older: this.#getRequestState('older'),
      newer: this.#getRequestState('newer'),
    };
  }

  /** Ignores the page that is being loaded, because the replica is a new one. */
  cancel(): void {
    this.#request = null;
  }

  /** Whether the member reads in this replica, away from the newest message. */
  isReadingIn(log: LogReplica): boolean {
    return this.#findSeenMessage(log) !== undefined;
  }

  /** Reads the messages around the member's place again if they may have changed since. */
  refreshIfStale(): void {
    if (this.#isStale()) void this.#refresh();
  }

  readonly setSeen = (seq: number | null): void => {
    this.#seenSeq = seq;
  };

  readonly loadOlder = async (): Promise<void> => {
    if (this.#isStale()) return this.#refresh();
    const log = this.#getReplica();
    if (!log || !getShownRun(log).hasOlder || this.#isLoading()) return;
    const result = await this.#loadPage('older', { before: getShownRun(log).from });
    this.#merge(result, addOlderPage);
  };

  readonly loadNewer = async (): Promise<void> => {
    if (this.#isStale()) return this.#refresh();
    const log = this.#getReplica();
    if (!log?.window || this.#isLoading()) return;
    const joinedLog = closeGap(log);
    if (joinedLog !== log) return this.#setReplica(joinedLog);
    const result = await this.#loadPage('newer', { after: log.window.to });
    this.#merge(result, addNewerPage);
  };

  readonly openMessage = async (id: string): Promise<'shown' | 'missing' | 'failed'> => {
    const log = this.#getReplica();
    if (!log) return 'failed';
    if (hasMessage(log.window?.messages ?? [], id)) {
      this.#jumpTo(log, id);
      return 'shown';
    }
    if (hasMessage(log.messages, id)) {
      this.#jumpTo(showNewest(log), id);
      return 'shown';
    }
    const result = await this.#loadPage('jump', { around: id });
    const newLog = this.#getReplica();
    // Something else was opened meanwhile.
    if (result === null) return 'shown';
    if (isPage(result) && newLog) {
      this.#jumpTo(openPage(newLog, result), id);
      return 'shown';
    }
    return isMissing(result) ? 'missing' : 'failed';
  };

  readonly openTime = async (time: number): Promise<'shown' | 'failed'> => {
    const result = await this.#loadPage('jump', { since: time });
    const log = this.#getReplica();
    if (result === null && log) return 'shown';
    if (!isPage(result) || !log) return 'failed';
    this.#jumpTo(openPage(log, result), result.messages[0]?.id ?? null);
    return 'shown';
  };

  readonly showNewest = (): void => {
    this.#seenSeq = null;
    const log = this.#getReplica();
    if (!log || (!log.window && this.#request?.kind !== 'jump')) return;
    this.#request = null;
    this.#jumpTo(showNewest(endPageRequest(log)), null);
  };

  /** Forgets messages that are far from the member's place. */
  readonly forgetDistant = (): void => {
    const log = this.#getReplica();
    if (!log) return;
    const freshLog = forgetStale(log);
    if (freshLog !== log) return this.#setReplica(freshLog);
    if (getShownRun(log).messages.length > maxHeld + forgetStep) {
      this.#setReplica(forgetDistant(log, this.#seenSeq));
    }
  };

  #getRequestState(kind: PageKind): RequestState {
    if (this.#request?.kind !== kind) return 'idle';
    return this.#request.failed ? 'failed' : 'loading';
  }

  #isLoading(): boolean {
    return this.#request !== null && !this.#request.failed;
  }

  /** The member reads messages from before the last snapshot. */
  #isStale(): boolean {
    return (this.#getReplica()?.window?.staleAfter ?? null) !== null;
  }

  /** The message that the member sees while not following the newest one. */
  #findSeenMessage(log: LogReplica): Message | undefined {
    const seenSeq = this.#seenSeq;
    if (seenSeq === null) return undefined;
    const { messages } = getShownRun(log);
    return messages.findLast(({ seq }) => seq <= seenSeq) ?? messages[0];
  }

  async #loadPage(kind: PageKind, query: HistoryQuery): Promise<PageResult> {
    const log = this.#getReplica();
    if (!log) return null;
    const request = { kind, failed: false };
    this.#request = request;
    this.#setReplica(startPageRequest(log));
    const result = await this.#readHistory(query).catch(toError);
    if (this.#request !== request) return null;
    this.#request = null;
    const newLog = this.#getReplica();
    if (result instanceof Error && newLog) {
      if (kind !== 'jump') this.#request = { kind, failed: true };
      this.#setReplica(endPageRequest(newLog));
    }
    return result;
  }

  /** Reads the messages around the member's place again. The place stays the same. */
  async #refresh(): Promise<void> {
    const log = this.#getReplica();
    const seenMessage = log && this.#findSeenMessage(log);
    if (!seenMessage || this.#isLoading()) return;
    // A large page, because the messages outside of it are forgotten: it must fill the window.
    const query = { around: seenMessage.id, limit: limits.historyPage };
    let result = await this.#loadPage('jump', query);
    if (isMissing(result)) result = await this.#loadPage('jump', { since: seenMessage.createdAt });
    this.#merge(result, refreshWindow);
  }

  #merge(result: PageResult, merge: (log: LogReplica, page: HistoryPage) => LogReplica): void {
    const log = this.#getReplica();
    if (isPage(result) && log) this.#setReplica(merge(log, result));
  }

  #jumpTo(log: LogReplica, messageId: string | null): void {
    this.#jump = { count: this.#jump.count + 1, messageId };
    this.#seenSeq = null;
    if (log === this.#getReplica()) this.#refreshView();
    else this.#setReplica(log);
  }
}

function hasMessage(messages: readonly Message[], id: string): boolean {
  return messages.some((message) => message.id === id);
}

function isPage(result: PageResult): result is HistoryPage {
  return result !== null && !(result instanceof Error);
}

/** The server does not have the message. */
function isMissing(result: PageResult): boolean {
  return result instanceof RejectedError && ['NOT_FOUND', 'INVALID'].includes(result.code);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The page could not be read.');
}
