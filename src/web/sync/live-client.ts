// The /live client: connects its dependencies and routes each frame to its handler. React uses it through the
// interfaces in room.ts.
import { closeCodes } from '#contract/socket-address.ts';
import type { Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { type ClassRoom, createClassRoom } from './room/class-room.ts';
import { browserDependencies, type LiveDependencies } from './live-dependencies.ts';
import { createLiveSocket } from './engine/live-socket.ts';
import { createOutboxSender } from './outbox/outbox-sender.ts';
import type { OutboxEntry } from './outbox/outbox-storage.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createPictureUploads } from './uploads/picture-uploads.ts';
import { createStagedFiles } from './uploads/staged-files.ts';
import { createRequests } from './engine/requests.ts';
import type { Announcements, Connection, LiveClient } from './room/room.ts';
import { createStore } from '#web/store.ts';
import { createSubscriptions, type WantedClass } from './engine/subscriptions.ts';

/** Going back to one of the last opened classes loads nothing. */
const maxOpenClasses = 8; // WIRE-42
/** Shorter interruptions are not shown. */
const offlineAfterMs = 2000;
/** One failure is not enough: the server may have started between the failed attempt and the HTTP check. */
const blockedAfterAttempts = 2; // WIRE-27

export function createLiveClient(
  dependencies: LiveDependencies = browserDependencies(),
): LiveClient {
  const { openSocket, storage, tabStorage, tabs, page, pictures } = dependencies;
  const { now, readHistory, checkSession } = dependencies;
  const rooms = new Map<string, ClassRoom>();
  const enrolmentListeners = new Set<(classId: string, joined: boolean) => void>();
  const classListeners = new Set<() => void>();
  const moderationListeners = new Set<() => void>();
  const signedOutListeners = new Set<() => void>();
  const roomListeners = new Set<(classId: string) => void>();
  const opened = new Set<string>();
  /** The class that this device brings up to date, although it is not on screen. */
  let refreshing: string | null = null;
  const connection = createStore<Connection>('connecting');
  const announcements = createStore<Announcements>({});
  let account: string | null = null;
  /** Most recent first. */
  let classesOnScreen: readonly string[] = [];
  let followedClassIds: readonly string[] = [];
  /** Its chat is on screen, also while the tab is hidden. */
  let shownClassId: string | null = null;
  /** Runs while there is no connection. */
  let offlineTimer: ReturnType<typeof setTimeout> | null = null;
  /** Consecutive failed attempts while HTTP works. */
  let blockedAttempts = 0;
  let isClosed = false;

  const socket = createLiveSocket(openSocket, { onFrame: receive, onDown });
  const { send } = socket;
  const requests = createRequests({
    ...socket,
    onIdle: () => page.isVisible() && checkConnection(),
  });
  const outbox = createOutbox({
    storage,
    now,
    onStored() {
      tabs.publishOutboxChange();
      sender.send();
    },
    onChange(classId) {
      rooms.get(classId)?.refreshView();
      subscriptions.update();
    },
    onPictureOnlyInThisTab: (id) => uploads.keepLock(id),
    onPictureRemoved: (id) => uploads.cancel(id),
  });
  const stagedFiles = createStagedFiles({ storage, tabStorage, now });
  const uploads = createPictureUploads({
    calls: pictures,
    outbox,
    tabs,
    onProgress: (classId) => rooms.get(classId)?.refreshView(),
  });
  const sender = createOutboxSender({
    outbox,
    requests,
    uploads,
    tabs,
    isVisible: () => page.isVisible(),
    classOnScreen: () => classesOnScreen[0],
    onChange: (classId) => rooms.get(classId)?.refreshView(),
    onImageLeft: (classId) => rooms.get(classId)?.onImageLeft(),
  });
  const subscriptions = createSubscriptions({
    requests,
    send,
    wantedClasses,
    replicaOf: (classId) => roomOf(classId).replica(),
    onSubscribe: (classId) => roomOf(classId).onSubscribe(),
    onClosed: (classId) => changeEnrolment(classId, false, false),
    onRemoved: setSanction,
  });

  function receive(frame: ServerFrame): void {
    requests.receive(frame);
    switch (frame.type) {
      case 'welcome':
        return onWelcome(frame);
      case 'live':
        if (frame.classId === shownClassId) sendViewing();
        showAnnouncements(frame.classId, frame);
        return rooms.get(frame.classId)?.receive(frame);
      case 'snapshot':
      case 'events':
      case 'typing':
      case 'read':
      case 'unread':
      case 'activity':
      case 'preferences':
        return rooms.get(frame.classId)?.receive(frame);
      case 'reset':
        if (frame.reason === 'behind') return subscriptions.resume(frame.classId);
        // If the member left, an enrolment frame for all tabs follows. A deleted class has none.
        if (frame.reason === 'deleted') return changeEnrolment(frame.classId, false, false);
        // A removed member's unsent messages and draft stay, with the reason: see `setSanction`.
        if (frame.reason === 'removed') return;
        return close(frame.classId, true);
      case 'sanction':
        return setSanction(frame.classId, frame.sanction);
      case 'staff':
        return roomOf(frame.classId).setStaff(frame.staff);
      case 'announcements':
        return showAnnouncements(frame.classId, frame);
      case 'moderationChanged':
        for (const listener of moderationListeners) listener();
        return;
      case 'enrolment':
        return changeEnrolment(frame.classId, frame.joined);
      case 'nack':
        // This tab did not know that the class had ended, so its class data is stale.
        if (frame.code === 'CLASS_ENDED') notifyClassChanged();
        return;
      case 'ack':
      case 'bye':
        return;
    }
  }

  /** The class in view needs no notification. */
  function sendViewing(): void {
    if (shownClassId === null) return;
    send({ type: 'viewing', classId: shownClassId, inView: page.isVisible() });
  }

  /** Their end is on the browser's own clock. */
  function showAnnouncements(
    classId: string | null,
    of: Pick<ServerFrame & { type: 'live' }, 'announcements'>,
  ): void {
    const shown = of.announcements?.map((one) => ({ ...one, endsAt: now() + one.endsInMs }));
    announcements.set({ ...announcements.getSnapshot(), [classId ?? '']: shown });
  }

  function setSanction(classId: string, sanction: Sanction | null): void {
    roomOf(classId).setSanction(sanction);
    subscriptions.update();
  }

  function onRoomChange(classId: string): void {
    for (const listener of roomListeners) listener(classId);
  }

  function notifyClassChanged(): void {
    for (const listener of classListeners) listener();
  }

  /** False if another account has signed in from another tab. Data of the old account must be dropped. */
  function isSameAccount(owner: string): boolean {
    account ??= owner;
    return account === owner;
  }

  /** @param hasLeft false if the class is gone */
  function changeEnrolment(classId: string, joined: boolean, hasLeft = true): void {
    if (joined) reopen([classId]);
    else close(classId, hasLeft);
    for (const listener of enrolmentListeners) listener(classId, joined);
  }

  function onWelcome(frame: ServerFrame & { type: 'welcome' }): void {
    if (!isSameAccount(frame.account)) return onSignOut();
    if (offlineTimer) clearTimeout(offlineTimer);
    offlineTimer = null;
    blockedAttempts = 0;
    connection.set('online');
    stagedFiles.open(frame.account);
    showAnnouncements(null, frame);
    subscriptions.start(frame.epoch);
    sender.start(frame.account, frame.epoch);
  }

  function onDown(welcomed: boolean, code: number): void {
    onDisconnect();
    if (isClosed) return;
    offlineTimer ??= setTimeout(showDisconnected, offlineAfterMs);
    if (code === closeCodes.signedOut) onSignOut();
    else if (!welcomed) void findDisconnectReason();
  }

  /** The browser does not report why a socket failed, so an HTTP call finds the reason. */
  async function findDisconnectReason(): Promise<void> {
    const session = await checkSession();
    if (isClosed || offlineTimer === null) return;
    if (session === 'signed-out') return onSignOut();
    blockedAttempts = session === 'signed-in' ? blockedAttempts + 1 : 0;
    if (connection.getSnapshot() !== 'connecting') showDisconnected();
  }

  function showDisconnected(): void {
    connection.set(blockedAttempts >= blockedAfterAttempts ? 'blocked' : 'offline');
  }

  function onDisconnect(): void {
    sender.stop();
    subscriptions.stop();
    for (const room of rooms.values()) room.onDisconnect();
    requests.abandonAll();
  }

  function shutDown(): void {
    isClosed = true;
    if (offlineTimer) clearTimeout(offlineTimer);
    socket.close();
    onDisconnect();
    uploads.stop();
    for (const room of rooms.values()) room.stop();
  }

  function onSignOut(): void {
    if (isClosed) return;
    stagedFiles.clear();
    shutDown();
    for (const listener of signedOutListeners) listener();
  }

  function wantedClasses(): WantedClass[] {
    const unsent = outbox.entries().map(({ classId }) => classId);
    const full = new Set([...classesOnScreen.slice(0, maxOpenClasses), ...unsent]);
    if (refreshing !== null) full.add(refreshing);
    return [...new Set([...full, ...classesOnScreen, ...followedClassIds])]
      .filter((classId) => !rooms.get(classId)?.isGone())
      .map((classId) => ({ classId, isLight: !full.has(classId) }));
  }

  /** Sends a request after a quiet period: this is the only way to detect a dead connection. */
  function checkConnection(): void {
    const [first] = wantedClasses();
    if (first) subscriptions.resume(first.classId);
  }

  function close(classId: string, hasLeft: boolean): void {
    roomOf(classId).close(hasLeft);
    subscriptions.update();
  }

  function reopen(classIds: readonly string[]): void {
    for (const classId of classIds) rooms.get(classId)?.reopen();
    subscriptions.update();
  }

  function roomOf(classId: string): ClassRoom {
    const known = rooms.get(classId);
    if (known) return known;
    const created = createClassRoom(classId, {
      outbox,
      sender,
      uploads,
      pictures,
      stagedFiles,
      tabStorage,
      requests,
      send,
      readHistory,
      now,
      isVisible: () => page.isVisible(),
      onShown(isShown) {
        shownClassId = isShown ? classId : null;
        if (isShown) sendViewing();
        else send({ type: 'viewing', classId, inView: false });
      },
      onStale: () => subscriptions.resume(classId),
      onClassChanged: notifyClassChanged,
      onViewChange: () => onRoomChange(classId),
    });
    rooms.set(classId, created);
    return created;
  }

  function listUnsent(): OutboxEntry[] {
    return outbox.entries().filter(({ id }) => !sender.isAcknowledged(id));
  }

  async function outboxChangedElsewhere(): Promise<void> {
    const before = outbox.entries().length;
    await outbox.reload();
    // Another tab delivered a message, so the server is reachable.
    if (outbox.entries().length < before) socket.wake();
    subscriptions.update();
    sender.send();
  }

  const unsubscribeOutbox = tabs.onOutboxChange(() => void outboxChangedElsewhere());
  const unsubscribeWake = page.onWake(() => {
    socket.wake();
    checkConnection();
    sendViewing();
    for (const room of rooms.values()) room.onVisible();
  });
  const unsubscribeHide = page.onHide(sendViewing);

  return {
    connection,
    announcements,
    offline: {
      roomOf,
      opened,
      refresh(classId) {
        refreshing = classId;
        subscriptions.update();
      },
      onChange(listener) {
        roomListeners.add(listener);
        return () => roomListeners.delete(listener);
      },
    },
    setAccount(owner) {
      if (!isSameAccount(owner)) return onSignOut();
      stagedFiles.open(owner);
      void outbox.open(owner);
    },
    room(classId) {
      opened.add(classId);
      onRoomChange(classId);
      if (classesOnScreen[0] !== classId) {
        classesOnScreen = [classId, ...classesOnScreen.filter((other) => other !== classId)];
        subscriptions.update();
      }
      return roomOf(classId).room;
    },
    unread(classId) {
      const { room } = roomOf(classId);
      return { subscribe: room.subscribe, getSnapshot: () => room.getSnapshot().unread };
    },
    preferences: (classId) => roomOf(classId).room.preferences,
    follow(classIds) {
      followedClassIds = classIds;
      reopen(classIds);
    },
    unsentCount: () => listUnsent().filter(({ deletes }) => deletes === undefined).length,
    clearUnsent: () => outbox.clear(),
    async finishDeletions(classId) {
      const waiting = () =>
        listUnsent()
          .filter(({ deletes, failure }) => deletes !== undefined && failure === null)
          .filter((entry) => classId === undefined || entry.classId === classId);
      if (classId !== undefined) sender.sendNow(waiting().map(({ id }) => id));
      await sender.settleDeletions();
      return waiting().length === 0;
    },
    onEnrolment(listener) {
      enrolmentListeners.add(listener);
      return () => enrolmentListeners.delete(listener);
    },
    onClassChanged(listener) {
      classListeners.add(listener);
      return () => classListeners.delete(listener);
    },
    onModerationChanged(listener) {
      moderationListeners.add(listener);
      return () => moderationListeners.delete(listener);
    },
    onSignedOut(listener) {
      signedOutListeners.add(listener);
      return () => signedOutListeners.delete(listener);
    },
    close() {
      unsubscribeOutbox();
      unsubscribeWake();
      unsubscribeHide();
      shutDown();
    },
  };
}
