// Sends what is in the outbox: in order, one message per class on its way, from one tab at a time.
// An entry leaves the outbox only when its message is in the log that this browser holds.
import { AppError } from '#contract/errors.ts';
import type { Tabs } from './browser-tabs.ts';
import type { LogReplica } from './log-replica.ts';
import type { OutboxEntry, OutboxPicture } from './outbox-storage.ts';
import type { Outbox } from './outbox.ts';
import type { PictureUploads } from './picture-uploads.ts';
import type { Answer, Requests } from './requests.ts';

export interface OutboxSender {
  /** There is a connection, under this account. */
  start(account: string, epoch: string): void;
  /** There is none. What was on its way may or may not have arrived, and is sent again. */
  stop(): void;
  /** Something may have become sendable. */
  send(): void;
  /** Takes out what this log has taken over. */
  settle(classId: string, held: LogReplica): void;
  /** Saved, but its place in the log has not come in yet. */
  isAcknowledged(id: string): boolean;
}

/** From one connection to its end. */
interface Turn {
  account: string;
  epoch: string;
  /** What waited for the connection has been spread. Before that nothing is sent. */
  isSpread: boolean;
  /** The class whose waiting messages left first. */
  firstClassId: string | null;
  /** Classes whose waiting messages leave later, with the timers that release them. */
  delayed: Map<string, ReturnType<typeof setTimeout>>;
  /** When the last of them is released. */
  lastReleaseAt: number;
  /** This tab is the one that sends. */
  elected: boolean;
  /** Tells this election from an earlier one of the same turn. */
  election: symbol;
  releaseLeadership: () => void;
  /** Classes that have a message on its way, or one that waits to be tried again. */
  busy: Set<string>;
  /** How often the server had collected a picture before its message came. */
  collected: Map<string, number>;
  /** The seqs of what was saved during this turn. */
  acknowledged: Map<string, number>;
  takeOver: ReturnType<typeof setTimeout> | null;
}

/** A tab with a connection whose messages nobody sends for this long does it itself. */
const takeOverMs = 5000;
/** After an upload that nobody answered. */
const uploadRetryDelayMs = 3000;
/** A server that has lost a picture this often in one turn will lose it again. */
const maxUploadAttempts = 3;

/**
 * Messages of several classes that leave together show that one person wrote them, to everyone who is
 * in these classes. Each further class waits for a random time longer.
 */
const spreadMs = { min: 2000, max: 8000 }; // LOG-29

interface Parts {
  outbox: Outbox;
  requests: Pick<Requests, 'ask'>;
  uploads: Pick<PictureUploads, 'start'>;
  tabs: Pick<Tabs, 'elect'>;
  isVisible(): boolean;
  /** Its messages leave first. */
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

  /** When a connection begins, and when this tab becomes the one that sends. */
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

  /** The elected tab may be asleep: phones stop the scripts of tabs that nobody looks at. */
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

  /** The picture first, wherever its upload stands; what is behind waits for it. */
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
      // The class stays busy meanwhile, so that nothing behind it overtakes it.
      await new Promise((resolve) => setTimeout(resolve, answer.retryInMs ?? 0));
    } else if (answer.kind === 'refused') {
      outbox.fail(id, answer.refusal.message);
    } else if (answer.kind === 'done') {
      mine.acknowledged.set(id, answer.seq);
      onAcknowledged(classId);
    }
    mine.busy.delete(classId);
    // Of a later turn, if this one is over: then it does no harm.
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
