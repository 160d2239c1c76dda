// Topics in the browser: the list of one topic, how far it is read, and the topic of what the member writes.
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';

import { topicCode } from './class-log.ts';

const homework = 'homework--------';
const exam = 'exam------------';
const pageSize = 4;

beforeAll(() => topicCode.load());

let server: FakeServer;
let browser: FakeBrowser;
beforeEach(() => {
  ({ server, browser } = startBrowser(pageSize));
  server.topics = [
    { topicId: homework, name: 'Homework' },
    { topicId: exam, name: 'Exam' },
  ];
});
afterEach(() => stopBrowser(browser));

const getRoom = (tab: FakeTab) => tab.live.room('class');
const getView = (tab: FakeTab) => getRoom(tab).getSnapshot();
const listIds = (tab: FakeTab) => getView(tab).messages.map(({ id }) => id);

/** Others post these messages, which are named after their topics. */
function say(...ids: string[]): void {
  const topics = new Map([
    ['h', homework],
    ['e', exam],
  ]);
  for (const id of ids) server.say('class', id, 'cem', 'news', topics.get(id.slice(0, 1)));
}

test('the list of a topic reads its older messages, follows new ones and moves, and keeps no others [TOPIC-50]', async () => {
  say('h1', 'h2', 'e1', 'h3', 'x1', 'h4', 'x2');
  const tab = await openTabIn(browser);

  getRoom(tab).showTopic(homework);
  expect(listIds(tab)).toEqual(['h3', 'h4']);
  await carry(tab);
  expect(listIds(tab)).toEqual(['h1', 'h2', 'h3', 'h4']);
  expect(getView(tab).older).toBe('none');

  say('h5', 'e2');
  server.move('class', 'x2', homework);
  server.move('class', 'h3', exam);
  server.delete('class', 'h2');
  await carry(tab);
  expect(listIds(tab)).toEqual(['h1', 'h4', 'x2', 'h5']);

  getRoom(tab).showTopic(null);
  expect(listIds(tab)).toEqual(['h3', 'x1', 'h4', 'x2', 'h5', 'e2']);
});

test('a message is opened in the topic if its list holds it, and otherwise among all messages [TOPIC-50]', async () => {
  say(...Array.from({ length: 9 }, (_, n) => `h${n}`), 'e1');
  const tab = await openTabIn(browser);
  getRoom(tab).showTopic(homework);
  await carry(tab);

  await getRoom(tab).openMessage('h8');
  expect(getView(tab)).toMatchObject({ topic: { topicId: homework }, jump: { messageId: 'h8' } });

  for (const id of ['h0', 'e1']) {
    getRoom(tab).showTopic(homework);
    await getRoom(tab).openMessage(id);
    expect(getView(tab)).toMatchObject({ topic: null, jump: { messageId: id } });
  }
});

test('the list of a topic survives a snapshot [TOPIC-50]', async () => {
  say('h1', 'e1');
  const tab = await openTabIn(browser);
  getRoom(tab).showTopic(homework);
  await carry(tab);
  tab.wire()?.drop();
  server.topics = [...(server.topics ?? [])];
  for (let n = 0; n < 600; n++) say(`e${n + 2}`);
  say('h2');

  await wait(3000);
  await carry(tab);

  expect(listIds(tab)).toContain('h2');
  expect(listIds(tab).every((id) => id.startsWith('h'))).toBe(true);
});

test('reading a topic marks nothing else as read, and all topics together the class [TOPIC-51]', async () => {
  const tab = await openTabIn(browser);
  getRoom(tab).show();
  say('h1', 'e1', 'h2');
  await carry(tab);
  const { readSeq } = getView(tab);
  expect(getView(tab).topicUnread).toEqual(
    new Map([
      [homework, 2],
      [exam, 1],
    ]),
  );

  getRoom(tab).showTopic(homework);
  getRoom(tab).markSeen();
  expect(getView(tab).topicUnread).toEqual(new Map([[exam, 1]]));
  expect(getView(tab)).toMatchObject({ readSeq, topic: { readSeq: 3 }, unread: { count: 3 } });
  const reopened = await openTabIn(browser);
  expect(getView(reopened).topicUnread).toEqual(new Map([[exam, 1]]));

  getRoom(tab).showTopic(exam);
  getRoom(tab).markSeen();
  expect(getView(tab)).toMatchObject({ readSeq: 3, unread: { count: 0 } });
});

test('what was unread when the room opened stays counted until its topic is read, or all is marked as read [TOPIC-51]', async () => {
  say('h1');
  const tab = await openTabIn(browser);
  say('h2', 'e1');
  await carry(tab);
  const room = getRoom(tab);
  const close = room.show();
  room.markRead();
  say('h3');
  await carry(tab);
  room.markSeen();

  const counts = () => Object.fromEntries(getView(tab).topicUnread);
  expect(getView(tab).unread.count).toBe(0);
  expect(counts()).toEqual({ [homework]: 1, [exam]: 1 });
  room.showTopic(homework);
  expect(getView(tab).topic?.readSeq).toBe(1);
  room.markSeen();
  expect(counts()).toEqual({ [exam]: 1 });
  room.showTopic(null);
  room.markRead();
  expect(counts()).toEqual({});

  say('e2');
  await carry(tab);
  expect(counts()).toEqual({ [exam]: 1 });
  close();
});

test('a reload keeps what was unread when the room opened, and tabs learn what others have read [TOPIC-51]', async () => {
  say('h1');
  const tab = await openTabIn(browser);
  say('h2', 'e1');
  await carry(tab);
  getRoom(tab).show();
  getRoom(tab).markRead();
  const other = await openTabIn(browser);
  tab.close();
  const reloaded = browser.openTab(tab);
  getRoom(reloaded).show();
  await carry(reloaded, other);
  getRoom(reloaded).markRead();
  const counts = (shown: FakeTab) => Object.fromEntries(getView(shown).topicUnread);
  expect(counts(reloaded)).toEqual({ [homework]: 1, [exam]: 1 });
  reloaded.isVisible = false;

  say('h3', 'e2');
  await carry(reloaded, other);
  getRoom(other).showTopic(homework);
  getRoom(other).markSeen();
  reloaded.isVisible = true;
  reloaded.wake();
  expect(counts(reloaded)).toEqual({ [exam]: 2 });
  getRoom(reloaded).showTopic(exam);
  getRoom(reloaded).markSeen();

  expect(counts(await openTabIn(browser))).toEqual({});
});

test('muted topics do not count, and need not be read [TOPIC-5, TOPIC-51]', async () => {
  const tab = await openTabIn(browser);
  getRoom(tab).show();
  getRoom(tab).preferences.show({ ignored: [], hidden: [], muted: false, mutedTopics: [exam] });

  say('h1', 'e1');
  await carry(tab);

  expect(getView(tab).unread.count).toBe(1);
  expect(getView(tab).topicUnread).toEqual(new Map([[homework, 1]]));
  getRoom(tab).showTopic(homework);
  getRoom(tab).markSeen();
  expect(getView(tab)).toMatchObject({ readSeq: 2, unread: { count: 0 } });
});

test('a message that is moved or marked is unread in its topic, and marks nothing else as read [TOPIC-51]', async () => {
  const tab = await openTabIn(browser);
  const room = getRoom(tab);
  const close = room.show();
  room.markRead();
  const counts = () => Object.fromEntries(getView(tab).topicUnread);
  say('h1', 'e1', 'h2');
  await carry(tab);
  room.showTopic(homework);
  room.markSeen();
  expect(counts()).toEqual({ [exam]: 1 });

  room.markUnreadFrom('h2');
  expect(getView(tab).readSeq).toBe(0);
  expect(counts()).toEqual({ [homework]: 1, [exam]: 1 });
  room.markSeen();
  server.move('class', 'e1', homework);
  await carry(tab);
  expect(getView(tab).topicUnread.get(homework)).toBeGreaterThan(0);
  close();
});

test('the chosen topic stays for the tab, a reply has that of its source, and a waiting message keeps its own [TOPIC-52]', async () => {
  say('e1', 'x1');
  const tab = await openTabIn(browser);
  const room = getRoom(tab);
  tab.wire()?.drop();

  room.chooseTopic(homework);
  room.post('first');
  room.post('second');
  room.post('to e1', 'e1');
  room.post('to x1', 'x1');
  room.chooseTopic(null);
  room.post('none');
  const topics = [homework, homework, exam, undefined, undefined];
  expect(
    getView(tab)
      .messages.slice(2)
      .map(({ topicId }) => topicId),
  ).toEqual(topics);
  await wait(2000);
  await carry(tab);

  expect(
    server
      .listMessages('class')
      .slice(2)
      .map(({ topicId }) => topicId),
  ).toEqual(topics);
});

test('what is written in a topic has it, and is shown among all messages after the topic was archived [TOPIC-52]', async () => {
  say('h1');
  const tab = await openTabIn(browser);
  const room = getRoom(tab);

  room.showTopic(homework);
  room.post('in it');
  await carry(tab);
  expect(getView(tab).messages.at(-1)).toMatchObject({ text: 'in it', topicId: homework });
  server.topics = [{ topicId: homework, name: 'Homework', archived: true }];
  const late = await openTabIn(browser);
  getRoom(late).showTopic(homework);
  getRoom(late).post('too late');

  expect(getView(late)).toMatchObject({ topic: null, nextTopicId: null });
  expect(getView(late).messages.at(-1)).toMatchObject({ text: 'too late' });
});
