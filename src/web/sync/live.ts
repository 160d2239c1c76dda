// The /live client: connects the parts and routes each frame to its handler. React only sees what room.ts
// declares.
import { closeCodes } from '#contract/socket-address.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { type ClassRoom, createClassRoom } from './class-room.ts';
import { createBrowserParts, type LiveParts } from './live-parts.ts';
import { createLiveSocket } from './live-socket.ts';
import { createOutboxSender } from './outbox-sender.ts';
import { createOutbox } from './outbox.ts';
import { createPictureUploads } from './picture-uploads.ts';
import { createRequests } from './requests.ts';
import type { Connection, Live } from './room.ts';
import { createCell } from './store.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Shorter interruptions are not shown. */
const offlineAfterMs = 2000;
/** One failure is not enough: the server may have started between the failed attempt and the HTTP check. */
const blockedAfterAttempts = 2; // WIRE-27

export function createLive(parts: LiveParts = createBrowserParts()): Live {
  const { openSocket, storage, tabs, page, pictures, readMarks } = parts;
  const { now, readOlder, checkSession } = parts;
  const rooms = new Map<string, ClassRoom>();
  const enrolmentListeners = new Set<(classId: string, joined: boolean) => void>();
  const classListeners = new Set<() => void>();
  const signedOutListeners = new Set<() => void>();
  const connection = createCell<Connection>('connecting');
  let account: string | null = null;
  /** Most recent first. */
  let onScreen: readonly string[] = [];
  let followed: readonly string[] = [];
  /** Runs while there is no connection. */
  let offlineTimer: ReturnType<typeof setTimeout> | null = null;
  /** Consecutive failed attempts while HTTP works. */
  let blockedAttempts = 0;
  let closed = false;

  const socket = createLiveSocket(openSocket, { frame: receive, down });
  const { send } = socket;
  const requests = createRequests({ ...socket, quiet: () => page.isVisible() && listen() });
  const outbox = createOutbox({
    storage,
    now,
    onStored() {
      tabs.tell();
      sender.send();
    },
    onChange(classId) {
      rooms.get(classId)?.show();
      subscriptions.update();
    },
    onPictureOnlyHere: (id) => uploads.keep(id),
    onRemoved: (id) => uploads.cancel(id),
  });
  const uploads = createPictureUploads({
    calls: pictures,
    outbox,
    tabs,
    onProgress: (classId) => rooms.get(classId)?.show(),
  });
  const sender = createOutboxSender({
    outbox,
    requests,
    uploads,
    tabs,
    isVisible: () => page.isVisible(),
    classOnScreen: () => onScreen[0],
    onAcknowledged: (classId) => rooms.get(classId)?.show(),
  });
  const subscriptions = createSubscriptions({
    requests,
    send,
    wanted,
    toReplica: (classId) => roomOf(classId).held(),
    onLevel: (classId) => rooms.get(classId)?.level(),
    onClosed: (classId) => enrolment(classId, false),
  });

  function receive(frame: ServerFrame): void {
    requests.heard(frame);
    switch (frame.type) {
      case 'welcome':
        return welcome(frame);
      case 'snapshot':
      case 'events':
      case 'typing':
        return rooms.get(frame.classId)?.receive(frame);
      case 'reset':
        if (frame.reason === 'behind') return subscriptions.resume(frame.classId);
        // If the member left, an enrolment frame for all tabs follows. A deleted class has none.
        if (frame.reason === 'deleted') return enrolment(frame.classId, false);
        return close(frame.classId);
      case 'enrolment':
        return enrolment(frame.classId, frame.joined);
      case 'nack':
        // This tab did not know that the class had ended, so its class data is stale.
        if (frame.code === 'CLASS_ENDED') classChanged();
        return;
      case 'ack':
      case 'live':
      case 'bye':
        return;
    }
  }

  function classChanged(): void {
    for (const listener of classListeners) listener();
  }

  /** False if another account has signed in from another tab. Data of the old account must be dropped. */
  function isOf(owner: string): boolean {
    account ??= owner;
    return account === owner;
  }

  function enrolment(classId: string, joined: boolean): void {
    if (joined) reopen([classId]);
    else close(classId);
    for (const listener of enrolmentListeners) listener(classId, joined);
  }

  function welcome(frame: ServerFrame & { type: 'welcome' }): void {
    if (!isOf(frame.account)) return signedOut();
    if (offlineTimer) clearTimeout(offlineTimer);
    offlineTimer = null;
    blockedAttempts = 0;
    connection.set('online');
    subscriptions.start(frame.epoch);
    sender.start(frame.account, frame.epoch);
  }

  function down(welcomed: boolean, code: number): void {
    disconnected();
    if (closed) return;
    offlineTimer ??= setTimeout(showDisconnected, offlineAfterMs);
    if (code === closeCodes.signedOut) signedOut();
    else if (!welcomed) void findReason();
  }

  /** The browser does not report why a socket failed, so an HTTP call finds the reason. */
  async function findReason(): Promise<void> {
    const session = await checkSession();
    if (closed || offlineTimer === null) return;
    if (session === 'signed-out') return signedOut();
    blockedAttempts = session === 'signed-in' ? blockedAttempts + 1 : 0;
    if (connection.getSnapshot() !== 'connecting') showDisconnected();
  }

  function showDisconnected(): void {
    connection.set(blockedAttempts >= blockedAfterAttempts ? 'blocked' : 'offline');
  }

  function disconnected(): void {
    sender.stop();
    subscriptions.stop();
    requests.lose();
  }

  function end(): void {
    closed = true;
    if (offlineTimer) clearTimeout(offlineTimer);
    socket.close();
    disconnected();
    uploads.stop();
    for (const room of rooms.values()) room.stop();
  }

  function signedOut(): void {
    if (closed) return;
    end();
    for (const listener of signedOutListeners) listener();
  }

  function wanted(): string[] {
    const unsent = outbox.entries().map(({ classId }) => classId);
    return [...new Set([...onScreen, ...unsent, ...followed])].filter(
      (classId) => !rooms.get(classId)?.isGone(),
    );
  }

  /** Sends a request after a quiet period: this is the only way to detect a dead connection. */
  function listen(): void {
    const [first] = wanted();
    if (first !== undefined) subscriptions.resume(first);
  }

  function close(classId: string): void {
    roomOf(classId).close();
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
      requests,
      send,
      readOlder,
      now,
      isVisible: () => page.isVisible(),
      readMarks,
      onHole: (holed) => subscriptions.resume(holed),
      onClassChanged: classChanged,
    });
    rooms.set(classId, created);
    return created;
  }

  async function outboxChangedElsewhere(): Promise<void> {
    const before = outbox.entries().length;
    await outbox.reload();
    // Another tab delivered a message, so the server is reachable.
    if (outbox.entries().length < before) socket.wake();
    subscriptions.update();
    sender.send();
  }

  const stopListening = tabs.onChanged(() => void outboxChangedElsewhere());
  const stopReading = readMarks.onChange((classId) => rooms.get(classId)?.readElsewhere());
  const stopWaking = page.onWake(() => {
    socket.wake();
    listen();
    for (const room of rooms.values()) room.look();
  });

  return {
    connection,
    belongsTo(owner) {
      if (!isOf(owner)) return signedOut();
      void outbox.open(owner);
    },
    room(classId) {
      if (onScreen[0] !== classId) {
        onScreen = [classId, ...onScreen.filter((other) => other !== classId)];
        subscriptions.update();
      }
      return roomOf(classId).room;
    },
    unread(classId) {
      const { room } = roomOf(classId);
      return { subscribe: room.subscribe, getSnapshot: () => room.getSnapshot().unread };
    },
    hasMoreUnread(classId) {
      const { room } = roomOf(classId);
      return { subscribe: room.subscribe, getSnapshot: () => room.getSnapshot().hasMoreUnread };
    },
    follow(classIds) {
      followed = classIds;
      reopen(classIds);
    },
    unsent: () => outbox.entries().filter(({ id }) => !sender.isAcknowledged(id)).length,
    forgetUnsent: () => outbox.clear(),
    onEnrolment(listener) {
      enrolmentListeners.add(listener);
      return () => enrolmentListeners.delete(listener);
    },
    onClassChanged(listener) {
      classListeners.add(listener);
      return () => classListeners.delete(listener);
    },
    onSignedOut(listener) {
      signedOutListeners.add(listener);
      return () => signedOutListeners.delete(listener);
    },
    close() {
      stopListening();
      stopReading();
      stopWaking();
      end();
    },
  };
}
