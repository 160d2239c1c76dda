// One class in this browser: its log, the member in it (sanction, staff persona, preferences), what they write, and the
// room that React renders of all that.
import { browserErrors } from '#contract/browser-errors.ts';
import type { Sanction, StaffSelf } from '#contract/entities.ts';
import type { ClientFrame, LogItem, ServerFrame } from '#contract/socket.ts';
import type { HistoryPage, HistoryQuery, LogReplica } from '#web/sync/engine/log-replica.ts';
import type { OutboxSender } from '#web/sync/outbox/outbox-sender.ts';
import type { Outbox } from '#web/sync/outbox/outbox.ts';
import type { PictureCalls } from '#web/sync/uploads/browser-pictures.ts';
import type { PictureUploads } from '#web/sync/uploads/picture-uploads.ts';
import { createPendingReactions } from './pending-reactions.ts';
import { createOwnPreferences } from './own-preferences.ts';
import { createRoomActions } from './room-actions.ts';
import type { Requests } from '#web/sync/engine/requests.ts';
import { createClassLog } from './class-log.ts';
import { createTypingIndicator, createTypingNotifier } from './ephemeral-events.ts';
import { createOwnSanction } from './own-sanction.ts';
import { toRoomView } from './room-view.ts';
import { isOwnPersona, type RestorableRoom, type Room, type RoomView } from './room.ts';
import { createSpeakerChoice } from './speaker.ts';
import type { StagedFiles } from '#web/sync/uploads/staged-files.ts';
import { Staging } from '#web/sync/uploads/staging.ts';
import { createListeners, createStore } from '#web/store.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';
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
  /** The membership resumed. */
  reopen(): void;
  /** Call when the outbox or the progress of an upload changed. */
  refreshView(): void;
  /** A message is deleted, but the server could not delete its files yet. */
  onImageLeft(): void;
  /** Call when the tab becomes visible again. */
  onVisible(): void;
  stop(): void;
}

type RoomFrame = Extract<
  ServerFrame,
  {
    type:
      'snapshot' | 'events' | 'live' | 'unread' | 'activity' | 'read' | 'preferences' | 'typing';
  }
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
  const { outbox, sender, uploads, send, now } = dependencies;
  /** The membership ended, or the class was deleted. */
  let isClosed = false;
  let staff: StaffSelf | null = null;
  /** The hidden messages whose content the member asked for. */
  const revealed = new Set<string>();
  const imageLeftListeners = createListeners();
  const speaker = createSpeakerChoice(classId, dependencies.tabStorage);
  const typing = createTypingIndicator(() => refreshView());
  const reactions = createPendingReactions();
  const log = createClassLog(classId, {
    ...dependencies,
    onNewLog: reactions.clear,
    onSettingsChanged: () => sender.endPause(classId),
    onChange: refreshView,
  });
  const quotes = createUnsentQuotes(log.replica);
  const sanction = createOwnSanction(now, (isRemoved, wasRemoved) => {
    if (isRemoved) clear();
    else if (wasRemoved) isClosed = false;
    refreshView();
  });
  const preferences = createOwnPreferences((isCountStale) => {
    if (isCountStale && log.position.counts()) dependencies.onStale();
    refreshView();
  });
  const staging = new Staging(classId, {
    calls: dependencies.pictures,
    uploads,
    files: dependencies.stagedFiles,
    refusal() {
      if (log.replica()?.settings.picturesOff) return browserErrors.PICTURES_OFF.message;
      return speaker.getSnapshot() === 'unset'
        ? 'Please choose your name for this message first.'
        : null;
    },
    isStaff: () => speaker.getSnapshot() === 'staff',
  });
  const view = createStore(toView(null));

  function isGone(): boolean {
    return isClosed && log.replica() === null;
  }

  function toView(previousView: RoomView | null): RoomView {
    const content = {
      classId,
      replica: log.replica(),
      outbox,
      sender,
      uploads,
      quotes,
      reactions,
      preferences: preferences.getSnapshot(),
      revealed,
    };
    const state = {
      ...log.pages.state(),
      gone: isGone(),
      typing: typing.isVisible(),
      counted: log.position.counts(),
      sanction: sanction.current(),
      staff,
      speaker: speaker.getSnapshot(),
      keptAt: log.keptAt(),
    };
    return toRoomView(content, state, previousView);
  }

  function refreshView(): void {
    const replica = log.replica();
    if (replica) {
      // A message that is in the log is not pending, even if another tab sent it.
      sender.removeDelivered(classId, replica);
      reactions.removeConfirmed(replica.seq);
    }
    staging.refreshProgress();
    view.set(toView(view.getSnapshot()));
    dependencies.onViewChange();
  }

  function receive(frame: RoomFrame): void {
    switch (frame.type) {
      case 'snapshot':
        sanction.set(frame.me.sanction);
        return log.onSnapshot(frame);
      case 'events':
        if (log.onEvents(frame).some(isPostOfOthers)) typing.hide();
        return;
      case 'live':
        preferences.onSubscribed();
        log.onLive(frame);
        sanction.set(frame.sanction);
        return setStaff(frame.staff ?? null);
      case 'unread':
        preferences.onSubscribed();
        return log.onUnread(frame);
      case 'activity':
        return log.onActivity(frame);
      case 'read':
        return log.position.onReadElsewhere(frame.seq);
      case 'preferences':
        return preferences.onFrame(frame);
      case 'typing':
        return typing.show();
    }
  }

  /** Most likely its author is the member who was typing. */
  function isPostOfOthers(item: LogItem): boolean {
    const me = log.replica()?.me ?? null;
    return item.kind === 'posted' && !isOwnPersona({ me, staff }, item.message.memberId);
  }

  /** Forgets what the class says. What the member wrote stays. */
  function clear(): void {
    isClosed = true;
    log.clear();
    quotes.clear();
    revealed.clear();
    reactions.clear();
    typing.hide();
  }

  function setStaff(next: StaffSelf | null): void {
    staff = next;
    if (next) log.addPersona(next.persona);
    refreshView();
  }

  const { position } = log;
  return {
    room: {
      ...view,
      ...log.pages,
      ...log.position,
      onMessageChanged: log.onMessageChanged,
      onImageLeft: imageLeftListeners.add,
      preferences,
      staging,
      ...createRoomActions(classId, {
        ...dependencies,
        staging,
        speaker,
        quotes,
        reactions,
        staff: () => staff,
        showNewest: log.pages.showNewest,
        refreshView,
      }),
      notifyTyping: createTypingNotifier(classId, send, now),
      addPersona: log.addPersona,
      reveal(id, isRevealed) {
        if (isRevealed) revealed.add(id);
        else revealed.delete(id);
        refreshView();
      },
      show() {
        dependencies.onShown(true);
        return () => dependencies.onShown(false);
      },
    },
    replica: log.replica,
    isGone,
    isBehind: log.isBehind,
    toStorable() {
      const replica = log.replica();
      if (!replica || log.keptAt() !== null) return null;
      const savedPreferences = preferences.saved();
      return { replica, preferences: savedPreferences, sanction: sanction.current(), staff };
    },
    restore(keptRoom, keptAt) {
      if (log.replica() || isClosed) return;
      preferences.receive(keptRoom.preferences);
      log.restore(keptRoom.replica, keptAt);
      setStaff(keptRoom.staff);
      sanction.set(keptRoom.sanction);
    },
    receive,
    onSubscribe() {
      preferences.onSubscribe();
      position.onSubscribe();
    },
    onDisconnect: log.onDisconnect,
    setSanction: sanction.set,
    setStaff,
    close(hasLeft) {
      clear();
      staff = null;
      speaker.set('self');
      preferences.clear();
      sanction.clear();
      staging.discardLocally();
      // The server rejects the others, so they fail and keep their text.
      if (hasLeft) outbox.remove(outbox.listClassEntries(classId).map(({ id }) => id));
      refreshView();
    },
    reopen() {
      const wasGone = isGone();
      isClosed = false;
      if (wasGone) refreshView();
    },
    refreshView,
    onImageLeft: imageLeftListeners.notify,
    onVisible() {
      position.onVisible();
      sanction.refresh();
    },
    stop() {
      sanction.stop();
      typing.hide();
      position.stop();
    },
  };
}
