// One class in this browser: the log replica and the room that React renders.
import type { Emoji } from '#contract/emojis.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import {
  applyEvents,
  markOlderRequested,
  type EventsFrame,
  fromSnapshot,
  clearOlderRequest,
  type LogReplica,
  markRead,
  type OlderPage,
  prependOlder,
  type SnapshotFrame,
} from './log-replica.ts';
import { newMessageId } from './message-id.ts';
import type { OutboxSender } from './outbox-sender.ts';
import type { Outbox } from './outbox.ts';
import type { PictureCalls } from './picture-calls.ts';
import type { PictureUploads } from './picture-uploads.ts';
import { createPendingReactions } from './pending-reactions.ts';
import type { ReadMarks } from './read-marks.ts';
import type { Answer, Request, Requests } from './requests.ts';
import { createReadSignal, createTypingIndicator, createTypingSignal } from './room-signals.ts';
import { toRoomView } from './room-view.ts';
import type { Room, RoomView } from './room.ts';
import { createStaging } from './staging.ts';
import { createCell } from './store.ts';

export interface ClassRoom {
  readonly room: Room;
  held(): LogReplica | null;
  isGone(): boolean;
  receive(frame: RoomFrame): void;
  /** The replica has caught up with the server. */
  level(): void;
  /** The membership ended: clears everything of the class. */
  close(): void;
  /** The membership resumed. @returns whether the room was closed */
  reopen(): boolean;
  /** Call after a change of the outbox or of upload progress. */
  show(): void;
  /** Call when the tab becomes visible again. */
  look(): void;
  /** Another tab marked the class as read. */
  readElsewhere(): void;
  stop(): void;
}

type RoomFrame = SnapshotFrame | EventsFrame | Extract<ServerFrame, { type: 'typing' }>;

export interface RoomParts {
  outbox: Outbox;
  sender: OutboxSender;
  uploads: PictureUploads;
  pictures: PictureCalls;
  requests: Pick<Requests, 'ask'>;
  send(frame: ClientFrame): boolean;
  readOlder(classId: string, before: number, limit: number): Promise<OlderPage>;
  now(): number;
  isVisible(): boolean;
  readMarks: ReadMarks;
  /** The log has a gap and must be requested again. */
  onHole(classId: string): void;
  /** Class data outside the log may be stale. */
  onClassChanged(): void;
}

export function createClassRoom(classId: string, parts: RoomParts): ClassRoom {
  const { outbox, sender, uploads, pictures, requests, send } = parts;
  const { readOlder, now, isVisible, readMarks, onHole, onClassChanged } = parts;
  let held: LogReplica | null = null;
  let gone = false;
  let older: 'idle' | 'loading' | 'failed' = 'idle';
  /** Identifies the current page request, so that a page requested before a close is ignored. */
  let awaited: symbol | null = null;
  let unseen = false;
  const light = createTypingIndicator(() => show());
  const readSignal = createReadSignal(classId, send);
  const typing = createTypingSignal(classId, send, now);
  const reactions = createPendingReactions();
  const staging = createStaging(classId, { calls: pictures, uploads });
  const view = createCell(toView(null));

  function toView(before: RoomView | null) {
    const unsent = outbox.entriesOf(classId);
    const { isAcknowledged } = sender;
    const { progressOf } = uploads;
    const { isPictureOnlyHere } = outbox;
    const content = { held, unsent, reactions, isAcknowledged, progressOf, isPictureOnlyHere };
    return toRoomView(content, { gone, older, typing: light.isOn() }, before);
  }

  function show(): void {
    if (held) {
      // A message that is in the log is not pending, even if another tab sent it.
      sender.settle(classId, held);
      reactions.settle(held.seq);
    }
    staging.show();
    view.set(toView(view.getSnapshot()));
  }

  function hold(next: LogReplica): void {
    if (next === held) return;
    if (next.epoch !== held?.epoch) reactions.clear();
    held = next;
    gone = false;
    show();
  }

  function receive(frame: RoomFrame): void {
    if (frame.type === 'typing') return light.see();
    if (frame.type === 'snapshot') {
      const next = asRead(fromSnapshot(frame));
      // The changes between the two snapshots are unknown.
      if (held) onClassChanged();
      // A read mark of this tab may not have reached the server yet.
      return hold(held?.epoch === next.epoch ? markRead(next, held.readSeq) : next);
    }
    if (!held) return;
    const { seq } = held;
    const next = applyEvents(held, frame);
    if (next === 'hole') return onHole(classId);
    if (saysSomething(frame, held)) light.off();
    hold(next);
    if (frame.items.some((item) => item.kind === 'class' && item.seq > seq)) onClassChanged();
  }

  /** Applies the read mark of this browser. Messages from before the first visit count as read. */
  function asRead(log: LogReplica): LogReplica {
    const { epoch, seq, readSeq } = log;
    const marked = readMarks.of(classId, epoch);
    if (marked !== null || readSeq > 0) return markRead(log, marked ?? 0);
    readMarks.keep(classId, epoch, seq);
    return markRead(log, seq);
  }

  async function loadOlder(): Promise<void> {
    if (!held?.hasOlder || older === 'loading') return;
    const mine = Symbol('page');
    awaited = mine;
    older = 'loading';
    held = markOlderRequested(held);
    show();
    const page = await readOlder(classId, held.from, limits.snapshotMessages).catch(() => null);
    if (awaited !== mine) return;
    older = page ? 'idle' : 'failed';
    held &&= page ? prependOlder(held, page) : clearOlderRequest(held);
    show();
  }

  function read(): void {
    const newest = held?.messages.at(-1)?.seq;
    if (!held || newest === undefined || newest <= held.readSeq) return;
    unseen = !isVisible();
    if (unseen) return;
    readSignal.seen(newest);
    readMarks.keep(classId, held.epoch, newest);
    hold(markRead(held, newest));
  }

  async function change(request: Request): Promise<Done> {
    return doneOrThrow(await requests.ask(request));
  }

  function post(text: string, replyTo?: string): void {
    const { id, picture } = staging.take() ?? { id: newMessageId(), picture: null };
    outbox.add({ id, classId, text: text.trim(), picture, replyTo: replyTo ?? null });
    sender.send();
  }

  function discard(id: string): void {
    const imageId = outbox.find(id)?.picture?.imageId;
    outbox.remove([id]);
    // Otherwise the server deletes it after an hour.
    if (imageId) void pictures.remove(classId, imageId).catch(() => undefined);
  }

  async function react(messageId: string, emoji: Emoji | null): Promise<void> {
    const mine = reactions.add(messageId, emoji);
    show();
    const answer = await requests.ask({ type: 'react', classId, messageId, emoji });
    if (answer.kind === 'done') mine.done(answer.seq);
    else mine.undo();
    show();
    doneOrThrow(answer);
  }

  return {
    room: {
      subscribe: view.subscribe,
      getSnapshot: view.getSnapshot,
      staging,
      post,
      retry(id) {
        outbox.retry(id);
        sender.send();
      },
      discard,
      async edit(messageId, text) {
        await change({ type: 'edit', classId, messageId, text: text.trim() });
      },
      async remove(messageId) {
        const { imageLeft = false } = await change({ type: 'delete', classId, messageId });
        return { imageLeft };
      },
      react,
      read,
      typing,
      loadOlder,
    },
    held: () => held,
    isGone: () => gone,
    receive,
    level: readSignal.repeat,
    close() {
      held = null;
      gone = true;
      older = 'idle';
      awaited = null;
      readMarks.forget(classId);
      reactions.clear();
      light.off();
      readSignal.stop();
      staging.forget();
      outbox.remove(outbox.entriesOf(classId).map(({ id }) => id));
      show();
    },
    reopen() {
      const wasGone = gone;
      gone = false;
      if (wasGone) show();
      return wasGone;
    },
    show,
    look() {
      if (unseen) read();
    },
    readElsewhere() {
      if (held) hold(asRead(held));
    },
    stop() {
      light.off();
      readSignal.stop();
    },
  };
}

/** Whether a new message of another member arrived. That member was most likely the one who typed. */
function saysSomething({ items }: EventsFrame, { me, seq }: LogReplica): boolean {
  return items.some((it) => it.kind === 'posted' && it.seq > seq && it.message.memberId !== me);
}

type Done = Answer & { kind: 'done' };

function doneOrThrow(answer: Answer): Done {
  if (answer.kind === 'refused') throw answer.refusal;
  if (answer.kind === 'lost') throw new AppError('UNAVAILABLE', unreachable);
  return answer;
}

const unreachable = 'The server cannot be reached. Please check your connection and try again.';
