// Sends the outbox in order, with one message per class in flight. Only one tab sends at a time. An entry
// leaves the outbox when its message is in the log replica.
import { AppError } from '#contract/errors.ts';
import type { Tabs } from './browser-tabs.ts';
import type { LogReplica } from './log-replica.ts';
import type { OutboxEntry, OutboxPicture } from './outbox-storage.ts';
import type { Outbox } from './outbox.ts';
import type { PictureUploads } from './picture-uploads.ts';
import type { Answer, Requests } from './requests.ts';

export interface OutboxSender {
  /** A connection opened under this account. */
  start(account: string, epoch: string): void;
  /** The connection ended. Messages in flight have an unknown outcome and are sent again. */
  stop(): void;
  /** Call when a message may have become sendable. */
  send(): void;
  /** Removes the entries whose messages are in this replica. */
  settle(classId: string, held: LogReplica): void;
  /** The server saved the message, but its log entry has not arrived. */
  isAcknowledged(id: string): boolean;
}

/** The state of one connection. */
interface Turn {
  account: string;
  epoch: string;
  /** False until the waiting messages have their delays. Nothing is sent before that. */
  isSpread: boolean;
  /** The class whose waiting messages are sent first. */
  firstClassId: string | null;
  /** Classes whose waiting messages are delayed, with their timers. */
  delayed: Map<string, ReturnType<typeof setTimeout>>;
  /** When the last delay ends. */
  lastReleaseAt: number;
  /** This tab is the leader. */
  elected: boolean;
  /** Identifies the current election of this turn. */
  election: symbol;
  releaseLeadership: () => void;
  /** Classes with a message in flight or waiting for a retry. */
  busy: Set<string>;
  /** Message id → how often the server had deleted its picture before the message arrived. */
  collected: Map<string, number>;
  /** Message id → seq of each message saved during this turn. */
  acknowledged: Map<string, number>;
  takeOver: ReturnType<typeof setTimeout> | null;
}

/** If the leader sends nothing for this long, a visible tab takes over. */
const takeOverMs = 5000;
/** The delay after an upload without a response. */
const uploadRetryDelayMs = 3000;
/** A server that lost a picture this often in one turn is expected to lose it again. */
const maxUploadAttempts = 3;

/**
 * If messages of several classes left together, members of these classes could link their personas. So each
 * further class waits for a random time longer.
 */
const spreadMs = { min: 2000, max: 8000 }; // LOG-29

interface Parts {
  outbox: Outbox;
  requests: Pick<Requests, 'ask'>;
  uploads: Pick<PictureUploads, 'start'>;
  tabs: Pick<Tabs, 'elect'>;
  isVisible(): boolean;
  /** The messages of this class are sent first. */
  classOnScreen(): string | undefined;
  onAcknowledged(classId: string): void;
}

export function createOutboxSender(parts: Parts): OutboxSender {
  const { outbox, requests, uploads, tabs, isVisible, classOnScreen, onAcknowledged } = parts;
  let turn: Turn | null = null;

  function stand(mine: Turn, steal: boolean): void {
    mine.releaseLeadership();
    const election = Symbol('election');
    mine.election = election;
    const won = () => {
      if (mine.election !== election) return;
      mine.elected = true;
      void outbox.reload().then(() => {
        spread(mine);
        send();
      });
    };
    const lost = () => {
      if (mine.election === election) mine.elected = false;
    };
    mine.releaseLeadership = tabs.elect(`outbox ${mine.account}`, { won, lost }, steal);
  }

  function waitingEntries(mine: Turn): OutboxEntry[] {
    return outbox
      .entries()
      .filter(({ id, failure }) => failure === null && !mine.acknowledged.has(id));
  }

  /** Runs when a connection opens and when this tab becomes the leader. */
  function spread(mine: Turn): void {
    if (turn !== mine) return;
    mine.isSpread = true;
    const { delayed } = mine;
    const classIds = new Set(waitingEntries(mine).map(({ classId }) => classId));
    for (const classId of delayed.keys()) classIds.delete(classId);
    if (!classIds.has(mine.firstClassId ?? '')) {
      if (delayed.size > 0) mine.firstClassId = null;
      else mine.firstClassId = firstOf(classIds);
    }
    for (const classId of classIds) {
      if (classId !== mine.firstClassId) delay(mine, classId);
    }
  }

  function firstOf(classIds: ReadonlySet<string>): string | null {
    const onScreen = classOnScreen();
    if (onScreen !== undefined && classIds.has(onScreen)) return onScreen;
    return [...classIds][0] ?? null;
  }

  function delay(mine: Turn, classId: string): void {
    const now = Date.now();
    const pauseMs = spreadMs.min + Math.random() * (spreadMs.max - spreadMs.min);
    mine.lastReleaseAt = Math.max(now, mine.lastReleaseAt) + pauseMs;
    const release = () => {
      mine.delayed.delete(classId);
      if (turn === mine) send();
    };
    mine.delayed.set(classId, setTimeout(release, mine.lastReleaseAt - now));
  }

  function send(): void {
    const mine = turn;
    if (!mine?.isSpread) return;
    const waiting = waitingEntries(mine);
    for (const entry of waiting) {
      const allowed = mine.elected || outbox.isOnlyHere(entry.id);
      const { classId } = entry;
      if (allowed && !mine.busy.has(classId) && !mine.delayed.has(classId)) void post(mine, entry);
    }
    if (waiting.length > 0 && !mine.elected) watchOther(mine);
  }

  /** The leader may be suspended: phones stop the scripts of background tabs. */
  function watchOther(mine: Turn): void {
    mine.takeOver ??= setTimeout(() => {
      mine.takeOver = null;
      if (turn !== mine || mine.elected) return;
      if (isVisible() && outbox.entries().some(({ failure }) => failure === null)) {
        stand(mine, true);
      }
      send();
    }, takeOverMs);
  }

  async function upload(id: string, classId: string, { imageId, bytes }: OutboxPicture) {
    if (imageId !== null) return { kind: 'uploaded', imageId } as const;
    const answer = await uploads.start({ id, classId, bytes });
    if (answer.kind !== 'lost') return answer;
    const refusal = new AppError('UNAVAILABLE');
    return { kind: 'refused', refusal, retryInMs: uploadRetryDelayMs } as const;
  }

  /** Uploads the picture first. Later messages of the class wait for it. */
  async function ask(
    mine: Turn,
    { id, classId, text, replyTo, picture }: OutboxEntry,
  ): Promise<Answer | { kind: 'cancelled' }> {
    const frame = { type: 'post', classId, id, text, ...(replyTo && { replyTo }) } as const;
    if (!picture) return requests.ask(frame);
    const uploaded = await upload(id, classId, picture);
    if (uploaded.kind !== 'uploaded') return uploaded;
    if (turn !== mine) return { kind: 'lost' };
    const { alt } = picture;
    const answer = await requests.ask({
      ...frame,
      imageId: uploaded.imageId,
      ...(alt && { alt }),
    });
    if (answer.kind !== 'refused' || answer.refusal.code !== 'IMAGE_GONE') return answer;
    const times = (mine.collected.get(id) ?? 0) + 1;
    mine.collected.set(id, times);
    await outbox.uploaded(id, null);
    return times < maxUploadAttempts ? { ...answer, retryInMs: 0 } : answer;
  }

  async function post(mine: Turn, entry: OutboxEntry): Promise<void> {
    const { id, classId } = entry;
    mine.busy.add(classId);
    const answer = await ask(mine, entry);
    if (turn !== mine) return;
    if (answer.kind === 'refused' && answer.retryInMs !== null) {
      // The class stays busy during the wait, so that later messages do not overtake this one.
      await new Promise((resolve) => setTimeout(resolve, answer.retryInMs ?? 0));
    } else if (answer.kind === 'refused') {
      outbox.fail(id, answer.refusal.message);
    } else if (answer.kind === 'done') {
      mine.acknowledged.set(id, answer.seq);
      onAcknowledged(classId);
    }
    mine.busy.delete(classId);
    // If a later turn is active by now, this call is harmless.
    if (answer.kind !== 'lost') send();
  }

  function stop(): void {
    if (!turn) return;
    turn.releaseLeadership();
    if (turn.takeOver) clearTimeout(turn.takeOver);
    for (const timer of turn.delayed.values()) clearTimeout(timer);
    turn = null;
  }

  return {
    start(account, epoch) {
      stop();
      const mine: Turn = {
        account,
        epoch,
        isSpread: false,
        firstClassId: null,
        delayed: new Map(),
        lastReleaseAt: 0,
        elected: false,
        election: Symbol('none'),
        releaseLeadership: () => {},
        busy: new Set(),
        collected: new Map(),
        acknowledged: new Map(),
        takeOver: null,
      };
      turn = mine;
      void outbox.open(account).then(() => {
        if (turn !== mine) return;
        spread(mine);
        stand(mine, false);
        send();
      });
    },
    stop,
    send,
    settle(classId, { epoch, seq, messages }) {
      const mine = outbox.entriesOf(classId);
      if (mine.length === 0) return;
      const known = new Set(messages.map(({ id }) => id));
      const place = (id: string) =>
        turn?.epoch === epoch ? (turn.acknowledged.get(id) ?? Infinity) : Infinity;
      outbox.remove(mine.map(({ id }) => id).filter((id) => known.has(id) || place(id) <= seq));
    },
    isAcknowledged: (id) => turn?.acknowledged.has(id) ?? false,
  };
}
