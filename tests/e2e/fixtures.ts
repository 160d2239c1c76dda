// The fixtures of every browser test: the server as `npm start` runs it, people with separate windows, and a
// console in which an unexpected error fails the test.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  test as base,
  expect,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { toRouteUrl } from '#contract/routes.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import type { Settings } from '#tests/support/child-environment.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { unfoldRecipient } from '#tests/support/fake-smtp.ts';
import { university } from '#tests/support/university.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { setUpNodes, setUpServer } from './engines.ts';
import { launchFirefox } from './launch-firefox.ts';

const closingMs = 10_000;

/** The window of a phone. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** The smallest window that the app is made for. */
export const smallPhone = { ...phone, viewport: { width: 320, height: 640 } };

export interface Site {
  readonly origin: string;
  /** What commands that open the server's data need. */
  readonly settings: Settings;
  /** Reads or changes the rows behind the server's back. */
  readonly query: TestDatabase['query'];
  /** The mails to this address so far, the newest last. */
  listMailsTo(address: string): string[];
  /** Waits for the newest mail to this address. */
  waitForMailTo(address: string): Promise<string>;
  /** Creates an account without a browser. */
  createStudent(): Promise<TestClient>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface Windows {
  /** Opens a window with its own cookies and storage. */
  openWindow(options?: BrowserContextOptions): Promise<Page>;
  /** Opens a signed-in window with its own cookies and storage. */
  openWindowAs(student: TestClient, options?: BrowserContextOptions): Promise<Page>;
  /** Allows console errors that contain this text from now on. */
  expectConsoleError(text: string): void;
  /** Call it before a server ends that the test has started: open pages would log that it is gone. */
  closeWindows(): Promise<void>;
}

export const test = base.extend<{ windows: Windows }, { site: Site; browser: Browser }>({
  browser: [
    async ({ playwright, browserName }, provide) => {
      const isFirefox = browserName === 'firefox';
      const browser = await (isFirefox ? launchFirefox() : playwright.chromium.launch());
      await provide(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  site: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names from the pattern
    async ({}, provide) => {
      const site = await createSite();
      await provide(site);
      await site.end();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  windows: async ({ browser, site }, provide) => {
    const windows = createWindows(browser, site);
    await provide(windows);
    await windows.closeWindows();
    expect(windows.consoleErrors()).toEqual([]);
  },
});

export { expect };

/** BACKCHANNEL_NODES=on: each site is three nodes on PostgreSQL and Redis behind Caddy. */
export const onNodes = process.env['BACKCHANNEL_NODES'] === 'on';

/** Starts a separate server for a test that needs other settings. A test may change them while it is stopped. */
export async function createSite(
  settings: Readonly<Record<string, string>> = {},
): Promise<Site & { end(): Promise<void> }> {
  const port = Number(settings['PORT'] ?? (await findFreePort()));
  const origin = `http://localhost:${port}`;
  const server = await (onNodes ? setUpNodes() : setUpServer());
  let studentCount = 0;
  const site: Site = {
    origin,
    settings: server.settings,
    query: server.query,
    listMailsTo(address) {
      const mails = globSync(`${server.folder}{,/node-*}/mail`).flatMap((dir) =>
        readdirSync(dir).map((file) => ({
          file,
          mail: unfoldRecipient(readFileSync(join(dir, file), 'utf8')),
        })),
      );
      return mails
        .filter(({ mail }) => mail.includes(`To: ${address}`))
        .toSorted((a, b) => (a.file < b.file ? -1 : 1))
        .map(({ mail }) => mail);
    },
    async waitForMailTo(address) {
      for (;;) {
        const mail = site.listMailsTo(address).at(-1);
        if (mail) return mail;
        await sleep(50);
      }
    },
    async createStudent() {
      const email = `${university.createPerson(studentCount++).localPart}@university.edu`;
      const student = createTestClient(origin, email);
      await student.call('signUp', { body: { email, password } });
      return student;
    },
    async start() {
      const { PORT: _, ...ownSettings } = settings;
      await server.start(port, {
        ALLOWED_HOSTS: 'riverside.localhost,ashgrove.localhost',
        // The disk of the machine that runs the tests may be full.
        KEEP_FREE_GB: '0',
        // All students of a run share one address, and tests act faster than people.
        ...unlimitedRates,
        ...ownSettings,
      });
    },
    stop: server.stop,
  };
  await site.start();
  return {
    ...site,
    async end() {
      await site.stop();
      await server.remove();
    },
  };
}

/** Signs the window in without the form, which only tests of the form use, and opens the home page. */
export async function signIn(page: Page, student: TestClient): Promise<void> {
  const reply = await page.request.post(toRouteUrl('signIn', {}), {
    data: { email: student.email, password: student.password },
    headers: { origin: student.origin },
  });
  expect(reply.ok(), await reply.text()).toBe(true);
  await page.goto('/home');
  // Chromium reports no distance for a window's first move, and the app takes that for a mouse at rest.
  await page.mouse.move(1, 1);
}

async function signInByForm(page: Page, student: TestClient): Promise<void> {
  await page.goto('/signin');
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.waitForURL('**/home**');
}

/** Stops the server. Each open page then logs a connection error. */
export async function stopServer(windows: Windows, site: Site): Promise<void> {
  windows.expectConsoleError('WebSocket connection');
  windows.expectConsoleError('ERR_CONNECTION_REFUSED');
  windows.expectConsoleError('ERR_CONNECTION_RESET');
  await site.stop();
}

function createWindows(browser: Browser, site: Site) {
  const errors: string[] = [];
  const expected: string[] = [];
  const pages: Page[] = [];
  const windows: Windows = {
    async openWindow(options = {}) {
      // page.route() does not see what a service worker answers.
      const context = await browser.newContext({
        baseURL: site.origin,
        serviceWorkers: 'block',
        ...options,
      });
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      pages.push(page);
      return page;
    },
    async openWindowAs(student, options) {
      const page = await windows.openWindow(options);
      // Only browsers resolve riverside.localhost.
      const isSchoolHost = options?.baseURL?.includes('.localhost') === true;
      await (isSchoolHost ? signInByForm(page, student) : signIn(page, student));
      return page;
    },
    expectConsoleError: (text) => void expected.push(text),
    async closeWindows() {
      // Chromium sometimes never reports that a context with a background tab has closed. Closing the browser
      // closes it.
      await Promise.all(
        pages.splice(0).map((page) => Promise.race([page.context().close(), sleep(closingMs)])),
      );
    },
  };
  return {
    ...windows,
    consoleErrors: () => errors.filter((error) => !expected.some((text) => error.includes(text))),
  };
}
