// One class in this browser: its log replica and the room that React renders.
import { attempt } from '#web/attempt.ts';
import type { Emoji } from '#contract/emojis.ts';
import type { Sanction, StaffSelf } from '#contract/entities.ts';
import { browserErrors } from '#contract/browser-errors.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import {
  addPersona,
  applyEvents,
  type EventsFrame,
  forgetDistant,
  fromSnapshot,
  type HistoryPage,
  type HistoryQuery,
  keepWindow,
  type LogReplica,
  maxHeld,
  type SnapshotFrame,
} from '#web/sync/engine/log-replica.ts';
import type { OutboxSender } from '#web/sync/outbox/outbox-sender.ts';
import { newMessageId, type Outbox } from '#web/sync/outbox/outbox.ts';
import type { PictureCalls } from '#web/sync/uploads/browser-pictures.ts';
import type { PictureUploads } from '#web/sync/uploads/picture-uploads.ts';
import { createPendingReactions } from './pending-reactions.ts';
import { createOwnPreferences } from './own-preferences.ts';
import { type Done, doneOrThrow, type Request, type Requests } from '#web/sync/engine/requests.ts';
import {
  createReadReceiptSender,
  createTypingIndicator,
  createTypingNotifier,
} from './ephemeral-events.ts';
import { createOwnSanction } from './own-sanction.ts';
import { createRoomPages } from './room-pages.ts';
import { toRoomView } from './room-view.ts';
import {
  isOwn,
  type RestorableRoom,
  type MessageChange,
  type Room,
  type RoomMessage,
  type RoomView,
} from './room.ts';
import { createSpeakerChoice } from './speaker.ts';
import type { StagedFiles } from '#web/sync/uploads/staged-files.ts';
import { createStaging } from '#web/sync/uploads/staging.ts';
import { createListeners, createStore } from '#web/store.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';
import { createUnreadCounter } from './unread-counter.ts';
import { createUnsentQuotes } from '#web/sync/outbox/unsent-quotes.ts';

export interface ClassRoom extends RestorableRoom {
  readonly room: Room;
  replica(): LogReplica | null;
  receive(frame: RoomFrame): void;
  /** A request for the class's log is being sent. */
  onSubscribe(): void;
  onDisconnect(): void;
  /** A moderator decided about the member. Null: a sanction was lifted. */
  setSanction(sanction: Sanction | null): void;
  /** The viewer's staff persona changed. */
  setStaff(staff: StaffSelf | null): void;
  /** The membership ended: clears everything of the class. Unsent messages stay if the member has not left it. */
  close(hasLeft: boolean): void;
  /** The membership resumed. @returns whether the room was closed */
  reopen(): boolean;
  /** Call when the outbox or the progress of an upload changed. */
  refreshView(): void;
  /** A message is deleted, but the server could not delete its files yet. */
  onImageLeft(): void;
  /** Call when the tab becomes visible again. */
  onVisible(): void;
  stop(): void;
}

type RoomFrame =
  | SnapshotFrame
  | EventsFrame
  | Extract<
      ServerFrame,
      { type: 'typing' | 'live' | 'read' | 'unread' | 'activity' | 'preferences' }
    >;

export interface RoomDependencies {
  outbox: Outbox;
  sender: OutboxSender;
  uploads: PictureUploads;
  pictures: PictureCalls;
  stagedFiles: StagedFiles;
  tabStorage: TabStorage;
  requests: Pick<Requests, 'send'>;
  send(frame: ClientFrame): boolean;
  readHistory(classId: string, query: HistoryQuery): Promise<HistoryPage>;
  now(): number;
  isVisible(): boolean;
  onShown(isShown: boolean): void;
  /** The replica has a gap, or the unread count is unknown: the server must be asked. */
  onStale(): void;
  /** Class data outside the log may be stale. */
  onClassChanged(): void;
  onViewChange(): void;
}

export function createClassRoom(classId: string, dependencies: RoomDependencies): ClassRoom {
  const { outbox, sender, uploads, pictures, requests, send } = dependencies;
  const { now, isVisible, onStale, onClassChanged } = dependencies;
  let replica: LogReplica | null = null;
  let gone = false;
  /** When this device kept the replica. Null: it is of this page load. */
  let keptAt: number | null = null;
  let isBehind = true;
  let readWhenVisible = false;
  /** The member marked messages as unread. They stay unread until the class is opened again. */
  let isKeptUnread = false;
  let staff: StaffSelf | null = null;
  const speaker = createSpeakerChoice(classId, dependencies.tabStorage);
  /** The hidden messages whose content the member asked for. */
  const revealed = new Set<string>();
  const changeListeners = createListeners<[change: MessageChange]>();
  const imageLeftListeners = createListeners();
  const typingIndicator = createTypingIndicator(() => refreshView());
  const sanction = createOwnSanction(now, (isRemoved, wasRemoved) => {
    if (isRemoved || wasRemoved) setGone(isRemoved);
    refreshView();
  });
  const readReceipts = createReadReceiptSender(classId, send);
  const notifyTyping = createTypingNotifier(classId, send, now);
  const unreadCounter = createUnreadCounter(onStale);
  const reactions = createPendingReactions();
  const preferences = createOwnPreferences((isCountStale) => {
    if (isCountStale && unreadCounter.counts()) onStale();
    refreshView();
  });
  const quotes = createUnsentQuotes(() => replica);
  const pages = createRoomPages({
    replica: () => replica,
    setReplica,
    refreshView,
    readHistory: (query) => dependencies.readHistory(classId, query),
  });
  const staging = createStaging(classId, {
    calls: pictures,
    uploads,
    files: dependencies.stagedFiles,
    refusal() {
      if (replica?.settings.picturesOff) return browserErrors.PICTURES_OFF.message;
      return speaker.getSnapshot() === 'unset'
        ? 'Please choose your name for this message first.'
        : null;
    },
    isStaff: () => speaker.getSnapshot() === 'staff',
  });
  const view = createStore(toView(null));

  function toView(before: RoomView | null) {
    const unsent = outbox.messagesOf(classId);
    const deletions = outbox.deletionsOf(classId);
    const { isAcknowledged, retryAt } = sender;
    const { progressOf } = uploads;
    const { isPictureOnlyInThisTab } = outbox;
    const content = {
      replica,
      preferences: preferences.getSnapshot(),
      unsent,
      deletions,
      reactions,
      isAcknowledged,
      progressOf,
      isPictureOnlyInThisTab,
      isRevealed: (id: string) => revealed.has(id),
      retryAt,
      quoteOf: quotes.of,
    };
    const typing = typingIndicator.isVisible();
    const counted = unreadCounter.counts();
    const own = { sanction: sanction.current(), staff, speaker: speaker.getSnapshot(), keptAt };
    return toRoomView(content, { gone, ...pages.state(), typing, counted, ...own }, before);
  }

  function refreshView(): void {
    if (replica) {
      // A message that is in the log is not pending, even if another tab sent it.
      sender.removeDelivered(classId, replica);
      reactions.removeConfirmed(replica.seq);
    }
    staging.refreshProgress();
    view.set(toView(view.getSnapshot()));
    dependencies.onViewChange();
  }

  function setReplica(next: LogReplica): void {
    if (next === replica) return;
    if (next.epoch !== replica?.epoch) reactions.clear();
    if (next.settings !== replica?.settings) sender.endPause(classId);
    replica = next;
    gone = false;
    refreshView();
  }

  function receive(frame: RoomFrame): void {
    if (frame.type === 'typing') return typingIndicator.show();
    if (frame.type === 'preferences') return preferences.onFrame(frame);
    if (frame.type === 'live' || frame.type === 'unread') preferences.onSubscribed();
    if (frame.type === 'unread' || frame.type === 'activity') return count(frame);
    if (frame.type === 'snapshot') {
      sanction.set(frame.me.sanction);
      const next = fromSnapshot(frame);
      // The changes between the two snapshots are unknown.
      if (replica) {
        onClassChanged();
        changeListeners.notify({ kind: 'unknown' });
      }
      const isSameLog = replica?.epoch === next.epoch && keptAt === null;
      const before = replica && isSameLog && pages.isReadingIn(replica) ? replica : null;
      pages.cancel();
      if (replica && replica.epoch !== next.epoch) readReceipts.stop();
      const kept = before ? keepWindow(next, before) : next;
      setReplica({ ...kept, readSeq: readReceipts.merge(next.readSeq) });
      return;
    }
    if (frame.type === 'live') {
      keptAt = null;
      isBehind = false;
      unreadCounter.stop();
      readReceipts.onLive();
      sanction.set(frame.sanction);
      setStaff(frame.staff ?? null);
      pages.refreshIfStale();
      return setReadSeq(readReceipts.merge(frame.readSeq));
    }
    if (frame.type === 'read') return onReadElsewhere(frame.seq);
    if (!replica) return;
    const { seq } = replica;
    const next = applyEvents(replica, frame);
    if (next === 'gap') return onStale();
    if (hasMessageOfOthers(frame, { me: replica.me, staff, seq })) typingIndicator.hide();
    // A list on screen forgets earlier, where the member does not see it.
    const isUnattended = next.messages.length > 2 * maxHeld;
    setReplica(isUnattended ? forgetDistant(next, null) : next);
    const fresh = frame.items.filter((item) => item.seq > seq);
    if (fresh.some(({ kind }) => kind === 'class')) onClassChanged();
    for (const item of fresh) {
      if (item.kind === 'edited' || item.kind === 'deleted' || item.kind === 'moderated') {
        changeListeners.notify(item);
      }
    }
  }

  /** Forgets what the class says. What the member wrote stays. */
  function setGone(isGone: boolean): void {
    gone = isGone;
    if (!isGone) return;
    replica = null;
    keptAt = null;
    pages.cancel();
    quotes.clear();
    revealed.clear();
    isKeptUnread = false;
    unreadCounter.stop();
    reactions.clear();
    typingIndicator.hide();
    readReceipts.stop();
  }

  function setStaff(next: StaffSelf | null): void {
    staff = next;
    if (next && replica) setReplica(addPersona(replica, next.persona));
    refreshView();
  }

  function count(frame: Extract<RoomFrame, { type: 'unread' | 'activity' }>): void {
    if (frame.type === 'unread') {
      if (frame.seq !== replica?.seq) isBehind = true;
      readReceipts.onCounted();
      unreadCounter.start(frame);
      if (replica) replica = { ...replica, readSeq: frame.readSeq };
    } else {
      if (frame.recount) isBehind = true;
      unreadCounter.onActivity(frame);
    }
    refreshView();
    if (frame.type === 'activity' && frame.classChanged) onClassChanged();
  }

  function setReadSeq(readSeq: number): void {
    if (replica) replica = { ...replica, readSeq };
    refreshView();
  }

  function onReadElsewhere(seq: number): void {
    unreadCounter.onReadElsewhere(seq);
    const readSeq = readReceipts.onReadElsewhere(seq);
    if (replica && readSeq < replica.readSeq) isKeptUnread = true;
    setReadSeq(readSeq);
  }

  function markSeen(): void {
    const newest = replica?.messages.at(-1)?.seq;
    if (!replica || isKeptUnread || newest === undefined || newest <= replica.readSeq) return;
    readWhenVisible = !isVisible();
    if (readWhenVisible) return;
    readReceipts.markRead(newest, false);
    setReadSeq(newest);
  }

  function markRead(): void {
    isKeptUnread = false;
    markSeen();
  }

  function markUnreadFrom(messageId: string): void {
    const message = replica?.messages.find(({ id }) => id === messageId);
    if (!message) return;
    isKeptUnread = true;
    readReceipts.markRead(message.seq - 1, true);
    setReadSeq(message.seq - 1);
  }

  async function sendOrThrow(request: Request): Promise<Done> {
    return doneOrThrow(await requests.send(request));
  }

  function post(text: string, replyTo?: string): void {
    const id = newMessageId();
    const chosen = speaker.getSnapshot();
    const staffId = chosen === 'staff' ? staff?.persona.memberId : undefined;
    // The composer waits for the choice: a message under the wrong name cannot be taken back.
    if (chosen !== 'self' && !staffId) throw new Error('No speaker is chosen.');
    const taken = { pictures: staging.take(), text: text.trim() };
    const entry = { id, classId, ...taken, replyTo: replyTo ?? null, staffId };
    if (staffId) speaker.set('unset');
    attempt(() => quotes.add(entry), undefined);
    attempt(pages.showNewest, undefined);
    outbox.add(entry);
    sender.send();
  }

  function remove({ id, memberId }: Pick<RoomMessage, 'id' | 'memberId'>): void {
    const staffId = memberId === staff?.persona.memberId ? memberId : undefined;
    sender.sendNow([outbox.addDeletion({ classId, deletes: id, staffId })]);
  }

  function discard(id: string): void {
    const unsent = outbox.find(id)?.pictures ?? [];
    outbox.remove([id]);
    for (const { imageId } of unsent) {
      // Otherwise the server deletes it after an hour.
      if (imageId) void pictures.remove(classId, imageId).catch(() => undefined);
    }
  }

  async function react(messageId: string, emoji: Emoji | null): Promise<void> {
    const mine = reactions.add(messageId, emoji);
    refreshView();
    const result = await requests.send({ type: 'react', classId, messageId, emoji });
    if (result.kind === 'done') mine.confirm(result.seq);
    else mine.revert();
    refreshView();
    doneOrThrow(result);
  }

  return {
    room: {
      subscribe: view.subscribe,
      getSnapshot: view.getSnapshot,
      onMessageChanged: changeListeners.add,
      preferences,
      staging,
      speakAs(next) {
        const { pictures: staged, reading } = staging.getSnapshot();
        if (staged.length > 0 || reading) return;
        speaker.set(next);
        refreshView();
      },
      post,
      retry(id, text) {
        outbox.retry(id, text);
        sender.send();
      },
      discard,
      async edit(messageId, text) {
        await sendOrThrow({ type: 'edit', classId, messageId, text: text.trim() });
      },
      remove,
      onImageLeft: imageLeftListeners.add,
      react,
      reveal(id, isRevealed) {
        if (isRevealed) revealed.add(id);
        else revealed.delete(id);
        refreshView();
      },
      show() {
        dependencies.onShown(true);
        return () => dependencies.onShown(false);
      },
      markRead,
      markSeen,
      markUnreadFrom,
      addPersona(persona) {
        if (replica) setReplica(addPersona(replica, persona));
      },
      notifyTyping,
      loadOlder: pages.loadOlder,
      loadNewer: pages.loadNewer,
      openMessage: pages.openMessage,
      openTime: pages.openTime,
      showNewest: pages.showNewest,
      setSeen: pages.setSeen,
      forgetDistant: pages.forgetDistant,
    },
    replica: () => replica,
    isGone: () => gone,
    toStorable() {
      const saved = preferences.saved();
      if (!replica || keptAt !== null) return null;
      return { replica, preferences: saved, sanction: sanction.current(), staff };
    },
    restore(kept, at) {
      if (replica || gone) return;
      keptAt = at;
      preferences.receive(kept.preferences);
      setReplica(kept.replica);
      setStaff(kept.staff);
      sanction.set(kept.sanction);
    },
    isBehind: () => isBehind,
    receive,
    onSubscribe() {
      preferences.onSubscribe();
      readReceipts.onSubscribe();
    },
    onDisconnect() {
      isBehind = true;
      readReceipts.onDisconnect();
    },
    setSanction: sanction.set,
    setStaff,
    close(hasLeft) {
      setGone(true);
      staff = null;
      speaker.set('self');
      preferences.clear();
      sanction.clear();
      staging.discardLocally();
      // The server rejects the others, so they fail and keep their text.
      if (hasLeft) outbox.remove(outbox.entriesOf(classId).map(({ id }) => id));
      refreshView();
    },
    reopen() {
      const wasGone = gone;
      gone = false;
      if (wasGone) refreshView();
      return wasGone;
    },
    refreshView,
    onImageLeft: imageLeftListeners.notify,
    onVisible() {
      if (readWhenVisible) markSeen();
      sanction.refresh();
    },
    stop() {
      sanction.stop();
      unreadCounter.stop();
      typingIndicator.hide();
      readReceipts.stop();
    },
  };
}

/** Whether a new message of another member arrived. Most likely that member was typing. */
function hasMessageOfOthers(
  { items }: EventsFrame,
  { seq, ...viewer }: Pick<RoomView, 'me' | 'staff'> & { seq: number },
): boolean {
  return items.some(
    (it) => it.kind === 'posted' && it.seq > seq && !isOwn(viewer, it.message.memberId),
  );
}
