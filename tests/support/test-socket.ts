// One connection of a student to /live. It keeps every frame, so a test can wait for one that has already come.
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;
export type Snapshot = FrameOf<'snapshot'>;
export type Reply = FrameOf<'ack' | 'nack'>;

export interface TestSocket {
  /** All received frames, in order. */
  readonly frames: readonly ServerFrame[];
  /** The size in bytes of each frame, in the same order. */
  readonly frameSizes: readonly number[];
  /** The close code, once the socket has closed. */
  readonly closed: Promise<number>;
  /** The socket of the library, to pause it, cut it off or answer pings. */
  readonly webSocket: WebSocket;
  send(frame: ClientFrame): void;
  sendText(text: string): void;
  /** Sends a frame with a rid and returns the reply, whatever it is. */
  request(frame: object): Promise<Reply>;
  /** Subscribes and returns the room's snapshot. */
  subscribe(classId: string): Promise<Snapshot>;
  /** Posts and returns the reply, and the message's id. */
  post(classId: string, text: string, id?: string): Promise<Reply & { id: string }>;
  /** The first frame that matches the test, already received or future. */
  waitFor<Type extends ServerFrame['type']>(
    type: Type,
    test?: (frame: FrameOf<Type>) => boolean,
  ): Promise<FrameOf<Type>>;
  /** The ack or nack of the frame with this rid. */
  waitForReply(rid: number): Promise<Reply>;
  close(): void;
}

// Only a failing test waits this long: a heap snapshot on a busy machine takes many seconds.
const timeoutMs = 60_000;
/** Starts above the numbers that tests choose themselves, so that no reply is taken for another one. */
let lastRid = 10_000;

export function createTestSocket(webSocket: WebSocket): TestSocket {
  const frames: ServerFrame[] = [];
  const frameSizes: number[] = [];
  const waiting = new Set<() => void>();
  const checkAll = () => {
    for (const check of [...waiting]) check();
  };
  let failure: Error | null = null;
  webSocket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(String(data)) as ServerFrame);
    frameSizes.push(data.length);
    checkAll();
  });
  webSocket.on('error', (error) => {
    failure = error;
    checkAll();
  });
  const closing = new Promise<number>((resolve) => {
    webSocket.on('close', (code) => {
      failure ??= new Error(`The socket closed with ${code}.`);
      resolve(code);
      checkAll();
    });
  });

  function waitForFrame<Wanted extends ServerFrame>(
    name: string,
    isWanted: (frame: ServerFrame) => frame is Wanted,
  ): Promise<Wanted> {
    return new Promise((resolve, reject) => {
      let timeout: Error | null = null;
      const timer = setTimeout(() => {
        timeout = new Error(`No ${name} arrived.`);
        check();
      }, timeoutMs);
      function check(): void {
        const frame = frames.find(isWanted);
        const reason = timeout ?? failure;
        if (!frame && !reason) return;
        clearTimeout(timer);
        waiting.delete(check);
        if (frame) resolve(frame);
        else reject(reason ?? new Error('unreachable'));
      }
      waiting.add(check);
      check();
    });
  }

  const socket: TestSocket = {
    frames,
    frameSizes,
    closed: closing,
    webSocket,
    send: (frame) => webSocket.send(JSON.stringify(frame)),
    sendText: (text) => webSocket.send(text),
    close: () => webSocket.close(),
    request(frame) {
      const rid = ++lastRid;
      webSocket.send(JSON.stringify({ rid, ...frame }));
      return socket.waitForReply(rid);
    },
    async subscribe(classId) {
      const rid = ++lastRid;
      socket.send({ type: 'subscribe', rid, classId });
      await socket.waitFor('live', (frame) => frame.rid === rid);
      return socket.waitFor('snapshot', (frame) => frame.rid === rid);
    },
    async post(classId, text, id = randomUUID()) {
      const reply = await socket.request({ type: 'post', classId, id, text });
      return { ...reply, id };
    },
    waitFor(type, test = () => true) {
      type Wanted = FrameOf<typeof type>;
      return waitForFrame(`${type} frame`, (frame): frame is Wanted => {
        return frame.type === type && test(frame as Wanted);
      });
    },
    waitForReply(rid) {
      return waitForFrame(`reply to ${rid}`, (frame): frame is Reply => {
        return (frame.type === 'ack' || frame.type === 'nack') && frame.rid === rid;
      });
    },
  };
  return socket;
}
