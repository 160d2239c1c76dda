// The dependencies of the /live client. Tests pass their own.
import { limits } from '#contract/limits.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { call, NetworkError } from '../api.ts';
import { createPreloadedModule } from '../lazy-module.ts';
import type { PictureCalls } from './uploads/browser-pictures.ts';
import { browserTabs, type Tabs } from './engine/browser-tabs.ts';
import type { HistoryPage, HistoryQuery } from './engine/log-replica.ts';
import { openOutboxStorage } from './outbox/indexed-db-storage.ts';
import type { OpenSocket } from './engine/live-socket.ts';
import type { OutboxStorage } from './outbox/outbox-storage.ts';
import { browserStorage, browserTabStorage, type TabStorage } from './engine/tab-storage.ts';

/** Reports whether the tab is visible and when a retry is worthwhile. */
export interface Page {
  isVisible(): boolean;
  /** Called when the tab becomes visible or the network returns. @returns unsubscribe */
  onWake(listener: () => void): () => void;
  /** Called when the tab is hidden or closes. @returns unsubscribe */
  onHide(listener: () => void): () => void;
}

export interface LiveDependencies {
  openSocket: OpenSocket;
  storage: Promise<OutboxStorage>;
  tabStorage: TabStorage;
  /** What all tabs of this browser share. */
  sharedStorage: TabStorage;
  tabs: Tabs;
  page: Page;
  pictures: PictureCalls;
  now(): number;
  readHistory(classId: string, query: HistoryQuery): Promise<HistoryPage>;
  /** Checks the session over HTTP. */
  checkSession(): Promise<'signed-in' | 'signed-out' | 'unreachable'>;
}

const historyLimit = limits.snapshotMessages;

export function createBrowserDependencies(): LiveDependencies {
  return {
    openSocket: openBrowserSocket,
    storage: openOutboxStorage(),
    tabStorage: browserTabStorage,
    sharedStorage: browserStorage,
    tabs: browserTabs,
    page: browserPage,
    pictures: lazyPictures,
    now: () => Date.now(),
    readHistory: (classId, query) =>
      call('listMessages', { params: { classId }, query: { limit: historyLimit, ...query } }),
    async checkSession() {
      const me = await call('me', {}).catch(() => null);
      if (!me) return 'unreachable';
      return me.account?.suspended === false ? 'signed-in' : 'signed-out';
    },
  };
}

const browserPictures = createPreloadedModule(() => import('./uploads/browser-pictures.ts'));

/** @throws {NetworkError} if the code has not loaded */
async function loadPictures(): Promise<PictureCalls> {
  await browserPictures.load();
  const code = browserPictures.getSnapshot();
  if (!code) throw new NetworkError();
  return code.browserPictures;
}

const lazyPictures: PictureCalls = {
  upload: async (...args) => (await loadPictures()).upload(...args),
  remove: async (...args) => (await loadPictures()).remove(...args),
  measure: (bytes) =>
    loadPictures().then(
      ({ measure }) => measure(bytes),
      () => null,
    ),
  convert: async (bytes) => (await loadPictures()).convert(bytes),
  shrink: (...args) =>
    loadPictures().then(
      ({ shrink }) => shrink(...args),
      () => null,
    ),
};

/** Opens the browser's WebSocket to this origin. */
const openBrowserSocket: OpenSocket = (handlers) => {
  const url = new URL(socketPath, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, subprotocol);
  socket.addEventListener('open', () => handlers.open());
  socket.addEventListener('message', (event) => handlers.text(String(event.data)));
  socket.addEventListener('close', (event) => handlers.close(event.code));
  return {
    send(text) {
      // A closing socket cannot send. The close event follows.
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
};

const browserPage: Page = {
  isVisible: () => document.visibilityState === 'visible',
  onWake(listener) {
    const onChange = () => {
      if (browserPage.isVisible()) listener();
    };
    addEventListener('online', onChange);
    document.addEventListener('visibilitychange', onChange);
    return () => {
      removeEventListener('online', onChange);
      document.removeEventListener('visibilitychange', onChange);
    };
  },
  onHide(listener) {
    const onChange = () => {
      if (!browserPage.isVisible()) listener();
    };
    addEventListener('pagehide', listener);
    document.addEventListener('visibilitychange', onChange);
    return () => {
      removeEventListener('pagehide', listener);
      document.removeEventListener('visibilitychange', onChange);
    };
  },
};
