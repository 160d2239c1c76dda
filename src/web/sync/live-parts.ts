// The dependencies of the /live client. Tests pass their own.
import { call } from '../api.ts';
import { browserPictures } from './browser-pictures.ts';
import { browserPage, type Page } from './browser-page.ts';
import { openBrowserSocket } from './browser-socket.ts';
import { browserTabs, type Tabs } from './browser-tabs.ts';
import type { OlderPage } from './log-replica.ts';
import { openOutboxStorage } from './indexed-db-storage.ts';
import type { OpenSocket } from './live-socket.ts';
import type { OutboxStorage } from './outbox-storage.ts';
import { browserReadMarks, type ReadMarks } from './read-marks.ts';
import type { PictureCalls } from './picture-calls.ts';

export interface LiveParts {
  openSocket: OpenSocket;
  storage: Promise<OutboxStorage>;
  tabs: Tabs;
  page: Page;
  readMarks: ReadMarks;
  pictures: PictureCalls;
  now(): number;
  /** Reads a page of history: messages with a seq below `before`. */
  readOlder(classId: string, before: number, limit: number): Promise<OlderPage>;
  /** Checks the session over HTTP. */
  checkSession(): Promise<'signed-in' | 'signed-out' | 'unreachable'>;
}

export function createBrowserParts(): LiveParts {
  return {
    openSocket: openBrowserSocket,
    storage: openOutboxStorage(),
    tabs: browserTabs,
    page: browserPage,
    readMarks: browserReadMarks,
    pictures: browserPictures,
    now: () => Date.now(),
    readOlder: (classId, before, limit) =>
      call('listMessages', { params: { classId }, query: { before, limit } }),
    async checkSession() {
      const me = await call('me', {}).catch(() => null);
      if (!me) return 'unreachable';
      return me.account ? 'signed-in' : 'signed-out';
    },
  };
}
