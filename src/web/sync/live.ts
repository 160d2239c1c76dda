// The browser's end of /live: keeps the log of each class level with the server's, and sends what
// was posted until it is acknowledged. React sees only what room.ts declares.
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { closeCodes } from '#contract/socket-address.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { call } from '../api.ts';
import { openBrowserSocket } from './browser-socket.ts';
import { applyEvents, fromSnapshot, prependOlder, type HeldLog } from './held-log.ts';
import { createLiveSocket } from './live-socket.ts';
import { newMessageId } from './message-id.ts';
import { createOutbox } from './outbox.ts';
import { toRoomView } from './room-view.ts';
import type { Connection, Live, Room, RoomView } from './room.ts';
import { createCell, type Cell } from './store.ts';

/** A shorter gap in the connection is nobody's concern. */
const offlineAfterMs = 2000;
/** A post without an answer for this long: the connection is dead, whatever the browser says. */
const answerWithinMs = 15_000;
const retryRefusedMs = 2000;

interface OpenRoom {
  room: Room;
  view: Cell<RoomView>;
  held: HeldLog | null;
  gone: boolean;
  older: 'idle' | 'loading' | 'failed';
}

export function createLive(): Live {
  const rooms = new Map<string, OpenRoom>();
  const enrolmentListeners = new Set<(classId: string, joined: boolean) => void>();
  const signedOutListeners = new Set<() => void>();
  const connection = createCell<Connection>('connecting');
  const outbox = createOutbox((classId) => show(classId));
  /** What each unanswered request was for. */
  const requests = new Map<number, { subscribe: string } | { post: string; timer: Timer }>();
  let followed: readonly string[] = [];
  let lastRid = 0;
  let epoch: string | null = null;
  let offlineTimer: Timer | null = null;
  let welcomed = false;

  const socket = createLiveSocket(openBrowserSocket, { frame: receive, down });

  function receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'welcome':
        return welcome(frame.epoch);
      case 'snapshot':
        return hold(frame.classId, fromSnapshot(frame));
      case 'events': {
        const held = rooms.get(frame.classId)?.held;
        if (!held) return;
        const next = applyEvents(held, frame);
        return next === 'hole' ? subscribe(frame.classId) : hold(frame.classId, next);
      }
      case 'live':
        requests.delete(frame.rid);
        return;
      case 'ack':
        return answered(frame.rid, (id) => acknowledged(id, frame.seq));
      case 'nack':
        return refused(frame);
      case 'reset':
        return frame.reason === 'behind' ? subscribe(frame.classId) : close(frame.classId);
      case 'enrolment':
        if (frame.joined) reopen(frame.classId);
        for (const listener of enrolmentListeners) listener(frame.classId, frame.joined);
        return;
      case 'bye':
        return;
    }
  }

  function welcome(nextEpoch: string): void {
    epoch = nextEpoch;
    welcomed = true;
    if (offlineTimer) clearTimeout(offlineTimer);
    offlineTimer = null;
    connection.set('online');
    for (const classId of wanted()) subscribe(classId);
    sendWaiting();
  }

  function down(opened: boolean, code: number): void {
    welcomed = false;
    for (const request of requests.values()) if ('timer' in request) clearTimeout(request.timer);
    requests.clear();
    outbox.putBackAll();
    offlineTimer ??= setTimeout(() => connection.set('offline'), offlineAfterMs);
    if (code === closeCodes.signedOut) signedOut();
    // The browser does not say why a socket was refused; a lost session is one reason.
    else if (!opened) void askWhetherSignedOut();
  }

  async function askWhetherSignedOut(): Promise<void> {
    const me = await call('me', {}).catch(() => null);
    if (me?.account === null) signedOut();
  }

  function signedOut(): void {
    socket.close();
    for (const listener of signedOutListeners) listener();
  }

  /** Those on screen first: one socket takes only so many. */
  function wanted(): string[] {
    const open = [...rooms].filter(([, room]) => !room.gone).map(([classId]) => classId);
    return [...new Set([...open, ...followed])].slice(0, limits.classesPerSocket);
  }

  function subscribe(classId: string): void {
    if (!welcomed) return;
    const held = roomOf(classId).held;
    const rid = ++lastRid;
    requests.set(rid, { subscribe: classId });
    const resume = held && held.epoch === epoch ? { epoch: held.epoch, after: held.seq } : {};
    socket.send({ type: 'subscribe', rid, classId, ...resume });
  }

  function sendWaiting(): void {
    if (!welcomed) return;
    for (const { id, classId, text } of outbox.takeSendable()) {
      const rid = ++lastRid;
      const timer = setTimeout(() => socket.reconnect(), answerWithinMs);
      requests.set(rid, { post: id, timer });
      socket.send({ type: 'post', rid, classId, id, text });
    }
  }

  function answered(rid: number, then: (id: string) => void): void {
    const request = requests.get(rid);
    requests.delete(rid);
    if (!request || !('post' in request)) return;
    clearTimeout(request.timer);
    then(request.post);
    sendWaiting();
  }

  function acknowledged(id: string, seq: number): void {
    const classId = outbox.acknowledge(id, seq);
    const held = classId && rooms.get(classId)?.held;
    if (classId && held) settle(classId, held);
  }

  function refused({ rid, code, message }: ServerFrame & { type: 'nack' }): void {
    const request = requests.get(rid);
    if (request && 'subscribe' in request) {
      requests.delete(rid);
      if (code === 'NOT_FOUND') close(request.subscribe);
      else if (errors[code].retry) setTimeout(() => subscribe(request.subscribe), retryRefusedMs);
      return;
    }
    answered(rid, (id) => {
      if (!errors[code].retry) return outbox.fail(id, message);
      // It stays on its way meanwhile, so that nothing behind it overtakes it.
      setTimeout(() => {
        outbox.putBack(id);
        sendWaiting();
      }, retryRefusedMs);
    });
  }

  function hold(classId: string, held: HeldLog): void {
    const open = roomOf(classId);
    open.held = held;
    open.gone = false;
    settle(classId, held);
    show(classId);
  }

  function settle(classId: string, { seq, messages }: HeldLog): void {
    outbox.settle(
      classId,
      seq,
      messages.map((message) => message.id),
    );
  }

  function close(classId: string): void {
    const open = rooms.get(classId);
    if (!open) return;
    Object.assign(open, { held: null, gone: true, older: 'idle' });
    for (const { id } of outbox.entriesOf(classId)) outbox.remove(id);
    show(classId);
  }

  function reopen(classId: string): void {
    const open = rooms.get(classId);
    if (!open?.gone) return;
    open.gone = false;
    show(classId);
    subscribe(classId);
  }

  function show(classId: string): void {
    const open = rooms.get(classId);
    open?.view.set(toRoomView(open.held, outbox.entriesOf(classId), open));
  }

  function roomOf(classId: string): OpenRoom {
    const known = rooms.get(classId);
    if (known) return known;
    const state = { held: null, gone: false, older: 'idle' } as const;
    const view = createCell(toRoomView(null, outbox.entriesOf(classId), state));
    const open: OpenRoom = { ...state, view, room: createRoom(classId, view) };
    rooms.set(classId, open);
    return open;
  }

  function createRoom(classId: string, view: Cell<RoomView>): Room {
    return {
      subscribe: view.subscribe,
      getSnapshot: view.getSnapshot,
      post(text) {
        outbox.add({ id: newMessageId(), classId, text: text.trim(), createdAt: Date.now() });
        sendWaiting();
      },
      retry(id) {
        outbox.retry(id);
        sendWaiting();
      },
      discard: outbox.remove,
      loadOlder: () => loadOlder(classId),
    };
  }

  async function loadOlder(classId: string): Promise<void> {
    const open = roomOf(classId);
    const before = open.held?.messages[0]?.seq;
    if (!open.held?.hasOlder || before === undefined || open.older === 'loading') return;
    open.older = 'loading';
    show(classId);
    const asked = limits.snapshotMessages;
    try {
      const query = { before, limit: asked };
      const page = await call('listMessages', { params: { classId }, query });
      // What is held may have been replaced or dropped meanwhile.
      if (open.held?.messages[0]?.seq === before) open.held = prependOlder(open.held, page, asked);
      open.older = 'idle';
    } catch {
      open.older = 'failed';
    }
    show(classId);
  }

  const wake = () => {
    if (document.visibilityState === 'visible') socket.wake();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);

  return {
    connection,
    room(classId) {
      const fresh = !rooms.has(classId);
      const open = roomOf(classId);
      if (fresh) subscribe(classId);
      return open.room;
    },
    follow(classIds) {
      const before = new Set(wanted());
      followed = classIds;
      for (const classId of classIds) reopen(classId);
      for (const classId of wanted()) if (!before.has(classId)) subscribe(classId);
    },
    onEnrolment(listener) {
      enrolmentListeners.add(listener);
      return () => enrolmentListeners.delete(listener);
    },
    onSignedOut(listener) {
      signedOutListeners.add(listener);
      return () => signedOutListeners.delete(listener);
    },
    close() {
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      if (offlineTimer) clearTimeout(offlineTimer);
      socket.close();
    },
  };
}

type Timer = ReturnType<typeof setTimeout>;
