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
type RequestState = 'idle' | 'loading' | 'failed';

interface Dependencies {
  readHistory(query: HistoryQuery): Promise<HistoryPage>;
  replica(): LogReplica | null;
  /** Refreshes the view if `next` is another replica. */
  setReplica(next: LogReplica): void;
  refreshView(): void;
}

export interface RoomPages extends Pick<
  Room,
  'loadOlder' | 'loadNewer' | 'openMessage' | 'openTime' | 'showNewest' | 'setSeen'
> {
  state(): { jump: Jump; older: RequestState; newer: RequestState };
  /** Ignores the page that is being loaded, because the replica is a new one. */
  cancel(): void;
  /** Whether the member reads in this replica, away from the newest message. */
  isReadingIn(log: LogReplica): boolean;
  /** Reads the messages around the member's place again if they may have changed since. */
  refreshIfStale(): void;
  /** Forgets messages that are far from the member's place. */
  forgetDistant(): void;
}

/** The list forgets messages in steps of this size, which costs less than one at a time. */
const forgetStep = 100;

export function createRoomPages(dependencies: Dependencies): RoomPages {
  const { replica, setReplica, refreshView, readHistory } = dependencies;
  /** The page request that is in progress or has failed. */
  let request: { kind: PageKind; failed: boolean } | null = null;
  let jump: Jump = { count: 0, messageId: null };
  /** A message on screen, or null if the member follows the newest one. */
  let seenSeq: number | null = null;

  function getRequestState(kind: PageKind): RequestState {
    if (request?.kind !== kind) return 'idle';
    return request.failed ? 'failed' : 'loading';
  }

  const isLoading = () => request !== null && !request.failed;

  /** The message that the member sees while not following the newest one. */
  function findSeenMessage(log: LogReplica): Message | undefined {
    if (seenSeq === null) return undefined;
    const { messages } = getShownRun(log);
    return messages.findLast(({ seq }) => seq <= (seenSeq ?? 0)) ?? messages[0];
  }

  /** @returns the page, or the error. Null if a newer request or a snapshot has replaced this one. */
  async function loadPage(
    kind: PageKind,
    query: HistoryQuery,
  ): Promise<HistoryPage | Error | null> {
    const currentReplica = replica();
    if (!currentReplica) return null;
    const ownRequest = { kind, failed: false };
    request = ownRequest;
    setReplica(startPageRequest(currentReplica));
    const result = await readHistory(query).catch(toError);
    if (request !== ownRequest) return null;
    request = null;
    const now = replica();
    if (result instanceof Error && now) {
      if (kind !== 'jump') request = { kind, failed: true };
      setReplica(endPageRequest(now));
    }
    return result;
  }

  /** The member reads messages from before the last snapshot. */
  const isStale = () => (replica()?.window?.staleAfter ?? null) !== null;

  /** Reads the messages around the member's place again. The place stays the same. */
  async function refresh(): Promise<void> {
    const currentReplica = replica();
    const seenMessage = currentReplica && findSeenMessage(currentReplica);
    if (!seenMessage || isLoading()) return;
    // A large page, because the messages outside of it are forgotten: it must fill the window.
    let result = await loadPage('jump', { around: seenMessage.id, limit: limits.historyPage });
    if (isMissing(result)) result = await loadPage('jump', { since: seenMessage.createdAt });
    const log = replica();
    if (isPage(result) && log) setReplica(refreshWindow(log, result));
  }

  function jumpTo(next: LogReplica, messageId: string | null): void {
    jump = { count: jump.count + 1, messageId };
    seenSeq = null;
    if (next === replica()) refreshView();
    else setReplica(next);
  }

  return {
    state: () => ({ jump, older: getRequestState('older'), newer: getRequestState('newer') }),
    cancel() {
      request = null;
    },
    isReadingIn: (log) => findSeenMessage(log) !== undefined,
    refreshIfStale() {
      if (isStale()) void refresh();
    },
    setSeen(seq) {
      seenSeq = seq;
    },

    async loadOlder() {
      if (isStale()) return refresh();
      const currentReplica = replica();
      if (!currentReplica || !getShownRun(currentReplica).hasOlder || isLoading()) return;
      const result = await loadPage('older', { before: getShownRun(currentReplica).from });
      const log = replica();
      if (isPage(result) && log) setReplica(addOlderPage(log, result));
    },

    async loadNewer() {
      if (isStale()) return refresh();
      const currentReplica = replica();
      if (!currentReplica?.window || isLoading()) return;
      const joinedReplica = closeGap(currentReplica);
      if (joinedReplica !== currentReplica) return setReplica(joinedReplica);
      const result = await loadPage('newer', { after: currentReplica.window.to });
      const log = replica();
      if (isPage(result) && log) setReplica(addNewerPage(log, result));
    },

    async openMessage(id) {
      const currentReplica = replica();
      if (!currentReplica) return 'failed';
      const hasMessage = (messages: readonly Message[]) =>
        messages.some((message) => message.id === id);
      if (hasMessage(currentReplica.window?.messages ?? [])) {
        jumpTo(currentReplica, id);
        return 'shown';
      }
      if (hasMessage(currentReplica.messages)) {
        jumpTo(showNewest(currentReplica), id);
        return 'shown';
      }
      const result = await loadPage('jump', { around: id });
      const log = replica();
      if (isPage(result) && log) {
        jumpTo(openPage(log, result), id);
        return 'shown';
      }
      return isMissing(result) ? 'missing' : 'failed';
    },

    async openTime(time) {
      const result = await loadPage('jump', { since: time });
      const log = replica();
      if (!isPage(result) || !log) return 'failed';
      jumpTo(openPage(log, result), result.messages[0]?.id ?? null);
      return 'shown';
    },

    showNewest() {
      seenSeq = null;
      const log = replica();
      if (!log?.window) return;
      request = null;
      jumpTo(showNewest(endPageRequest(log)), null);
    },

    forgetDistant() {
      const log = replica();
      if (!log) return;
      const current = forgetStale(log);
      if (current !== log) return setReplica(current);
      if (getShownRun(log).messages.length > maxHeld + forgetStep) {
        setReplica(forgetDistant(log, seenSeq));
      }
    },
  };
}

function isPage(result: HistoryPage | Error | null): result is HistoryPage {
  return result !== null && !(result instanceof Error);
}

/** The server does not have the message. */
function isMissing(result: HistoryPage | Error | null): boolean {
  return result instanceof RejectedError && ['NOT_FOUND', 'INVALID'].includes(result.code);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The page could not be read.');
}
