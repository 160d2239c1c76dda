// Edits of messages that are not sent, or of which the browser does not know whether they are.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
beforeEach(async () => {
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
});
afterEach(() => stopBrowser(browser));

const getRoom = (shownTab = tab) => shownTab.live.room('class');
const listShown = (shownTab = tab) =>
  getRoom(shownTab)
    .getSnapshot()
    .messages.map(({ text, delivery }) => [text, delivery]);
const listServerTexts = () => server.listMessages('class').map(({ text }) => text);

/** @returns the id of the message */
function post(text: string, from = tab): string {
  getRoom(from).post(text);
  return getRoom(from).getSnapshot().messages.at(-1)?.id ?? '';
}

test('An unsent message is edited without a connection, and sent once with the new text [SEND-17]', async () => {
  tab.wire()?.drop();
  const id = post('on Tuesday');

  await getRoom().edit(id, 'on Thursday');

  expect(listShown()).toEqual([['on Thursday', 'sending']]);
  tab.close();
  const next = await openTabIn(browser);
  await carry(next);
  expect(listServerTexts()).toEqual(['on Thursday']);
  expect(server.listMessages('class')).toMatchObject([{ id, editedAt: null }]);
  expect(await browser.storage.list('ada')).toEqual([]);
});

test('A failed message is edited and sent again [SEND-17, SEND-8]', async () => {
  server.refusals.push({ code: 'MESSAGE_TOO_LONG', message: 'Please shorten it.' });
  const id = post('too long');
  await carry(tab);

  await getRoom().edit(id, 'short');
  await carry(tab);

  expect(listServerTexts()).toEqual(['short']);
});

test('An edit of a message whose reply is on its way changes the sent message [SEND-17]', async () => {
  const id = post('on Tuesday');
  await wait(0);
  tab.wire()?.deliverUp();
  expect(listServerTexts()).toEqual(['on Tuesday']);

  await getRoom().edit(id, 'on Thursday');
  expect(listShown()).toEqual([['on Thursday', 'sending']]);
  await carry(tab);

  expect(listServerTexts()).toEqual(['on Thursday']);
  expect(listShown()).toEqual([['on Thursday', 'sent']]);
  expect(await browser.storage.list('ada')).toEqual([]);
});

test('An edit reaches the message also if its acknowledgement was lost [SEND-17, LOG-3]', async () => {
  const id = post('on Tuesday');
  await wait(0);
  tab.wire()?.deliverUp();
  tab.wire()?.drop();

  await getRoom().edit(id, 'on Thursday');
  tab.wake();
  await carry(tab);
  await carry(tab);

  expect(listServerTexts()).toEqual(['on Thursday']);
  expect(listShown()).toEqual([['on Thursday', 'sent']]);
  expect(server.countPosted(id)).toBe(1);
});

test('An edit in one tab reaches the message that another tab is sending [SEND-17, LOG-14]', async () => {
  const other = await openTabIn(browser);
  const id = post('on Tuesday', other);
  await wait(0);
  tab.wire()?.deliverUp();
  // The tab that sends drops the message before it learns of the edit.
  tab.wire()?.deliverDown();
  const editing = getRoom(other).edit(id, 'on Thursday');
  tab.wire()?.deliverDown();
  await editing;
  await carry(tab, other);
  await carry(tab, other);

  expect(listServerTexts()).toEqual(['on Thursday']);
  expect([listShown(tab), listShown(other)]).toEqual([
    [['on Thursday', 'sent']],
    [['on Thursday', 'sent']],
  ]);
  expect(await browser.storage.list('ada')).toEqual([]);
});

test('A later edit on another device is not overwritten [SEND-17]', async () => {
  const id = post('on Tuesday');
  await wait(0);
  tab.wire()?.deliverUp();
  tab.wire()?.drop();
  await getRoom().edit(id, 'on Thursday');
  server.edit('class', id, 'on Friday');

  tab.wake();
  await carry(tab);

  expect(listServerTexts()).toEqual(['on Friday']);
  expect(listShown()).toEqual([['on Friday', 'sent']]);
});
