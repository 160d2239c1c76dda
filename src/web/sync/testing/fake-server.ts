// For tests: a server that keeps a log as the contract requires. The test delivers every frame by hand.
import type { Emoji } from '#contract/emojis.ts';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { Message, Topic } from '#contract/entities.ts';
import { createRejectedError, type RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import { isMentionedIn } from '#contract/mentions.ts';
import { toQuoteText } from '#contract/spoilers.ts';
import type { ClientFrame, LogItem, ServerFrame } from '#contract/socket.ts';
import type { HistoryPage, HistoryQuery } from '#web/sync/engine/log-replica.ts';
import type { NewPoll } from '#web/sync/outbox/outbox-storage.ts';
import type { UnreadCounts } from '#web/sync/room/unread-counter.ts';
import type { OpenSocket } from '#web/sync/engine/live-socket.ts';

type Kind =
  | {
      kind: 'posted' | 'edited' | 'deleted' | 'moderated' | 'question' | 'poll' | 'moved';
      messageId: string;
    }
  | { kind: 'reacted'; messageId: string; memberId: string };
type Entry = Kind & { seq: number; id: string };

interface FakeClass {
  log: Entry[];
  /** Deleted messages stay, so that a repeated id gets the same response. */
  messages: (Message & { deleted: boolean })[];
}

/** One connection with the frames in flight in both directions, oldest first. */
export interface Wire {
  readonly account: string;
  readonly clientFrames: ClientFrame[];
  readonly serverFrames: ServerFrame[];
  readonly follows: Set<string>;
  /** Light subscriptions. */
  readonly counts: Set<string>;
  /** Classes whose position another connection has changed since this one last sent its own. */
  readonly readElsewhere: Set<string>;
  isOpen: boolean;
  /** The server has sent its welcome frame. */
  greeted: boolean;
  /** @param greets false: the connection opens, but the server never sends a frame */
  open(greets?: boolean): void;
  /** The server reads the next frame. */
  deliverUp(): void;
  /** The browser reads the next frame. */
  deliverDown(): void;
  /** The browser reads this frame now, ahead of the frames in flight. */
  inject(frame: ServerFrame): void;
  /** Closes the connection and loses all frames in flight. */
  drop(code?: number): void;
}

interface Upload {
  account: string;
  classId: string;
  bytes: Blob;
  onProgress(share: number): void;
  signal: AbortSignal;
  /** Whether the tab can receive the response. */
  isReachable(): boolean;
}

/** An upload on the server, used by a message or not. */
interface FakeImage {
  account: string;
  classId: string;
  bytes: Blob;
  sent: boolean;
}

type Rejecting = Omit<ServerFrame & { type: 'nack' }, 'type' | 'rid'>;

export class FakeServer {
  /** The topics of every class. */
  topics: Topic[] | undefined;
  epoch = 'epoch 1';
  wires: Wire[] = [];
  /** Rejections for the next posts, which are then not saved. */
  readonly refusals: Rejecting[] = [];
  /** Rejections for the next votes. */
  readonly voteRefusals: Rejecting[] = [];
  /** Question id → the accounts that voted for it. */
  readonly votes = new Map<string, Set<string>>();
  /** Poll id and account → what the account chose. */
  readonly choices = new Map<string, number[]>();
  /** Errors for the next uploads. Null: the upload is saved but gets no response. */
  readonly uploadErrors: (RejectedError | null)[] = [];
  readonly images = new Map<string, FakeImage>();
  /** The size that every browser measures. */
  size = { width: 4, height: 3 };
  /** The duration of an upload. */
  uploadMs = 0;
  /** The next reads of history fail. */
  failedReads = 0;
  /** A browser that missed more changes gets a snapshot. */
  maxReplayEntries = Infinity;
  /** How far its clock is ahead of those of the browsers. */
  aheadMs = 0;
  private uploads = 0;
  /** Classes without members. */
  readonly closed = new Set<string>();
  readonly ended = new Set<string>();
  readonly reads: { account: string; classId: string; seq: number }[] = [];
  private readonly readSeqs = new Map<string, number>();
  private readonly classes = new Map<string, FakeClass>();
  private readonly snapshotSize: number;

  constructor(snapshotSize = 50) {
    this.snapshotSize = snapshotSize;
  }

  listMessages(classId: string): Message[] {
    return this.getClass(classId).messages.flatMap(({ deleted, ...message }) =>
      deleted ? [] : [message],
    );
  }

  /** How often the id is in the log. */
  countPosted(id: string): number {
    return [...this.classes.values()]
      .flatMap(({ log }) => log)
      .filter((entry) => entry.kind === 'posted' && entry.messageId === id).length;
  }

  /** Restores a backup that predates all messages. */
  restoreBackup(): void {
    this.epoch = `${this.epoch}'`;
    this.classes.clear();
    this.readSeqs.clear();
  }

  /** The function with which a tab of this account connects. */
  opener(account: () => string): OpenSocket {
    return (handlers) => {
      let hasEnded = false;
      const wire: Wire = {
        account: account(),
        clientFrames: [],
        serverFrames: [],
        follows: new Set(),
        counts: new Set(),
        readElsewhere: new Set(),
        isOpen: false,
        greeted: false,
        open: (greets = true) => {
          if (wire.isOpen || hasEnded) return;
          wire.isOpen = true;
          handlers.open();
          if (!greets) return;
          wire.greeted = true;
          const { epoch } = this;
          wire.serverFrames.push({
            type: 'welcome',
            epoch,
            account: wire.account,
            maxFrameBytes: 32_768,
            serverTime: Date.now() + this.aheadMs,
          });
        },
        deliverUp: () => {
          const frame = wire.clientFrames.shift();
          if (frame) this.act(wire, frame);
        },
        deliverDown: () => {
          const frame = wire.serverFrames.shift();
          if (frame) wire.inject(frame);
        },
        inject: (frame) => handlers.text(JSON.stringify(frame)),
        drop: (code = 1006) => {
          if (hasEnded) return;
          hasEnded = true;
          this.wires = this.wires.filter((candidate) => candidate !== wire);
          handlers.close(code);
        },
      };
      this.wires.push(wire);
      return {
        send: (text) => wire.clientFrames.push(JSON.parse(text) as ClientFrame),
        close: () => wire.drop(1000),
      };
    };
  }

  async upload(upload: Upload): Promise<{ imageId: string }> {
    const { account, classId, bytes, onProgress, signal, isReachable } = upload;
    onProgress(0.5);
    await Promise.race([
      new Promise((resolve) => setTimeout(resolve, this.uploadMs)),
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('Aborted.'))),
      ),
    ]);
    if (!isReachable()) await new Promise(() => {});
    const refusal = this.uploadErrors.shift();
    if (refusal) throw refusal;
    const imageId = `image ${++this.uploads}`;
    this.images.set(imageId, { account, classId, bytes, sent: false });
    if (refusal === null) throw new Error('Nothing came back.');
    return { imageId };
  }

  removeImage(imageId: string): void {
    if (this.images.get(imageId)?.sent === false) this.images.delete(imageId);
  }

  /** Deletes uploads that no message used within an hour. */
  collect(): void {
    for (const imageId of this.images.keys()) this.removeImage(imageId);
  }

  /** The content of the message's picture file, or null without a picture. */
  async loadPicture({ imageUrl }: Message): Promise<string | null> {
    const imageId = imageUrl?.replace(/^.*\/|\.webp$/g, '');
    return imageId === undefined ? null : (this.images.get(imageId)?.bytes.text() ?? 'lost');
  }

  /** A page has as many messages as a snapshot. */
  readHistory(classId: string, query: HistoryQuery): HistoryPage {
    if (this.failedReads-- > 0) throw new Error('The connection was lost.');
    const { topicId } = query;
    const all = structuredClone(this.listMessages(classId)).filter(
      (message) => topicId === undefined || message.topicId === topicId,
    );
    const size = this.snapshotSize;
    const page = (from: number, to: number) => ({
      messages: all.slice(Math.max(0, from), to),
      personas: [],
      hasOlder: from > 0,
      hasNewer: to < all.length,
    });
    const findIndex = (isFirst: (message: Message) => boolean) => {
      const index = all.findIndex(isFirst);
      return index < 0 ? all.length : index;
    };
    if ('before' in query) {
      const end = findIndex(({ seq }) => seq >= query.before);
      return page(end - size, end);
    }
    if ('around' in query) {
      const center = all.findIndex(({ id }) => id === query.around);
      if (center < 0) throw createRejectedError('NOT_FOUND');
      return page(center - Math.ceil(size / 2), center + Math.ceil(size / 2));
    }
    const start =
      'after' in query
        ? findIndex(({ seq }) => seq > query.after)
        : findIndex(({ createdAt }) => createdAt >= query.since);
    return page(start, start + size);
  }

  /** A member posts a message from elsewhere. */
  say(classId: string, id: string, memberId = 'cem', text = 'news', topicId?: string): void {
    const topic = topicId === undefined ? {} : { topicId };
    this.save(classId, { id, memberId, text, replyTo: null, ...topic, ...toPictureFields([]) });
  }

  /** Moves the message to a topic. */
  move(classId: string, messageId: string, topicId: string): void {
    this.change(classId, messageId, { topicId });
    this.append(classId, { kind: 'moved', messageId });
  }

  /** A member asks a question from elsewhere. */
  ask(classId: string, id: string, memberId = 'cem', text = 'Why?'): void {
    const question = { votes: 0, answer: null, endorsed: null };
    this.save(classId, { id, memberId, text, replyTo: null, question, ...toPictureFields([]) });
  }

  edit(classId: string, messageId: string, text: string): void {
    if (this.change(classId, messageId, { text, editedAt: 1 })) {
      this.append(classId, { kind: 'edited', messageId });
    }
  }

  delete(classId: string, messageId: string): void {
    if (this.change(classId, messageId, { deleted: true })) {
      this.append(classId, { kind: 'deleted', messageId });
    }
  }

  /** What reports and moderators do. */
  moderate(classId: string, messageId: string, moderation: Message['moderation']): void {
    const message = this.listMessages(classId).find(({ id }) => id === messageId);
    if (!message || message.moderation === 'removed') return;
    const emptyContent = {
      text: '',
      ...toPictureFields([]),
      replyTo: null,
      quote: null,
      reactions: {},
    };
    const fields = moderation === 'removed' ? { moderation, ...emptyContent } : { moderation };
    if (this.change(classId, messageId, fields)) {
      this.append(classId, { kind: 'moderated', messageId });
    }
  }

  react(classId: string, messageId: string, memberId: string, emoji: Emoji | null): void {
    const { [memberId]: _, ...otherReactions } =
      this.getClass(classId).messages.find(({ id }) => id === messageId)?.reactions ?? {};
    const reactions = emoji ? { ...otherReactions, [memberId]: emoji } : otherReactions;
    if (this.change(classId, messageId, { reactions })) {
      this.append(classId, { kind: 'reacted', messageId, memberId });
    }
  }

  /** Marks a reply as the answer. */
  answer(classId: string, messageId: string, answerId: string | null, endorsed = false): void {
    const { messages } = this.getClass(classId);
    const question = messages.find(({ id }) => id === messageId)?.question;
    const reply = messages.find(({ id }) => id === answerId);
    if (!question) return;
    const answer = reply && {
      messageId: reply.id,
      quote: {
        memberId: reply.memberId,
        anonymousName: 'Anonymous',
        text: toQuoteText(reply.text),
        imageCount: 0,
      },
    };
    const mark = { [endorsed ? 'endorsed' : 'answer']: answer ?? null };
    this.change(classId, messageId, { question: { ...question, ...mark } });
    this.append(classId, { kind: 'question', messageId });
  }

  private markDone(classId: string, messageId: string, done: boolean): void {
    const question = this.getClass(classId).messages.find(({ id }) => id === messageId)?.question;
    if (!question) return;
    const { done: _, ...rest } = question;
    this.change(classId, messageId, { question: done ? { ...rest, done } : rest });
    this.append(classId, { kind: 'question', messageId });
  }

  /** Publishes the numbers of votes that have changed. The real server does this at a random moment. */
  publishVotes(classId: string): void {
    for (const { id, question } of this.getClass(classId).messages) {
      const votes = this.votes.get(id)?.size ?? 0;
      if (!question || question.votes === votes) continue;
      this.change(classId, id, { question: { ...question, votes } });
      this.append(classId, { kind: 'question', messageId: id });
    }
  }

  private vote(
    wire: Wire,
    { rid, classId, messageId, voted }: ClientFrame & { type: 'vote' },
  ): void {
    const refusal = this.voteRefusals.shift();
    if (refusal) return void wire.serverFrames.push({ type: 'nack', rid, ...refusal });
    const voters = this.votes.get(messageId) ?? new Set();
    this.votes.set(messageId, voters);
    if (voted) voters.add(wire.account);
    else voters.delete(wire.account);
    for (const other of this.wires) {
      if (other.account !== wire.account) continue;
      other.serverFrames.push({ type: 'voted', classId, messageId, voted });
    }
    wire.serverFrames.push({ type: 'ack', rid, seq: this.getClass(classId).log.length });
  }

  private choose(
    wire: Wire,
    { rid, classId, messageId, choices }: ClientFrame & { type: 'choose' },
  ): void {
    this.choices.set(`${messageId} ${wire.account}`, choices);
    for (const other of this.wires) {
      if (other.account !== wire.account) continue;
      other.serverFrames.push({ type: 'chosen', classId, messageId, choices });
    }
    wire.serverFrames.push({ type: 'ack', rid, seq: this.getClass(classId).log.length });
  }

  private getClass(classId: string): FakeClass {
    const fakeClass = this.classes.get(classId) ?? { log: [], messages: [] };
    this.classes.set(classId, fakeClass);
    return fakeClass;
  }

  private change(classId: string, id: string, fields: Partial<FakeClass['messages'][0]>): boolean {
    const message = this.getClass(classId).messages.find(
      (candidate) => candidate.id === id && !candidate.deleted,
    );
    if (message) Object.assign(message, fields);
    return message !== undefined;
  }

  private append(classId: string, kind: Kind): number {
    const { log } = this.getClass(classId);
    const seq = log.length + 1;
    log.push({ ...kind, seq, id: `${this.epoch}${seq}`.slice(-8).padStart(8, '-') });
    for (const wire of this.wires) {
      if (wire.follows.has(classId)) wire.serverFrames.push(this.events(classId, seq, seq));
      if (wire.counts.has(classId)) this.notifyActivity(wire, classId, seq);
    }
    return seq;
  }

  private notifyActivity(wire: Wire, classId: string, seq: number): void {
    const { log, messages } = this.getClass(classId);
    const { kind, messageId } = log[seq - 1] ?? {};
    const message = messages.find(({ id }) => id === messageId);
    const postCount = kind === 'posted' && message?.memberId !== wire.account ? 1 : 0;
    const mentions = postCount && message && isMentionedIn(message.text, wire.account) ? 1 : 0;
    // An edit may change whom a message mentions.
    const isRemoved = kind === 'moderated' && message?.moderation === 'removed';
    const isRecount = kind === 'deleted' || kind === 'edited' || isRemoved;
    if (postCount === 0 && !isRecount) return;
    const recount = isRecount ? ({ recount: true } as const) : {};
    wire.serverFrames.push({
      type: 'activity',
      classId,
      seq,
      posted: postCount,
      mentions,
      ...recount,
    });
  }

  /** The numbers of unread messages and of those that mention the account, up to the limit. */
  countUnread(account: string, classId: string): UnreadCounts {
    const readSeq = this.getReadSeq(account, classId);
    const isUnread = ({ seq, memberId }: Message) => seq > readSeq && memberId !== account;
    const unread = this.listMessages(classId).filter(isUnread);
    const mentioning = unread.filter(({ text }) => isMentionedIn(text, account));
    const max = limits.maxUnreadCount;
    return {
      unread: Math.min(max, unread.length),
      mentions: Math.min(max, mentioning.length),
    };
  }

  /** Events with the current rows. */
  private events(classId: string, from: number, to: number): ServerFrame {
    const { log, messages } = this.getClass(classId);
    const items = log.slice(from - 1, to).flatMap((entry): LogItem[] => {
      const row = messages.find(({ id }) => id === entry.messageId);
      if (entry.kind === 'deleted') return [{ ...entry, kind: entry.kind }];
      if (!row || row.deleted) return [];
      const { deleted: _, ...message } = structuredClone(row);
      const { seq, id, messageId } = entry;
      if (entry.kind === 'posted') {
        const { memberId } = message;
        const persona = { memberId, anonymousName: 'Anonymous', icon: memberId };
        return [{ kind: 'posted', seq, id, message, persona }];
      }
      if (entry.kind === 'reacted') {
        const emoji = message.reactions[entry.memberId] ?? null;
        return [{ kind: 'reacted', seq, id, messageId, memberId: entry.memberId, emoji }];
      }
      const { text, editedAt, moderation } = message;
      if (entry.kind === 'moderated') return [{ kind: entry.kind, seq, id, messageId, moderation }];
      if (entry.kind === 'question') {
        const { question } = message;
        return question ? [{ kind: entry.kind, seq, id, messageId, question }] : [];
      }
      if (entry.kind === 'moved') {
        const { topicId = null } = message;
        return [{ kind: entry.kind, seq, id, movedId: messageId, topicId }];
      }
      if (entry.kind === 'poll') {
        return message.poll ? [{ kind: entry.kind, seq, id, messageId, poll: message.poll }] : [];
      }
      return [{ kind: 'edited', seq, id, messageId, text, editedAt: editedAt ?? 0 }];
    });
    return { type: 'events', classId, from, to, lastId: log[to - 1]?.id ?? '', items };
  }

  private act(wire: Wire, frame: ClientFrame): void {
    const { classId } = frame;
    if ('rid' in frame && this.closed.has(classId)) {
      const message = 'Not found, or you don’t have access.';
      wire.serverFrames.push({ type: 'nack', rid: frame.rid, code: 'NOT_FOUND', message });
      return;
    }
    switch (frame.type) {
      case 'subscribe':
        return this.subscribe(wire, frame);
      case 'unsubscribe':
        wire.follows.delete(classId);
        wire.counts.delete(classId);
        return;
      case 'post':
        return this.post(wire, frame);
      case 'edit':
        this.edit(classId, frame.messageId, frame.text);
        break;
      case 'delete':
        this.delete(classId, frame.messageId);
        break;
      case 'react':
        this.react(classId, frame.messageId, wire.account, frame.emoji);
        break;
      case 'vote':
        return this.vote(wire, frame);
      case 'choose':
        return this.choose(wire, frame);
      case 'answer':
        this.answer(classId, frame.messageId, frame.answerId, frame.endorsed);
        break;
      case 'done':
        this.markDone(classId, frame.messageId, frame.done);
        break;
      case 'read':
        this.reads.push({ account: wire.account, classId, seq: frame.seq });
        return this.markRead(wire, frame);
      case 'typing':
        for (const other of this.wires) {
          if (other !== wire && other.follows.has(classId)) {
            other.serverFrames.push({ type: 'typing', classId });
          }
        }
        return;
      case 'viewing':
        return;
    }
    wire.serverFrames.push({ type: 'ack', rid: frame.rid, seq: this.getClass(classId).log.length });
  }

  /** How far the account has read. What was there before its first visit counts as read. */
  getReadSeq(account: string, classId: string): number {
    const key = `${account} ${classId}`;
    const seq = this.readSeqs.get(key) ?? this.getClass(classId).log.length;
    this.readSeqs.set(key, seq);
    return seq;
  }

  private markRead(wire: Wire, { classId, seq, back }: ClientFrame & { type: 'read' }): void {
    if (!wire.follows.has(classId)) return;
    const { account } = wire;
    const seqBefore = this.getReadSeq(account, classId);
    const seqAfter = back ? seq : Math.max(seqBefore, seq);
    this.readSeqs.set(`${account} ${classId}`, seqAfter);
    if (wire.readElsewhere.delete(classId)) {
      wire.serverFrames.push({ type: 'read', classId, seq: seqAfter });
    }
    if (seqAfter === seqBefore) return;
    for (const other of this.wires) {
      if (other === wire || other.account !== account) continue;
      if (!other.follows.has(classId) && !other.counts.has(classId)) continue;
      if (other.follows.has(classId)) other.readElsewhere.add(classId);
      other.serverFrames.push({ type: 'read', classId, seq: seqAfter });
    }
  }

  private post(wire: Wire, frame: ClientFrame & { type: 'post' }): void {
    const { rid, classId, id, text, images = [] } = frame;
    const previousMessage = this.getClass(classId).messages.find(
      (candidate) => candidate.id === id,
    );
    // After an edit or a deletion, every post with this id counts as a retry.
    const isComparable = previousMessage?.deleted === false && previousMessage.editedAt === null;
    if (isComparable && previousMessage.text !== text) {
      const message = 'Another message already has this id. Please send it again.';
      return void wire.serverFrames.push({ type: 'nack', rid, code: 'ID_CONFLICT', message });
    }
    const refusal = previousMessage ? undefined : this.refusals.shift();
    if (refusal) return void wire.serverFrames.push({ type: 'nack', rid, ...refusal });
    const uploads = previousMessage ? [] : images.map(({ imageId }) => this.images.get(imageId));
    const isSendable = (image?: FakeImage) =>
      image?.account === wire.account && image.classId === classId && !image.sent;
    if (!uploads.every(isSendable)) {
      const message = 'The picture is no longer on the server. Please add it again.';
      return void wire.serverFrames.push({ type: 'nack', rid, code: 'IMAGE_GONE', message });
    }
    for (const image of uploads) if (image) image.sent = true;
    const replyTo = frame.replyTo ?? null;
    const newMessage = {
      id,
      memberId: wire.account,
      text,
      replyTo,
      ...(frame.question && { question: { votes: 0, answer: null, endorsed: null } }),
      ...(frame.poll && { poll: toPoll(frame.poll) }),
      ...(frame.topicId && { topicId: frame.topicId }),
      ...toPictureFields(images),
    };
    wire.serverFrames.push({
      type: 'ack',
      rid,
      seq: previousMessage?.seq ?? this.save(classId, newMessage),
    });
  }

  private save(
    classId: string,
    message: Pick<
      Message,
      'id' | 'memberId' | 'text' | 'replyTo' | 'question' | 'poll' | 'topicId' | PictureFields
    >,
  ): number {
    const { log, messages } = this.getClass(classId);
    const fresh = {
      createdAt: log.length,
      editedAt: null,
      reactions: {},
      quote: null,
      moderation: null,
      deleted: false,
    };
    messages.push({ ...message, ...fresh, seq: log.length + 1 });
    return this.append(classId, { kind: 'posted', messageId: message.id });
  }

  private subscribe(wire: Wire, frame: ClientFrame & { type: 'subscribe' }): void {
    const { rid, classId, epoch, after, afterId, light } = frame;
    const { log } = this.getClass(classId);
    const seq = log.length;
    for (const classIds of [wire.follows, wire.counts, wire.readElsewhere]) {
      classIds.delete(classId);
    }
    if (light) {
      const readSeq = this.getReadSeq(wire.account, classId);
      const counts = this.countUnread(wire.account, classId);
      wire.serverFrames.push({ type: 'unread', rid, classId, seq, readSeq, ...counts });
      wire.counts.add(classId);
      return;
    }
    const resumes =
      epoch === this.epoch &&
      after !== undefined &&
      after <= seq &&
      seq - after <= this.maxReplayEntries &&
      log[after - 1]?.id === afterId;
    if (!resumes) {
      const all = this.listMessages(classId);
      const messages = structuredClone(all.slice(-this.snapshotSize));
      const hasOlder = all.length > messages.length;
      const memberId = wire.account;
      const readSeq = this.getReadSeq(memberId, classId);
      const me = {
        memberId,
        anonymousName: 'Anonymous',
        icon: memberId,
        readSeq,
        hasAppeared: true,
      };
      const lastId = log.at(-1)?.id ?? null;
      const head = { rid, classId, epoch: this.epoch, seq, lastId };
      const settings = this.topics && { ...defaultClassSettings, topics: this.topics };
      const room = { messages, personas: [], hasOlder, me, ...(settings && { settings }) };
      wire.serverFrames.push({ type: 'snapshot', ...head, ...room });
    } else if (seq > after) {
      wire.serverFrames.push(this.events(classId, after + 1, seq));
    }
    wire.serverFrames.push({
      type: 'live',
      rid,
      classId,
      seq,
      readSeq: this.getReadSeq(wire.account, classId),
    });
    wire.follows.add(classId);
  }
}

function toPoll({ minutes, ...options }: NewPoll): Message['poll'] {
  return { ...options, closesAt: Date.now() + minutes * 60_000, result: null };
}

type PictureFields = 'imageUrl' | 'storagePath' | 'images';

function toPictureFields(
  postedImages: readonly { imageId: string; alt?: string | undefined }[],
): Pick<Message, PictureFields> {
  const images = postedImages.map(({ imageId, alt = '' }) => ({
    imageUrl: `/images/${imageId}.webp`,
    thumbUrl: `/images/${imageId}.small.webp`,
    width: 4,
    height: 3,
    placeholder: '',
    animated: false,
    alt,
  }));
  const imageUrl = images[0]?.imageUrl ?? null;
  return { imageUrl, storagePath: imageUrl?.slice(1) ?? null, images };
}
