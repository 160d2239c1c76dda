// Sends the outbox in order, with one entry per class in flight. A message joins this line when its files are uploaded.
// Only one tab sends at a time. An entry leaves the outbox when the log replica has what it did, and a vote when the server
// has it. Deletions, votes and marks of a connected member are sent immediately, by the member's own tab.
import { createRejectedError, type RejectedError } from '#web/rejected-error.ts';
import type { Tabs } from '#web/sync/engine/browser-tabs.ts';
import type { LogReplica } from '#web/sync/engine/log-replica.ts';
import type { Message } from '#contract/entities.ts';
import { getText } from '#web/get-text.ts';
import type {
  OutboxEntry,
  OutboxPicture,
  PollVote,
  QuestionMark,
  QuestionVote,
} from './outbox-storage.ts';
import { isMessageEntry, isPictureLost, isWaitingForUpload, type Outbox } from './outbox.ts';
import type { RequestResult, Requests } from '#web/sync/engine/requests.ts';

export type UploadResult =
  | { kind: 'uploaded'; imageId: string }
  /** `retryDelayMs`: until a retry may succeed, or null if none ever will. */
  | { kind: 'rejected'; error: RejectedError; retryDelayMs: number | null }
  /** No response arrived. */
  | { kind: 'noResponse' }
  /** The upload was canceled, or another tab finished it. */
  | { kind: 'canceled' };

/** An upload. Its id is the id of the picture. */
export interface UploadJob {
  id: string;
  classId: string;
  bytes: Blob | null;
  /** True for a picture of a message that the member writes as staff. */
  asStaff: boolean;
}

/** The state of one connection. */
interface SendSession {
  account: string;
  epoch: string;
  /** False until the waiting messages have their delays. Nothing is sent before that. */
  isScheduled: boolean;
  /** The class whose waiting messages are sent first. */
  firstClassId: string | null;
  /** Classes whose waiting messages are delayed, with their timers. */
  delayed: Map<string, ReturnType<typeof setTimeout>>;
  /** When the last delay ends. */
  lastReleaseAt: number;
  /** This tab is the leader. */
  isLeader: boolean;
  /** Identifies the current election of this session. */
  election: symbol;
  releaseLeadership: () => void;
  /** Classes with an entry in flight or waiting for a retry. */
  busyClassIds: Set<string>;
  /** Deletions, votes and marks that wait for nothing, until they are in flight. */
  urgentIds: Set<string>;
  /** Urgent entries, and messages whose files are being uploaded, in flight or waiting for a retry. */
  busyIds: Set<string>;
  deletionsInFlight: Set<Promise<RequestResult>>;
  /** Entry id → how often it failed in a way that more attempts may not end. */
  failureCounts: Map<string, number>;
  /** Entry id → the seq of each entry saved during this session, and the text that the server saved. */
  acknowledged: Map<string, { seq: number; text: string }>;
  /** Class id, or the id of a busy entry → when it is sent again. */
  retryTimes: Map<string, number>;
  /** Class id → as whom and when its last message was sent. */
  lastSent: Map<string, { staffId: string | undefined; sentAt: number }>;
  /** Class id → ends the wait of its message for slow mode. */
  pauses: Map<string, () => void>;
  takeoverTimer: ReturnType<typeof setTimeout> | null;
}

/** If the leader sends nothing for this long, a visible tab takes over. */
const takeoverAfterMs = 5000;
/** The delay after an upload without a response. */
const uploadRetryDelayMs = 3000;
/** If the server loses a picture of a message this often, or has a defect with an entry, the entry fails. */
const maxAttempts = 3; // ERROR-3

/**
 * If messages of several classes left together, members of these classes could link their personas. So each
 * further class waits for a random time longer.
 */
const classDelayMs = { min: 2000, max: 8000 }; // LOG-29

function drawClassPauseMs(): number {
  return classDelayMs.min + Math.random() * (classDelayMs.max - classDelayMs.min);
}

interface Dependencies {
  outbox: Outbox;
  requests: Pick<Requests, 'send'>;
  uploads: { start(job: UploadJob): Promise<UploadResult> };
  tabs: Pick<Tabs, 'acquireLeadership'>;
  isVisible(): boolean;
  /** The messages of this class are sent first. */
  classOnScreen(): string | undefined;
  /** An entry was acknowledged, or has to wait. */
  onChange(classId: string): void;
  /** A message is deleted, but the server could not delete its files yet. */
  onImageLeft(classId: string): void;
  /** The server has the vote. */
  onVoted(classId: string, vote: QuestionVote | PollVote): void;
}

export class OutboxSender {
  readonly #dependencies: Dependencies;
  #current: SendSession | null = null;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** A connection opened under this account. */
  start(account: string, epoch: string): void {
    this.stop();
    const session = createSession(account, epoch);
    this.#current = session;
    void this.#dependencies.outbox.open(account).then(() => {
      if (this.#current !== session) return;
      this.#scheduleClasses(session);
      this.#acquireLeadership(session, false);
      this.send();
    });
  }

  /** Sends these entries if there is a connection, whatever else waits. Without one, they wait in the outbox. */
  sendNow(ids: readonly string[]): void {
    for (const id of ids) this.#current?.urgentIds.add(id);
    this.send();
  }

  /** Resolves when the server has answered the deletions in flight. */
  async settleDeletions(): Promise<void> {
    await Promise.all([...(this.#current?.deletionsInFlight ?? [])]);
  }

  /** The settings of the class changed: a message that waits for slow mode is sent now. */
  endPause(classId: string): void {
    this.#current?.pauses.get(classId)?.();
  }

  /** Removes the entries whose messages are in this replica. */
  removeDelivered(classId: string, { epoch, seq, messages }: LogReplica): void {
    const { outbox } = this.#dependencies;
    const entries = outbox.listClassEntries(classId);
    if (entries.length === 0) return;
    const messagesById = new Map(messages.map((message) => [message.id, message]));
    const session = this.#current?.epoch === epoch ? this.#current : null;
    const isDelivered = (entry: OutboxEntry) => {
      const message = messagesById.get(entry.id);
      if (message && !isEditMissing(entry, message)) return true;
      return (findSavedSeq(session, entry) ?? Infinity) <= seq;
    };
    outbox.remove(entries.filter(isDelivered).map(({ id }) => id));
  }

  /** The server saved the message, but its log entry has not arrived. */
  isAcknowledged(id: string): boolean {
    const entry = this.#dependencies.outbox.find(id);
    return entry !== undefined && findSavedSeq(this.#current, entry) !== null;
  }

  /** When the message, or the one that it waits for, is sent again after a rejection. Null: it waits for neither. */
  retryAt(id: string): number | null {
    const entry = this.#dependencies.outbox.find(id);
    if (!this.#current || !entry) return null;
    return this.#current.retryTimes.get(toRetryKey(entry)) ?? null;
  }

  #acquireLeadership(session: SendSession, steal: boolean): void {
    session.releaseLeadership();
    const election = Symbol('election');
    session.election = election;
    const onAcquired = () => {
      if (session.election !== election) return;
      session.isLeader = true;
      void this.#dependencies.outbox.reload().then(() => {
        this.#scheduleClasses(session);
        this.send();
      });
    };
    const onLost = () => {
      if (session.election === election) session.isLeader = false;
    };
    session.releaseLeadership = this.#dependencies.tabs.acquireLeadership(
      `outbox ${session.account}`,
      { onAcquired, onLost },
      steal,
    );
  }

  #listWaitingEntries(session: SendSession): OutboxEntry[] {
    return this.#dependencies.outbox
      .entries()
      .filter((entry) => entry.failure === null && findSavedSeq(session, entry) === null);
  }

  /** Runs when a connection opens and when this tab becomes the leader. */
  #scheduleClasses(session: SendSession): void {
    if (this.#current !== session) return;
    session.isScheduled = true;
    const { delayed } = session;
    const waitingEntries = this.#listWaitingEntries(session);
    const classIds = new Set(waitingEntries.map(({ classId }) => classId));
    for (const classId of delayed.keys()) classIds.delete(classId);
    if (!classIds.has(session.firstClassId ?? '')) {
      if (delayed.size > 0) session.firstClassId = null;
      else session.firstClassId = this.#findFirstClass(waitingEntries);
    }
    for (const classId of classIds) {
      if (classId !== session.firstClassId) this.#delay(session, classId);
    }
  }

  /** The class on screen comes first, unless only other classes have deletions. */
  #findFirstClass(waitingEntries: readonly OutboxEntry[]): string | null {
    const deletions = waitingEntries.filter(({ deletes }) => deletes !== undefined);
    const candidates = deletions.length > 0 ? deletions : waitingEntries;
    const onScreen = this.#dependencies.classOnScreen();
    const isOnScreen = candidates.some(({ classId }) => classId === onScreen);
    return (isOnScreen ? onScreen : candidates[0]?.classId) ?? null;
  }

  #delay(session: SendSession, classId: string): void {
    const now = Date.now();
    session.lastReleaseAt = Math.max(now, session.lastReleaseAt) + drawClassPauseMs();
    session.retryTimes.set(classId, session.lastReleaseAt);
    const release = () => {
      session.delayed.delete(classId);
      session.retryTimes.delete(classId);
      if (this.#current === session) this.send();
      this.#dependencies.onChange(classId);
    };
    session.delayed.set(classId, setTimeout(release, session.lastReleaseAt - now));
  }

  /** Call when a message may have become sendable. */
  send(): void {
    const session = this.#current;
    if (!session?.isScheduled) return;
    const waitingEntries = this.#listWaitingEntries(session);
    const uploadingClassIds = new Set<string>();
    for (const entry of waitingEntries) {
      const { id, classId, pictures } = entry;
      const isBusy = session.busyIds.has(id);
      const isUploading = isWaitingForUpload(entry);
      // Messages with files keep their order.
      const isBehindUpload = pictures.length > 0 && uploadingClassIds.has(classId);
      if (pictures.length > 0 && (isUploading || isBusy)) uploadingClassIds.add(classId);
      if (isBusy) continue;
      const isAllowed = session.isLeader || this.#dependencies.outbox.isOnlyInThisTab(id);
      if (session.urgentIds.has(id)) void this.#sendUrgent(session, entry);
      else if (!isAllowed || isBehindUpload || session.delayed.has(classId)) continue;
      else if (isUploading) void this.#uploadPictures(session, entry);
      else if (!session.busyClassIds.has(classId)) void this.#sendEntry(session, entry);
    }
    if (waitingEntries.length > 0 && !session.isLeader) this.#watchLeader(session);
  }

  /** The leader may be suspended: phones stop the scripts of background tabs. */
  #watchLeader(session: SendSession): void {
    session.takeoverTimer ??= setTimeout(() => {
      session.takeoverTimer = null;
      if (this.#current !== session || session.isLeader) return;
      if (
        this.#dependencies.isVisible() &&
        this.#dependencies.outbox.entries().some(({ failure }) => failure === null)
      ) {
        this.#acquireLeadership(session, true);
      }
      this.send();
    }, takeoverAfterMs);
  }

  async #uploadPicture({ classId, staffId }: OutboxEntry, { id, imageId, bytes }: OutboxPicture) {
    if (imageId !== null) return { kind: 'uploaded', imageId } as const;
    const result = await this.#dependencies.uploads.start({
      id,
      classId,
      bytes,
      asStaff: staffId !== undefined,
    });
    if (result.kind !== 'noResponse') return result;
    const error = createRejectedError('UNAVAILABLE');
    return { kind: 'rejected', error, retryDelayMs: uploadRetryDelayMs } as const;
  }

  /** Uploads the pictures of a message, which is sent after that. Messages without pictures do not wait for it. */
  async #uploadPictures(session: SendSession, entry: OutboxEntry): Promise<void> {
    const { id, pictures } = entry;
    session.busyIds.add(id);
    const results = await Promise.all(
      pictures.map((picture) => this.#uploadPicture(entry, picture)),
    );
    const failures = results.flatMap((result) => (result.kind === 'uploaded' ? [] : [result]));
    // A picture that can never be sent decides: another attempt would not help.
    const failure =
      failures.find((result) => result.kind === 'rejected' && result.retryDelayMs === null) ??
      failures.at(-1);
    if (failure && this.#current === session) await this.#settle(session, entry, failure);
    if (this.#current !== session) return;
    session.busyIds.delete(id);
    this.send();
  }

  async #post(session: SendSession, entry: OutboxEntry): Promise<RequestResult> {
    const { requests } = this.#dependencies;
    const { id, classId, text, replyTo } = entry;
    const images = entry.pictures.flatMap(({ imageId, alt, spoiler }) =>
      imageId === null ? [] : [{ imageId, ...(alt && { alt }), ...(spoiler && { spoiler }) }],
    );
    const result = await requests.send({
      type: 'post',
      classId,
      id,
      text,
      ...(images.length > 0 && { images }),
      ...(replyTo && { replyTo }),
      ...(entry.topicId && { topicId: entry.topicId }),
      ...(entry.question && { question: entry.question }),
      ...(entry.poll && { poll: entry.poll }),
      ...(entry.staffId && { staff: true as const }),
      ...(entry.icon !== undefined && { icon: entry.icon }),
    });
    if (result.kind !== 'rejected') return result;
    // The server has the message with the text from before the edit.
    if (entry.edited && result.error.code === 'ID_CONFLICT') {
      return requests.send({ type: 'edit', classId, messageId: id, text });
    }
    if (result.error.code !== 'IMAGE_GONE') return result;
    await this.#dependencies.outbox.forgetUploads(id);
    return hasAttemptsLeft(session, id) ? { ...result, retryDelayMs: 0 } : result;
  }

  /** If messages of both personas waited together, their times must not reveal that one person wrote them. */
  async #separateSpeakers(session: SendSession, entry: OutboxEntry): Promise<void> {
    const { classId, staffId, createdAt } = entry;
    const previousSend = session.lastSent.get(classId);
    if (previousSend && previousSend.staffId !== staffId && createdAt <= previousSend.sentAt) {
      await new Promise((resolve) => setTimeout(resolve, drawClassPauseMs()));
    }
    session.lastSent.set(classId, { staffId, sentAt: Date.now() });
  }

  async #sendEntry(session: SendSession, entry: OutboxEntry): Promise<void> {
    const { classId } = entry;
    session.busyClassIds.add(classId);
    await this.#separateSpeakers(session, entry);
    if (this.#current !== session) return;
    const result = await this.#deliver(session, entry);
    if (this.#current !== session) return;
    session.busyClassIds.delete(classId);
    // If a newer session has started, this call is harmless.
    if (result.kind !== 'noResponse') this.send();
  }

  /** Does not wait for other entries of the class, and does not keep them waiting. */
  async #sendUrgent(session: SendSession, entry: OutboxEntry): Promise<void> {
    const { id } = entry;
    session.urgentIds.delete(id);
    session.busyIds.add(id);
    const result = await this.#deliver(session, entry);
    if (this.#current !== session) return;
    session.busyIds.delete(id);
    if (result.kind !== 'noResponse') this.send();
  }

  async #requestDeletion(
    session: SendSession,
    classId: string,
    messageId: string,
  ): Promise<RequestResult> {
    const request = this.#dependencies.requests.send({ type: 'delete', classId, messageId });
    session.deletionsInFlight.add(request);
    const result = await request;
    session.deletionsInFlight.delete(request);
    if (result.kind === 'done' && result.imageLeft) this.#dependencies.onImageLeft(classId);
    return result;
  }

  async #deliver(session: SendSession, entry: OutboxEntry): Promise<RequestResult> {
    const result = await this.#request(session, entry);
    if (this.#current === session) await this.#settle(session, entry, result);
    return result;
  }

  #request(session: SendSession, entry: OutboxEntry): Promise<RequestResult> {
    const { classId, deletes, mark } = entry;
    if (deletes !== undefined) return this.#requestDeletion(session, classId, deletes);
    if (mark) return this.#dependencies.requests.send({ ...mark, classId });
    return this.#post(session, entry);
  }

  /** Records the result, and waits as long as the server asks to before a retry. */
  async #settle(
    session: SendSession,
    entry: OutboxEntry,
    result: RequestResult | { kind: 'canceled' },
  ): Promise<void> {
    const { id, classId, text } = entry;
    const isDefect = result.kind === 'rejected' && result.error.code === 'INTERNAL';
    const isFinal = isDefect && !hasAttemptsLeft(session, id);
    if (result.kind === 'rejected' && result.retryDelayMs !== null && !isFinal) {
      // The entry stays busy during the wait, so that later messages do not overtake it.
      const delayMs = result.retryDelayMs;
      const retryKey = toRetryKey(entry);
      session.retryTimes.set(retryKey, Date.now() + delayMs);
      this.#dependencies.onChange(classId);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        if (result.error.code !== 'SLOW_MODE') return;
        session.pauses.set(classId, () => {
          clearTimeout(timer);
          resolve();
        });
      });
      session.pauses.delete(classId);
      session.retryTimes.delete(retryKey);
      this.#dependencies.onChange(classId);
    } else if (result.kind === 'rejected') {
      const { code, message } = result.error;
      if (code === 'PICTURES_OFF') await this.#dependencies.outbox.rejectPictures(id, message);
      this.#dependencies.outbox.fail(
        id,
        describeLostPictures(this.#dependencies.outbox.find(id)) ?? message,
      );
    } else if (result.kind === 'done' && isVote(entry.mark)) {
      this.#dependencies.onVoted(classId, entry.mark);
      this.#dependencies.outbox.remove([id]);
    } else if (result.kind === 'done' && result.waits) {
      // The room reads the questions that wait from the server.
      this.#dependencies.outbox.remove([id]);
    } else if (result.kind === 'done') {
      session.acknowledged.set(id, { seq: result.seq, text });
      this.#dependencies.onChange(classId);
    }
  }

  /** The connection ended. Messages in flight have an unknown outcome and are sent again. */
  stop(): void {
    if (!this.#current) return;
    this.#current.releaseLeadership();
    if (this.#current.takeoverTimer) clearTimeout(this.#current.takeoverTimer);
    for (const timer of this.#current.delayed.values()) clearTimeout(timer);
    this.#current = null;
  }
}

function createSession(account: string, epoch: string): SendSession {
  return {
    account,
    epoch,
    isScheduled: false,
    firstClassId: null,
    delayed: new Map(),
    lastReleaseAt: 0,
    isLeader: false,
    election: Symbol('none'),
    releaseLeadership: () => {},
    busyClassIds: new Set(),
    urgentIds: new Set(),
    busyIds: new Set(),
    deletionsInFlight: new Set(),
    failureCounts: new Map(),
    acknowledged: new Map(),
    retryTimes: new Map(),
    lastSent: new Map(),
    pauses: new Map(),
    takeoverTimer: null,
  };
}

/** Counts a failure of the entry. If none of its attempts is left, a retry by the member has as many again. */
function hasAttemptsLeft({ failureCounts }: SendSession, id: string): boolean {
  const count = ((failureCounts.get(id) ?? 0) + 1) % maxAttempts;
  failureCounts.set(id, count);
  return count > 0;
}

/** Whether the log will not show what the server has of it. */
function isVote(mark: QuestionMark | undefined): mark is QuestionVote | PollVote {
  return mark?.type === 'vote' || mark?.type === 'choose';
}

/** The seq of the entry, if the server has saved it with this text. */
function findSavedSeq(session: SendSession | null, { id, text }: OutboxEntry): number | null {
  const savedEntry = session?.acknowledged.get(id);
  return savedEntry?.text === text ? savedEntry.seq : null;
}

/** Whether the log has the message with the text from before its author's edit in this browser. */
function isEditMissing({ edited, text }: OutboxEntry, message: Message): boolean {
  return edited === true && message.editedAt === null && message.text !== text;
}

/** An upload, a deletion, a vote and a mark wait alone, and all other entries of a class wait together. */
function toRetryKey(entry: OutboxEntry): string {
  return !isMessageEntry(entry) || isWaitingForUpload(entry) ? entry.id : entry.classId;
}

/** Why pictures of the message can never be sent, and what a retry does; null if all of them can. */
function describeLostPictures(entry: OutboxEntry | undefined): string | null {
  if (!entry) return null;
  const lostPictures = entry.pictures.filter(isPictureLost);
  const [first] = lostPictures;
  if (!first) return null;
  const isAll = lostPictures.length === entry.pictures.length;
  const isRest = entry.text !== '' || !isAll;
  const { refusal } = first;
  if (refusal !== null) return isRest ? getText('sync.lostFiles.refused', { refusal }) : refusal;
  if (!isAll) return getText('sync.lostFiles.some');
  const count = entry.pictures.length;
  return isRest
    ? getText('sync.lostFiles.butText', { count })
    : getText('sync.lostFiles.all', { count });
}
