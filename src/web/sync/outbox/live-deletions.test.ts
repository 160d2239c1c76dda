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
  server.say('class', 'x');
  await carry(tab);
});
afterEach(() => stopBrowser(browser));

const getRoom = () => tab.live.room('class');
const listShownIds = (shownTab = tab) =>
  shownTab.live
    .room('class')
    .getSnapshot()
    .messages.map(({ id }) => id);
const listServerIds = () => server.listMessages('class').map(({ id }) => id);

const remove = (id = 'x', from = tab) => from.live.room('class').remove({ id, memberId: 'ada' });
const listStoredIds = async () => (await browser.storage.list('ada')).map(({ deletes }) => deletes);
/** Frames of the browser that the server has not read. */
const listSentFrames = () => tab.wire()?.clientFrames.map(({ type }) => type);

test('a confirmed deletion is sent immediately and leaves no trace in the browser [SEND-46]', async () => {
  remove();

  expect(listShownIds()).toEqual([]);
  expect(listSentFrames()).toEqual(['delete']);
  await carry(tab);
  expect(listServerIds()).toEqual([]);
  expect(listShownIds()).toEqual([]);
  expect(await listStoredIds()).toEqual([]);
});

test('a deletion does not wait for a message that the server asked to wait [SEND-46]', async () => {
  server.refusals.push({ code: 'SLOW_MODE', message: 'Wait.', retryAfterMs: 60_000 });
  getRoom().post('later');
  await carry(tab);

  remove();
  await carry(tab);

  expect(listServerIds()).toEqual([]);
  expect(getRoom().getSnapshot().messages).toMatchObject([{ text: 'later', seq: null }]);
});

test('a tab that does not send the messages sends its own deletion immediately [SEND-46]', async () => {
  const other = await openTabIn(browser);

  remove('x', other);
  await carry(other);

  expect(listServerIds()).toEqual([]);
  await carry(tab);
  expect(listShownIds()).toEqual([]);
  expect(await listStoredIds()).toEqual([]);
});

test('all tabs of the author hide a message whose deletion waits for a connection [SEND-47]', async () => {
  const other = await openTabIn(browser);
  tab.wire()?.drop();
  other.wire()?.drop();

  remove();
  await wait(0);

  expect(listShownIds(other)).toEqual([]);
  expect(listServerIds()).toEqual(['x']);
});

test('a deletion that waits for a connection is sent before messages that were written earlier [SEND-47]', async () => {
  tab.wire()?.drop();
  getRoom().post('first');
  remove();
  await wait(2000);
  tab.wire()?.open();
  for (let n = 0; n < 20; n++) {
    tab.wire()?.deliverDown();
    await wait(0);
  }

  expect(listSentFrames()?.filter((type) => type !== 'subscribe')).toEqual(['delete']);
  await carry(tab);
  expect(server.listMessages('class').map(({ text }) => text)).toEqual(['first']);
});

test('the class of a waiting deletion comes before the class on screen [SEND-47, LOG-29]', async () => {
  tab.wire()?.drop();
  remove();
  tab.live.room('other').post('hello');
  await carry(tab);
  await wait(1000);
  await carry(tab);

  expect(listServerIds()).toEqual([]);
  expect(server.listMessages('other')).toEqual([]);
  await wait(8000);
  await carry(tab);
  expect(server.listMessages('other')).toHaveLength(1);
});

test('a deletion survives the tab in which it was made without a connection [SEND-47]', async () => {
  tab.wire()?.drop();
  remove();
  await wait(0);
  tab.close();
  expect(await listStoredIds()).toEqual(['x']);

  tab = await openTabIn(browser);
  await carry(tab);

  expect(listServerIds()).toEqual([]);
  expect(listShownIds()).toEqual([]);
  expect(await listStoredIds()).toEqual([]);
});

test('a deletion whose answer was lost is sent again [SEND-47, DELETE-5]', async () => {
  remove();
  tab.wire()?.deliverUp();
  tab.wire()?.drop();
  expect(listServerIds()).toEqual([]);
  await wait(2000);
  await carry(tab);

  expect(listShownIds()).toEqual([]);
  expect(await listStoredIds()).toEqual([]);
});

test('a deletion is never sent under another account [SEND-47]', async () => {
  tab.wire()?.drop();
  remove();
  await wait(0);
  tab.close();
  browser.account = 'ben';

  tab = await openTabIn(browser);
  await wait(20_000);
  await carry(tab);

  expect(listServerIds()).toEqual(['x']);
  expect(await listStoredIds()).toEqual(['x']);
});

test('a rejected deletion shows the message again and says why, also after a reload [SEND-46]', async () => {
  remove();
  const frame = tab.wire()?.clientFrames.shift();
  if (frame?.type !== 'delete') throw new Error('No deletion was sent.');
  const text = 'You can only delete your own messages.';
  tab.wire()?.inject({ type: 'nack', rid: frame.rid, code: 'NOT_YOUR_MESSAGE', message: text });
  await carry(tab);
  expect(listShownIds()).toEqual(['x']);
  expect(getRoom().getSnapshot().failedAction).toMatchObject({ failure: text });

  const other = await openTabIn(browser);
  const failed = other.live.room('class').getSnapshot().failedAction;
  expect(failed).toMatchObject({ failure: text });
  other.live.room('class').discard(failed?.id ?? '');
  await wait(0);

  expect(getRoom().getSnapshot().failedAction).toBeNull();
  expect(await listStoredIds()).toEqual([]);
});

test('logging out learns whether the server has all deletions, and deletes those that wait [SEND-47]', async () => {
  remove();
  const areFinished = tab.live.finishDeletions();
  await carry(tab);
  expect(await areFinished).toBe(true);
  server.say('class', 'y');
  await carry(tab);
  tab.wire()?.drop();
  remove('y');

  expect(await tab.live.finishDeletions()).toBe(false);
  expect(tab.live.unsentCount()).toBe(0);
  await tab.live.clearUnsent();
  expect(await listStoredIds()).toEqual([]);
});

test('the files of a deleted message that the server could not delete are reported [DELETE-6]', async () => {
  const reports: string[] = [];
  getRoom().onImageLeft(() => reports.push('left'));
  remove();
  const frame = tab.wire()?.clientFrames.shift();
  if (frame?.type !== 'delete') throw new Error('No deletion was sent.');

  tab.wire()?.inject({ type: 'ack', rid: frame.rid, seq: 2, imageLeft: true });
  await wait(0);

  expect(reports).toEqual(['left']);
});

test('a message that the server asks to wait says when it is sent again [SEND-36]', async () => {
  server.refusals.push({ code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 7000 });
  getRoom().post('a');
  await carry(tab);
  const retryAt = () => getRoom().getSnapshot().messages.at(-1)?.retryAt;
  expect(retryAt()).toBeGreaterThan(Date.now() + 6000);
  await wait(7000);
  expect(retryAt()).toBeNull();
  await carry(tab);
  expect(server.listMessages('class')).toHaveLength(2);
});
