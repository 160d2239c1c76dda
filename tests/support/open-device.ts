// The browser's own client of /live, connected to a real server.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { SocketLiveClient } from '#web/sync/live-client.ts';
import { createMemoryStorage } from '#web/sync/outbox/outbox-storage.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import type { TestClient } from './test-client.ts';

export interface Device {
  live: LiveClient;
  /** Breaks the connection. The client connects again. */
  drop(): void;
  /** Resolves when all that the server has sent has arrived, or the connection has ended. */
  flush(): Promise<void>;
}

export function openDevice(student: TestClient): Device {
  let last: WebSocket | null = null;
  const live = new SocketLiveClient({
    openSocket(handlers) {
      const socket = student.openWebSocket();
      socket.on('open', () => handlers.open());
      socket.on('message', (data: Buffer) => handlers.text(String(data)));
      socket.on('error', () => {});
      socket.on('close', (code) => handlers.close(code));
      last = socket;
      return {
        send: (text) => {
          if (socket.readyState === socket.OPEN) socket.send(text);
        },
        close: () => socket.close(),
      };
    },
    storage: Promise.resolve(createMemoryStorage(false)),
    tabStorage: { read: () => null, write: () => {} },
    sharedStorage: { read: () => null, write: () => {} },
    tabs: {
      publishOutboxChange: () => {},
      onOutboxChange: () => () => {},
      acquireLeadership(_, { onAcquired }) {
        onAcquired();
        return () => {};
      },
    },
    page: { isVisible: () => true, onWake: () => () => {}, onHide: () => () => {} },
    pictures: {
      upload: () => Promise.reject(new Error('No pictures here.')),
      remove: () => Promise.resolve(),
      measure: () => Promise.resolve({ width: 1, height: 1 }),
      convert: () => Promise.resolve(null),
      shrink: () => Promise.resolve(null),
    },
    now: () => Date.now(),
    readHistory: () => Promise.reject(new Error('No pages of history here.')),
    async checkSession() {
      const me = await student.call('me', {}).catch(() => null);
      if (!me) return 'unreachable';
      return me.account?.suspended === false ? 'signed-in' : 'signed-out';
    },
  });
  return {
    live,
    drop: () => last?.terminate(),
    async flush() {
      const socket = last;
      if (socket?.readyState !== WebSocket.OPEN) return;
      const reply = Promise.race([once(socket, 'pong'), once(socket, 'close')]);
      socket.ping();
      await reply;
    },
  };
}
