import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeBrowser, FakeTab } from './testing/fake-browser.ts';
import type { FakeServer } from './testing/fake-server.ts';
import { carry, openTabIn, startBrowser, stopBrowser, wait } from './testing/one-browser.ts';

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
beforeEach(async () => {
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
  server.say('class', 'x');
  await carry(tab);
});
afterEach(() => stopBrowser(browser));

const room = () => tab.live.room('class');
const shown = (of = tab) =>
  of.live
    .room('class')
    .getSnapshot()
    .messages.map(({ id }) => id);
const onServer = () => server.messagesOf('class').map(({ id }) => id);

test('a deletion hides the message and reaches the server after five seconds [SEND-40]', async () => {
  const removal = room().remove('x');
  expect(shown()).toEqual([]);
  await wait(4900);
  await carry(tab);
  expect(onServer()).toEqual(['x']);
  await wait(100);
  await carry(tab);
  expect(onServer()).toEqual([]);
  expect(await removal).toEqual({ imageLeft: false });
  expect(shown()).toEqual([]);
  expect(room().undoRemove('x')).toBe(false);
  expect(browser.deletions.size).toBe(0);
});

test('an undone deletion never reaches the server [SEND-40]', async () => {
  void room().remove('x');
  expect(room().undoRemove('x')).toBe(true);
  expect(shown()).toEqual(['x']);
  tab.hide();
  await wait(20_000);
  await carry(tab);
  expect(onServer()).toEqual(['x']);
  expect(browser.deletions.size).toBe(0);
});

test('a hidden tab sends the deletion immediately [SEND-41]', async () => {
  void room().remove('x');
  tab.hide();
  await carry(tab);
  expect(onServer()).toEqual([]);
});

test('a deletion without a connection shows the message again [SEND-40]', async () => {
  const removal = room()
    .remove('x')
    .catch((error: unknown) => String(error));
  tab.wire()?.drop();
  await wait(5000);
  expect(await removal).toContain('The server cannot be reached.');
  expect(shown()).toEqual(['x']);
  expect(browser.deletions.size).toBe(0);
});

test('the next tab sends the deletion of a tab that closed without a connection [SEND-41]', async () => {
  void room().remove('x');
  tab.wire()?.drop();
  tab.hide();
  tab.close();
  tab = await openTabIn(browser);
  expect(onServer()).toEqual(['x']);
  await wait(8000);
  await carry(tab);
  expect(onServer()).toEqual([]);
  expect(browser.deletions.size).toBe(0);
});

test('a tab that was hidden without a connection sends the deletion when it has one [SEND-41]', async () => {
  void room().remove('x');
  tab.wire()?.drop();
  tab.hide();
  await wait(20_000);
  await carry(tab);
  await wait(8000);
  await carry(tab);
  expect(onServer()).toEqual([]);
  expect(shown()).toEqual([]);
});

test('another tab leaves a deletion that can be undone to its own tab [SEND-41]', async () => {
  void room().remove('x');
  const other = await openTabIn(browser);
  await wait(4000);
  expect(room().undoRemove('x')).toBe(true);
  await wait(20_000);
  await carry(tab, other);
  expect(onServer()).toEqual(['x']);
  expect(shown(other)).toEqual(['x']);
});

test('a deletion is never sent under another account [SEND-41]', async () => {
  browser.deletions.set('x', { account: 'ben', classId: 'class', messageId: 'x', dueAt: 0 });
  tab = await openTabIn(browser);
  await wait(20_000);
  await carry(tab);
  expect(onServer()).toEqual(['x']);
});

test('a message that the server asks to wait says when it is sent again [SEND-36]', async () => {
  server.refusals.push({ code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 7000 });
  room().post('a');
  await carry(tab);
  const retryAt = () => room().getSnapshot().messages.at(-1)?.retryAt;
  expect(retryAt()).toBeGreaterThan(Date.now() + 6000);
  await wait(7000);
  expect(retryAt()).toBeNull();
  await carry(tab);
  expect(server.messagesOf('class')).toHaveLength(2);
});
