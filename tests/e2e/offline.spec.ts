// What a browser keeps for the time without a network. The page itself loads: only the server's answers are missing.
import type { BrowserContext, Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, signIn, test, type Windows } from './fixtures.ts';
import { keptLine, findKeptData, waitUntilKept } from './offline-state.ts';
import {
  openClassAlone,
  findDelivery,
  holdBackPreloading,
  findClassLink,
  findMessage,
  findMessageText,
  say,
  openProfilePage,
} from './room.ts';

/** A context whose calls and sockets can be cut. Tabs that are opened later have the same fate. */
async function makeCuttable(context: BrowserContext, windows: Windows) {
  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  windows.expectConsoleError('WebSocket connection');
  windows.expectConsoleError('The profile could not be read.');
  windows.expectConsoleError('The school theme could not be loaded.');
  let isCut = false;
  const sockets = new Set<{ close(): Promise<void> }>();
  await context.route('**/api/**', (route) => (isCut ? route.abort() : route.continue()));
  await context.routeWebSocket('**/live', (socket) => {
    if (isCut) return void socket.close();
    socket.connectToServer();
    sockets.add(socket);
  });
  return {
    async cut() {
      isCut = true;
      for (const socket of sockets) await socket.close();
      sockets.clear();
    },
    mend: () => (isCut = false),
  };
}

/** Longer than the store waits before it writes. */
const storeDelayMs = 6000;

test('the app opens without a network and later sends what was written [OFFLINE-1, OFFLINE-2, LOG-14, OFFLINE-4, SEND-36]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const other = await ada.createClass({ courseNumber: '9' });
  const socket = await ben.connect();
  const { id: helloId } = await socket.post(classId, 'hello from Ben');
  const page = await windows.openWindow();
  const line = await makeCuttable(page.context(), windows);
  await signIn(page, ada);
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'hello from Ben')).toBeVisible();
  await waitUntilKept(page, 'hello from Ben');

  await line.cut();
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'hello from Ben')).toBeVisible();
  await expect(page.getByText(keptLine)).toBeVisible();
  await expect(page.getByText(/You are offline/)).toBeVisible();
  await say(page, 'written offline');
  await say(page, 'and more');
  await expect(findMessage(page, 'and more')).toContainText('Waiting for a connection');
  await findClassLink(page, 'CS 9').click();
  await expect(page).toHaveURL(`/home/${other}`);
  const notKept = page.getByText('No messages of this class are kept on this device.');
  await expect(notKept).toBeVisible();
  await say(page, 'nothing above me is here');
  await expect(findMessageText(page, 'nothing above me is here')).toBeVisible();
  await expect(notKept).toBeVisible();
  await expect(page.getByText('This is where the conversation begins.')).toHaveCount(0);

  // A later page has them, too, and sends them.
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'and more')).toBeVisible();
  await socket.post(classId, 'meanwhile');
  line.mend();
  await expect(findMessageText(page, 'meanwhile')).toBeVisible({ timeout: 40_000 });
  await expect(page.getByText(keptLine)).toHaveCount(0);
  await expect(async () => {
    const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map(({ text }) => text)).toEqual([
      'hello from Ben',
      'meanwhile',
      'written offline',
      'and more',
    ]);
  }).toPass({ timeout: 20_000 });
  await expect(findMessage(page, 'and more')).not.toContainText('Waiting');
  await waitUntilKept(page, 'hello from Ben');
  expect(JSON.stringify(await findKeptData(page))).not.toContain(ada.email);

  await socket.request({ type: 'delete', classId, messageId: helloId });
  await expect
    .poll(async () => JSON.stringify(await findKeptData(page)), { timeout: 20_000 })
    .not.toContain('hello from Ben');
});

test('the profile lists what is kept, forgets it, and switches keeping off in all tabs [OFFLINE-7]', async ({
  windows,
  site,
}) => {
  const { classId, page } = await openClassAlone(windows, site);
  await say(page, 'a secret');
  await waitUntilKept(page, 'a secret');
  const tab = await page.context().newPage();
  await tab.clock.install();
  await tab.goto(`/home/${classId}`);
  await expect(findMessageText(tab, 'a secret')).toBeVisible();
  await openProfilePage(page, 'On this device');
  const section = page.getByRole('region', { name: 'On this device' });
  const entries = section.getByRole('list', { name: 'Kept classes' }).getByRole('listitem');
  await expect(entries).toHaveText([/^CS 1461 message, .+\d/]);
  expect(await findViolations(page)).toEqual([]);
  await section.getByRole('button', { name: 'Forget these messages' }).click();
  await expect(section.getByText('No class is kept yet.')).toBeVisible();
  expect(await findKeptData(page)).toEqual([]);

  await page.getByRole('link', { name: 'Home' }).click();
  await say(page, 'another secret');
  await expect.poll(() => findKeptData(page)).toEqual([['a secret', 'another secret']]);
  await openProfilePage(page, 'On this device');
  await section.getByRole('checkbox', { name: 'Keep messages on this device' }).uncheck();
  await expect(section.getByText('Nothing is kept.')).toBeVisible();
  await expect.poll(() => findKeptData(page)).toBe(null);
  await say(tab, 'from the other tab');
  await expect(findDelivery(tab, 'from the other tab')).toHaveAttribute('aria-busy', 'false');
  await tab.clock.runFor(storeDelayMs);
  expect(await findKeptData(page)).toBe(null);
  await section.getByRole('checkbox', { name: 'Keep messages on this device' }).check();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect
    .poll(async () => JSON.stringify(await findKeptData(page)))
    .toContain('from the other tab');
});

test('nothing is kept on a shared computer [OFFLINE-7]', async ({ windows, site }) => {
  const student = await site.createStudent();
  await student.createClass();
  windows.expectConsoleError('401');
  const page = await windows.openWindow();
  await page.clock.install();
  await page.goto('/signin');
  await page.getByRole('checkbox', { name: 'This is a shared computer' }).check();
  await signIn(page, student);
  await say(page, 'a secret');
  await expect(findDelivery(page, 'a secret')).toHaveAttribute('aria-busy', 'false');
  await page.clock.runFor(storeDelayMs);
  expect(await findKeptData(page)).toBe(null);
  await openProfilePage(page, 'On this device');
  await expect(
    page.getByRole('checkbox', { name: 'Keep messages on this device' }),
  ).not.toBeChecked();
  await page.getByRole('link', { name: 'Account' }).click();
  // Only this sign-in was on a shared computer.
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  await expect(page.getByRole('checkbox', { name: 'This is a shared computer' })).not.toBeChecked();
});

test('what is older than a session is deleted and not shown [OFFLINE-8]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const page = await windows.openWindow();
  const line = await makeCuttable(page.context(), windows);
  await signIn(page, student);
  await say(page, 'a secret');
  await waitUntilKept(page, 'a secret');
  await line.cut();
  await page.clock.setFixedTime(Date.now() + 31 * 24 * 3_600_000);
  await page.goto(`/home/${classId}`);
  await expect(page.getByText(/The server cannot be reached/)).toBeVisible();
  await expect.poll(() => findKeptData(page)).toBe(null);
});

test('the app reads nothing that is kept before the first screen if the server answers [OFFLINE-2]', async ({
  windows,
  site,
}) => {
  const { classId, page } = await openClassAlone(windows, site);
  await say(page, 'hello');
  await waitUntilKept(page, 'hello');
  await page.addInitScript(() => {
    const openedNames: string[] = [];
    Object.assign(window, { openedNames });
    const open = indexedDB.open.bind(indexedDB);
    indexedDB.open = (name, version) => {
      openedNames.push(name);
      return open(name, version);
    };
  });
  await holdBackPreloading(page);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await page.goto(`/home/${classId}`);
  await expect(findMessageText(page, 'hello')).toBeVisible();
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  expect(scripts.filter((url) => url.includes('offline-data'))).toEqual([]);
  expect(
    await page.evaluate(() => (window as unknown as { openedNames: string[] }).openedNames),
  ).toEqual(['backchannel']);
  await page.keyboard.press('a');
  await expect.poll(() => scripts.some((url) => url.includes('offline-data'))).toBe(true);
});

const faults: [string, (page: Page) => Promise<unknown>][] = [
  [
    'missing',
    (page) =>
      page.addInitScript(() => Reflect.defineProperty(window, 'indexedDB', { value: undefined })),
  ],
  [
    'forbidden',
    (page) =>
      page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
          throw new DOMException('Not here.', 'SecurityError');
        };
        IDBFactory.prototype.deleteDatabase = IDBFactory.prototype.open;
      }),
  ],
  [
    'silent',
    (page) =>
      page.addInitScript(() => {
        IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
      }),
  ],
  ['damaged', (page) => replaceDatabase(page, 1, 'other')],
  ['of another form', (page) => replaceDatabase(page, 1, 'rooms')],
  ['from a newer version', (page) => replaceDatabase(page, 99, 'other')],
  [
    'full',
    async (page) => {
      await page.goto('/favicon.ico');
      const client = await page.context().newCDPSession(page);
      const origin = new URL(page.url()).origin;
      await client.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
    },
  ],
];

/** Leaves a database of another form. */
async function replaceDatabase(page: Page, version: number, store: string): Promise<void> {
  await page.goto('/favicon.ico');
  await page.evaluate(
    async ([number, name]) => {
      const removal = indexedDB.deleteDatabase('backchannel-kept');
      await new Promise((resolve) => removal.addEventListener('success', resolve));
      const request = indexedDB.open('backchannel-kept', number);
      request.addEventListener('upgradeneeded', () => {
        const rooms = request.result.createObjectStore(name);
        if (name !== 'rooms') return;
        request.result.createObjectStore('answers').put({ account: 1, keptAt: 'x' }, 'answers');
        rooms.put({ replica: 'of another form', classId: 'x' }, 'x');
      });
      await new Promise((resolve) => request.addEventListener('success', resolve));
      request.result.close();
    },
    [version, store] as const,
  );
}

test('the live room works without a usable IndexedDB [OFFLINE-9]', async ({ windows, site }) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  await say(page, 'before');
  await waitUntilKept(page, 'before');
  await page.goto('about:blank');
  const expected = ['before'];
  for (const [faultName, spoil] of faults) {
    const tab = await page.context().newPage();
    await spoil(tab);
    await tab.clock.install();
    await tab.goto(`/home/${classId}`);
    await expect(findMessageText(tab, 'before')).toBeVisible();
    await say(tab, faultName);
    await expect(findDelivery(tab, faultName)).toHaveAttribute('aria-busy', 'false');
    await tab.clock.runFor(storeDelayMs);
    expected.push(faultName);
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map(({ text }) => text)).toEqual(expected);
    if (faultName !== faults.at(-1)?.[0]) {
      await tab.close();
      continue;
    }
    await openProfilePage(tab, 'On this device');
    await expect(tab.getByRole('region', { name: 'On this device' })).toBeVisible();
    await tab.getByRole('link', { name: 'Account' }).click();
    await tab.getByRole('button', { name: 'Log Out' }).click();
    await expect(tab).toHaveURL('/signin');
  }
});
