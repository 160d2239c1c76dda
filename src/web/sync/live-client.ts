// The /live client: connects its dependencies and routes each frame to its handler. React uses it through the
// interfaces in room.ts.
import { closeCodes } from '#contract/socket-address.ts';
import type { Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { type ClassRoom, createClassRoom } from './room/class-room.ts';
import { createBrowserDependencies, type LiveDependencies } from './live-dependencies.ts';
import { createConnectionStatus } from './engine/connection-status.ts';
import { createLiveSocket } from './engine/live-socket.ts';
import { OutboxSender } from './outbox/outbox-sender.ts';
import type { OutboxEntry } from './outbox/outbox-storage.ts';
import { Outbox } from './outbox/outbox.ts';
import { PictureUploads } from './uploads/picture-uploads.ts';
import { createStagedFiles } from './uploads/staged-files.ts';
import { createRequests } from './engine/requests.ts';
import type { Announcements, LiveClient } from './room/room.ts';
import { createListeners, createStore } from '#web/store.ts';
import { createSubscriptions, type WantedClass } from './engine/subscriptions.ts';
import { createWantedClasses } from './engine/wanted-classes.ts';

export function createLiveClient(
  dependencies: LiveDependencies = createBrowserDependencies(),
): LiveClient {
  const { openSocket, storage, tabStorage, tabs, page, pictures } = dependencies;
  const { now, readHistory, checkSession } = dependencies;
  const rooms = new Map<string, ClassRoom>();
  const enrollmentListeners = createListeners<[classId: string, joined: boolean]>();
  const classListeners = createListeners();
  const moderationListeners = createListeners();
  const signedOutListeners = createListeners();
  const roomListeners = createListeners<[classId: string]>();
  const openedIds = new Set<string>();
  const classes = createWantedClasses();
  const connection = createConnectionStatus({ checkSession, onSignedOut: onSignOut });
  const announcements = createStore<Announcements>({});
  let account: string | null = null;
  /** The class whose chat is on screen, also while the tab is hidden. */
  let shownClassId: string | null = null;
  let isClosed = false;

  const socket = createLiveSocket(openSocket, { onFrame: receive, onDown });
  const { send } = socket;
  const requests = createRequests({
    ...socket,
    onIdle: () => page.isVisible() && checkConnection(),
  });
  const outbox = new Outbox({
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
  const uploads = new PictureUploads({
    calls: pictures,
    outbox,
    tabs,
    onProgress: (classId) => rooms.get(classId)?.refreshView(),
  });
  const sender = new OutboxSender({
    outbox,
    requests,
    uploads,
    tabs,
    isVisible: () => page.isVisible(),
    classOnScreen: classes.current,
    onChange: (classId) => rooms.get(classId)?.refreshView(),
    onImageLeft: (classId) => rooms.get(classId)?.onImageLeft(),
  });
  const subscriptions = createSubscriptions({
    requests,
    send,
    listWantedClasses,
    findReplica: (classId) => getRoom(classId).replica(),
    onSubscribe: (classId) => getRoom(classId).onSubscribe(),
    onClosed: (classId) => changeEnrollment(classId, false, false),
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
        // If the member left, an enrollment frame for all tabs follows. A deleted class has none.
        if (frame.reason === 'deleted') return changeEnrollment(frame.classId, false, false);
        // A removed member's unsent messages and draft stay, with the reason: see `setSanction`.
        if (frame.reason === 'removed') return;
        return close(frame.classId, true);
      case 'sanction':
        return setSanction(frame.classId, frame.sanction);
      case 'staff':
        return getRoom(frame.classId).setStaff(frame.staff);
      case 'announcements':
        return showAnnouncements(frame.classId, frame);
      case 'moderationChanged':
        return moderationListeners.notify();
      case 'enrolment':
        return changeEnrollment(frame.classId, frame.joined);
      case 'nack':
        // This tab did not know that the class had ended, so its class data is stale.
        if (frame.code === 'CLASS_ENDED') classListeners.notify();
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

  /** Shows announcements until they end by the browser's own clock. */
  function showAnnouncements(
    classId: string | null,
    frame: Pick<ServerFrame & { type: 'live' }, 'announcements'>,
  ): void {
    const shownAnnouncements = frame.announcements?.map((announcement) => ({
      ...announcement,
      endsAt: now() + announcement.endsInMs,
    }));
    announcements.set({ ...announcements.getSnapshot(), [classId ?? '']: shownAnnouncements });
  }

  function setSanction(classId: string, sanction: Sanction | null): void {
    getRoom(classId).setSanction(sanction);
    subscriptions.update();
  }

  /** False if another account has signed in from another tab. Data of the old account must be dropped. */
  function isSameAccount(owner: string): boolean {
    account ??= owner;
    return account === owner;
  }

  /** @param hasLeft false if the class is gone */
  function changeEnrollment(classId: string, isJoined: boolean, hasLeft = true): void {
    if (isJoined) reopen([classId]);
    else close(classId, hasLeft);
    enrollmentListeners.notify(classId, isJoined);
  }

  function onWelcome(frame: ServerFrame & { type: 'welcome' }): void {
    if (!isSameAccount(frame.account)) return onSignOut();
    connection.onWelcome();
    stagedFiles.open(frame.account);
    showAnnouncements(null, frame);
    subscriptions.start(frame.epoch);
    sender.start(frame.account, frame.epoch);
  }

  function onDown(welcomed: boolean, code: number): void {
    onDisconnect();
    if (isClosed) return;
    const hasEnded = code === closeCodes.signedOut;
    connection.onDown(!welcomed && !hasEnded);
    if (hasEnded) onSignOut();
  }

  function onDisconnect(): void {
    sender.stop();
    subscriptions.stop();
    for (const room of rooms.values()) room.onDisconnect();
    requests.abandonAll();
  }

  function shutDown(): void {
    isClosed = true;
    connection.stop();
    socket.close();
    onDisconnect();
    uploads.stop();
    for (const room of rooms.values()) room.stop();
  }

  function onSignOut(): void {
    if (isClosed) return;
    stagedFiles.clear();
    shutDown();
    signedOutListeners.notify();
  }

  function listWantedClasses(): WantedClass[] {
    return classes
      .list(outbox.entries().map(({ classId }) => classId))
      .filter(({ classId }) => !rooms.get(classId)?.isGone());
  }

  /** Sends a request after a quiet period: this is the only way to detect a dead connection. */
  function checkConnection(): void {
    const [first] = listWantedClasses();
    if (first) subscriptions.resume(first.classId);
  }

  function close(classId: string, hasLeft: boolean): void {
    getRoom(classId).close(hasLeft);
    subscriptions.update();
  }

  function reopen(classIds: readonly string[]): void {
    for (const classId of classIds) rooms.get(classId)?.reopen();
    subscriptions.update();
  }

  function getRoom(classId: string): ClassRoom {
    const knownRoom = rooms.get(classId);
    if (knownRoom) return knownRoom;
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
      onClassChanged: classListeners.notify,
      onViewChange: () => roomListeners.notify(classId),
    });
    rooms.set(classId, created);
    return created;
  }

  function listUnsent(): OutboxEntry[] {
    return outbox.entries().filter(({ id }) => !sender.isAcknowledged(id));
  }

  async function handleOutboxChangedElsewhere(): Promise<void> {
    const countBefore = outbox.entries().length;
    await outbox.reload();
    // Another tab delivered a message, so the server is reachable.
    if (outbox.entries().length < countBefore) socket.wake();
    subscriptions.update();
    sender.send();
  }

  const unsubscribeOutbox = tabs.onOutboxChange(() => void handleOutboxChangedElsewhere());
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
      getRoom,
      openedIds,
      refresh(classId) {
        classes.refresh(classId);
        subscriptions.update();
      },
      onChange: roomListeners.add,
    },
    setAccount(owner) {
      if (!isSameAccount(owner)) return onSignOut();
      stagedFiles.open(owner);
      void outbox.open(owner);
    },
    room(classId) {
      openedIds.add(classId);
      roomListeners.notify(classId);
      if (classes.open(classId)) subscriptions.update();
      return getRoom(classId).room;
    },
    unread(classId) {
      const { room } = getRoom(classId);
      return { subscribe: room.subscribe, getSnapshot: () => room.getSnapshot().unread };
    },
    preferences: (classId) => getRoom(classId).room.preferences,
    follow(classIds) {
      classes.follow(classIds);
      reopen(classIds);
    },
    unsentCount: () => listUnsent().filter(({ deletes }) => deletes === undefined).length,
    clearUnsent: () => outbox.clear(),
    async finishDeletions(classId) {
      const listWaiting = () =>
        listUnsent()
          .filter(({ deletes, failure }) => deletes !== undefined && failure === null)
          .filter((entry) => classId === undefined || entry.classId === classId);
      if (classId !== undefined) sender.sendNow(listWaiting().map(({ id }) => id));
      await sender.settleDeletions();
      return listWaiting().length === 0;
    },
    onEnrollment: enrollmentListeners.add,
    onClassChanged: classListeners.add,
    onModerationChanged: moderationListeners.add,
    onSignedOut: signedOutListeners.add,
    close() {
      unsubscribeOutbox();
      unsubscribeWake();
      unsubscribeHide();
      shutDown();
    },
  };
}
