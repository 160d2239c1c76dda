import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ShownAnnouncement } from '#contract/announcements.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { FakeBrowser, type FakeTab } from './testing/fake-browser.ts';
import type { FakeServer } from './testing/fake-server.ts';
import { carry, openTabIn, startBrowser, stopBrowser, wait } from './testing/one-browser.ts';

let server: FakeServer;
let browser: FakeBrowser;
beforeEach(() => {
  ({ server, browser } = startBrowser(3));
});
afterEach(() => stopBrowser(browser));

const someClass = {
  classId: 'class',
  name: null,
  courseName: 'Algorithms',
  subjectAbbreviation: 'cs',
  courseNumber: '146',
  sectionNumber: '02',
  semesterSeason: 'Fall',
  classSchedule: [],
  beginClassTime: '09:00',
  endClassTime: '10:15',
  memberCount: 2,
};
const openTab = () => openTabIn(browser);
const getView = (tab: FakeTab) => tab.live.room('class').getSnapshot();
async function countSecondsUntil(isSo: () => boolean): Promise<number> {
  for (let seconds = 0; ; seconds++) {
    if (isSo()) return seconds;
    await wait(1000);
  }
}
const listShown = (tab: FakeTab) =>
  getView(tab).messages.map(({ text, delivery }) => [text, delivery]);
const listPosts = (tab: FakeTab) =>
  tab.wire()?.clientFrames.flatMap((frame) => (frame.type === 'post' ? [frame.text] : []));

describe('the outbox and its connection', () => {
  test('the outbox and its connection sends one message per class at a time, in order [LOG-14]', async () => {
    const tab = await openTab();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    tab.live.room('other').post('c');
    await wait(0);
    expect(listPosts(tab)).toEqual(['a', 'c']);
    expect(listShown(tab)).toEqual([
      ['a', 'sending'],
      ['b', 'sending'],
    ]);
    await carry(tab);
    expect(listShown(tab)).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
    ]);
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('the outbox and its connection keeps an acknowledged message until its place in the log is held [SEND-7]', async () => {
    const tab = await openTab();
    tab.live.room('class').post('a');
    await wait(0);
    tab.wire()?.deliverUp();
    const events = tab.wire()?.serverFrames.shift();
    tab.wire()?.deliverDown();
    await wait(0);
    expect(getView(tab).messages).toMatchObject([{ text: 'a', delivery: 'sent', seq: null }]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
    if (events) tab.wire()?.inject(events);
    await wait(0);
    expect(getView(tab).messages).toMatchObject([{ text: 'a', delivery: 'sent', seq: 1 }]);
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('the outbox and its connection sends a temporarily rejected message again, before the messages behind it [LIMIT-10, LOG-14]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 7000 });
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await carry(tab);
    await wait(6900);
    expect(listPosts(tab)).toEqual([]);
    await wait(200);
    expect(listPosts(tab)).toEqual(['a']);
    await carry(tab);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['a', 'b']);
  });

  test('the outbox and its connection waits as long as the server asks, but no longer than a minute [LOG-17]', async () => {
    const tab = await openTab();
    for (const retryAfterMs of [9_000, 3_600_000, -5]) {
      server.refusals.push({ code: 'UNAVAILABLE', message: 'Later.', retryAfterMs });
    }
    tab.live.room('class').post('a');
    await carry(tab);
    await wait(8_900);
    expect(listPosts(tab)).toEqual([]);
    await carry(tab);
    await wait(100);
    await carry(tab);
    await wait(59_000);
    expect(listPosts(tab)).toEqual([]);
    await wait(1_000);
    await carry(tab);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['a']);
  });

  test('the outbox and its connection says why a message was rejected for good, and goes on with the next [SEND-8]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'MESSAGE_TOO_LONG', message: 'Please shorten it.' });
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await carry(tab);
    expect(listShown(tab)).toEqual([
      ['b', 'sent'],
      ['a', 'failed'],
    ]);
    expect(getView(tab).messages[1]?.failure).toBe('Please shorten it.');
    expect(tab.live.unsentCount()).toBe(1);
    tab.close();
    const next = await openTab();
    next.live.room('class').retry(getView(next).messages[1]?.id ?? '');
    await carry(next);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['b', 'a']);
  });

  test('a message fails visibly after three defects of the server, and the next message is sent [SEND-8, ERROR-3]', async () => {
    const tab = await openTab();
    for (let n = 0; n < 3; n++) {
      server.refusals.push({ code: 'INTERNAL', message: 'It broke.', retryAfterMs: 1000 });
    }
    for (const text of ['a', 'b']) tab.live.room('class').post(text);

    for (let n = 0; n < 3; n++) {
      await carry(tab);
      await wait(1000);
    }
    await carry(tab);

    expect(listShown(tab)).toEqual([
      ['b', 'sent'],
      ['a', 'failed'],
    ]);
    const failedMessage = getView(tab).messages[1];
    expect(failedMessage?.failure).toBe('It broke.');

    // A retry has as many attempts again.
    server.refusals.push({ code: 'INTERNAL', message: 'It broke.', retryAfterMs: 1000 });
    tab.live.room('class').retry(failedMessage?.id ?? '');
    await carry(tab);
    await wait(1000);
    await carry(tab);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['b', 'a']);
  });

  test('the outbox and its connection is sent by the next tab that opens [LOG-14]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await wait(0);
    tab.close();
    expect(listShown(await openTab())).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
    ]);
  });

  test('the outbox and its connection after a wait for the connection, sends the messages of each class seconds apart, those of the class on screen first [LOG-29, LOG-14]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    for (const text of ['a1', 'a2']) tab.live.room('a').post(text);
    tab.live.room('b').post('b1');
    tab.live.room('c').post('c1');
    tab.live.room('a');
    tab.live.room('b');
    while (!tab.wire()) await wait(100);
    tab.live.room('b').post('b2');
    const began = Date.now();
    const sentAt: Record<string, number> = {};
    tab.live.room('d');
    tab.live.room('b');
    for (let n = 0; n < 300; n++) {
      // A message typed while connected does not wait for the others.
      if (n === 5) tab.live.room('d').post('d1');
      await carry(tab);
      await wait(99);
      for (const classId of ['a', 'b', 'c', 'd']) {
        for (const { text } of server.listMessages(classId)) sentAt[text] ??= Date.now() - began;
      }
    }
    expect(Object.keys(sentAt).filter((text) => !text.startsWith('d'))).toEqual([
      ...['b1', 'b2'],
      ...['a1', 'a2', 'c1'],
    ]);
    const { a1 = 0, a2 = 0, b1 = 0, b2 = 0, c1 = 0, d1 = 0 } = sentAt;
    for (const first of [b1, b2]) expect(first).toBeLessThanOrEqual(200);
    expect(d1 - 500).toBeLessThanOrEqual(200);
    for (const pause of [a1 - b1, c1 - a1]) {
      expect(pause).toBeGreaterThanOrEqual(1900);
      expect(pause).toBeLessThanOrEqual(8300);
    }
    expect(a2 - a1).toBeLessThanOrEqual(200);
  });

  test('A message of a class that waits for its turn says when it is sent [PIC-91, LOG-29]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    for (const classId of ['class', 'other']) tab.live.room(classId).post('a');
    tab.live.room('class');
    while (!tab.wire()) await wait(100);
    await carry(tab);

    const [waiting] = tab.live.room('other').getSnapshot().messages;
    expect(waiting?.retryAt).toBeGreaterThan(Date.now());
    await wait(9000);
    await carry(tab);
    expect(tab.live.room('other').getSnapshot().messages).toMatchObject([
      { text: 'a', delivery: 'sent', retryAt: null },
    ]);
  });

  test('the outbox and its connection sends the messages of each class seconds apart also when another tab takes over, or the page is loaded again [LOG-29]', async () => {
    const asleep = await openTab();
    const tab = await openTab();
    asleep.freeze();
    for (const classId of ['class', 'other']) tab.live.room(classId).post('a');
    const count = () => server.listMessages('class').length + server.listMessages('other').length;
    const seconds: number[] = [];
    const watch = async (watched: FakeTab) => {
      const began = Date.now();
      for (let n = 0; n < 160; n++) {
        const countBefore = count();
        await carry(watched);
        await wait(99);
        if (count() > countBefore) seconds.push((Date.now() - began) / 1000);
      }
    };
    await watch(tab);
    expect(seconds).toHaveLength(2);
    expect(seconds[1]! - seconds[0]!).toBeGreaterThanOrEqual(1.9);
    seconds.length = 0;
    tab.wire()?.drop();
    for (const classId of ['class', 'other']) tab.live.room(classId).post('b');
    await wait(0);
    tab.close();
    const next = browser.openTab();
    next.live.room('class');
    await watch(next);
    expect(seconds).toHaveLength(2);
    expect(seconds[1]! - seconds[0]!).toBeGreaterThanOrEqual(1.9);
  });

  test('the outbox and its connection is stored before the first connection, once its account is known [LOG-14]', async () => {
    const tab = browser.openTab();
    tab.live.room('class').post('before it was known');
    tab.live.setAccount('ada');
    tab.live.room('class').post('after');
    await wait(0);
    expect(await browser.storage.list('ada')).toHaveLength(2);
    tab.close();
    expect(listShown(await openTab())).toEqual([
      ['before it was known', 'sent'],
      ['after', 'sent'],
    ]);
  });

  test('the outbox and its connection is not stored for another account that signs in: the tab signs out [LOG-14]', async () => {
    const tab = browser.openTab();
    const onSignedOut = vi.fn<() => void>();
    tab.live.onSignedOut(onSignedOut);
    tab.live.setAccount('ada');
    tab.live.room('class').post('mine');
    await wait(0);
    tab.live.setAccount('ben');
    expect(onSignedOut).toHaveBeenCalledOnce();
    expect(await browser.storage.list('ben')).toEqual([]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection is shown by every tab and sent by one of them [LOG-14]', async () => {
    const first = await openTab();
    const second = await openTab();
    second.live.room('class').post('a');
    await wait(0);
    expect([listPosts(first), listPosts(second)]).toEqual([['a'], []]);
    expect(listShown(first)).toEqual([['a', 'sending']]);
    await carry(first, second);
    expect([listShown(first), listShown(second)]).toEqual([[['a', 'sent']], [['a', 'sent']]]);
    first.close();
    second.live.room('class').post('b');
    await carry(second);
    expect(listShown(second)).toContainEqual(['b', 'sent']);
  });

  test('the outbox and its connection is taken over from a tab that the system has put to sleep [LOG-14]', async () => {
    const asleep = await openTab();
    const tab = await openTab();
    asleep.freeze();
    tab.live.room('class').post('a');
    await carry(tab);
    expect(listShown(tab)).toEqual([['a', 'sending']]);
    await wait(5000);
    await carry(tab);
    expect(listShown(tab)).toEqual([['a', 'sent']]);
  });

  test('the outbox and its connection is sent by its own tab where nothing can be shared [LOG-14]', async () => {
    browser = new FakeBrowser(server, 'ada', { shared: false });
    await openTab();
    const second = await openTab();
    second.live.room('class').post('a');
    await carry(second);
    expect(listShown(second)).toEqual([['a', 'sent']]);
  });

  test('the outbox and its connection is sent under no other account: the tab signs out [LOG-14]', async () => {
    const tab = await openTab();
    const onSignedOut = vi.fn<() => void>();
    tab.live.onSignedOut(onSignedOut);
    tab.wire()?.drop();
    tab.live.room('class').post('mine');
    await wait(0);
    browser.account = 'ben';
    tab.wake();
    await carry(tab);
    expect(onSignedOut).toHaveBeenCalledOnce();
    const bens = await openTab();
    expect(listShown(bens)).toEqual([]);
    expect(server.listMessages('class')).toEqual([]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection keeps only the unsent text of a class that the member has left [SEND-50]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.wire()?.drop();
    tab.live.room('class').post('a');

    server.closed.add('class');
    tab.wake();
    await carry(tab);

    const { state, messages } = getView(tab);
    expect(state).toBe('gone');
    expect(messages).toMatchObject([{ text: 'a', delivery: 'failed' }]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection sends a message again that a restored backup has lost before its event arrived [BACKUP-7, BACKUP-4, LOG-14]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.live.room('class').post('a');
    await wait(0);
    tab.wire()?.deliverUp();
    tab.wire()?.serverFrames.shift();
    tab.wire()?.deliverDown();
    tab.wire()?.drop();
    server.restoreBackup();
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    await wait(0);
    for (let i = 0; i < 3; i++) tab.wire()?.deliverUp();
    // The ack belongs to the other history, so its seq says nothing about the replica.
    const ack = tab.wire()?.serverFrames.find(({ type }) => type === 'ack');
    if (ack) tab.wire()?.inject(ack);
    await wait(0);
    expect(ack).toMatchObject({ seq: 1 });
    expect(listShown(tab)).toContainEqual(['a', 'sent']);
    await carry(tab);
    expect(listShown(tab)).toEqual([['a', 'sent']]);
    expect(server.listMessages('class')).toHaveLength(1);
  });
});

test('while the site is read-only, all rooms have a quiet time, and unsent messages stay [ADMIN-91]', async () => {
  const tab = await openTab();
  tab.live.room('class').post('a');
  const announcement = { announcementId: 'a', text: 'We move the server.', endsInMs: 60_000 };
  const announce = async (...announcements: ShownAnnouncement[]) => {
    tab.wire()?.inject({ type: 'announcements', classId: null, announcements });
    await wait(0);
  };

  await announce({ ...announcement, isMaintenance: true });

  const until = Date.now() + 60_000;
  expect(getView(tab).quietTime).toEqual({ sentence: 'We move the server.', until });
  expect(tab.live.room('other').getSnapshot().quietTime).toEqual(getView(tab).quietTime);
  expect(listShown(tab)).toEqual([['a', 'sending']]);
  await announce(announcement);
  expect(getView(tab).quietTime).toBeNull();
});

test('each new connection says that classes and roles may have changed before it [LIST-11, MOD-50]', async () => {
  const tab = browser.openTab();
  const changes: string[] = [];
  tab.live.onClassChanged(() => changes.push('classes'));
  tab.live.onModerationChanged(() => changes.push('roles'));
  await carry(tab);
  expect(changes).toEqual(['classes', 'roles']);

  tab.wire()?.drop();
  tab.wake();
  await carry(tab);

  expect(changes).toEqual(['classes', 'roles', 'classes', 'roles']);
});

describe('a room', () => {
  test('a room says once that its class has changed: by the log, a new snapshot, or a rejection [CHAT-18]', async () => {
    const tab = await openTab();
    let changeCount = 0;
    tab.live.onClassChanged(() => changeCount++);
    const entry = { seq: 1, id: 'entry--1' };
    const item = { kind: 'class', ...entry, class: { ...someClass, ended: true } } as const;
    const frame = { type: 'events', classId: 'class', from: 1, to: 1, lastId: entry.id } as const;
    for (let i = 0; i < 2; i++) tab.wire()?.inject({ ...frame, items: [item] });
    expect(changeCount).toBe(1);

    server.restoreBackup();
    changeCount = 0;
    tab.wire()?.drop();
    tab.wake();
    await carry(tab);
    // The other one is the new connection's.
    expect(changeCount).toBe(2);

    server.refusals.push({ code: 'CLASS_ENDED', message: 'Over.' });
    tab.live.room('class').post('a');
    await carry(tab);
    expect(changeCount).toBe(3);
    expect(getView(tab).messages).toMatchObject([
      { text: 'a', delivery: 'failed', failure: 'Over.' },
    ]);
  });

  test('a room requests missing events again, once [LOG-6]', async () => {
    const tab = await openTab();
    server.say('class', 'lost');
    tab.wire()?.serverFrames.shift();
    for (const id of ['x', 'y']) server.say('class', id);
    for (let i = 0; i < 2; i++) tab.wire()?.deliverDown();
    expect(tab.wire()?.clientFrames).toMatchObject([{ type: 'subscribe', after: 0 }]);
    await carry(tab);
    expect(getView(tab).messages.map(({ id }) => id)).toEqual(['lost', 'x', 'y']);
  });

  test('a room subscribes again if the replay lacks an event [LOG-6]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    server.say('class', 'x');
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    tab.wire()?.deliverUp();
    tab.wire()?.serverFrames.shift();
    server.say('class', 'y');
    const laterFrame = tab.wire()?.serverFrames.pop();
    if (laterFrame) tab.wire()?.inject(laterFrame);
    expect(tab.wire()?.clientFrames).toEqual([]);
    await carry(tab);
    expect(getView(tab).messages.map(({ id }) => id)).toEqual(['x', 'y']);
  });

  test('a room subscribes after the last entry that it holds, and sends the id of that entry [LOG-6]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.wire()?.drop();
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    expect(tab.wire()?.clientFrames).toMatchObject([
      { type: 'subscribe', epoch: 'epoch 1', after: 1, afterId: expect.stringMatching(/1$/) },
    ]);
  });

  test('a room keeps what the member reads over a snapshot, and reads it again [CHAT-48]', async () => {
    for (let n = 1; n <= 20; n++) server.say('class', `m${n}`);
    const tab = await openTab();
    const room = tab.live.room('class');
    await room.openMessage('m4');
    room.setSeen(4);
    const viewBefore = getView(tab);
    const idsBefore = viewBefore.messages.map(({ id }) => id);
    expect(idsBefore).toEqual(['m2', 'm3', 'm4', 'm5']);

    tab.wire()?.drop();
    server.maxReplayEntries = 3;
    server.delete('class', 'm3');
    server.edit('class', 'm5', 'edited');
    for (let n = 21; n <= 30; n++) server.say('class', `m${n}`);
    const shownIds = new Set<string>();
    room.subscribe(() => getView(tab).messages.forEach(({ id }) => shownIds.add(id)));
    tab.wake();
    await carry(tab);
    room.forgetDistant();
    expect(getView(tab).messages.map(({ id, text }) => [id, text])).toEqual([
      ['m1', 'news'],
      ['m2', 'news'],
      ['m4', 'news'],
      ['m5', 'edited'],
    ]);
    expect(getView(tab).jump).toBe(viewBefore.jump);
    expect(getView(tab).newest.map(({ id }) => id)).toEqual(['m28', 'm29', 'm30']);
    expect([...shownIds].toSorted()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);

    await room.loadNewer();
    expect(
      getView(tab)
        .messages.map(({ id }) => id)
        .slice(-4),
    ).toEqual(['m5', 'm6', 'm7', 'm8']);
  });

  test('a jump that the member gave up while it loads does not happen [CHAT-48]', async () => {
    for (let n = 1; n <= 20; n++) server.say('class', `m${n}`);
    const tab = await openTab();
    const room = tab.live.room('class');
    const newest = getView(tab).messages.map(({ id }) => id);

    const jump = room.openMessage('m4');
    room.showNewest();
    expect(await jump).toBe('shown');
    expect(getView(tab).messages.map(({ id }) => id)).toEqual(newest);

    const [first, second] = [room.openMessage('m4'), room.openMessage('m9')];
    expect(await Promise.all([first, second])).toEqual(['shown', 'shown']);
    expect(getView(tab).jump.messageId).toBe('m9');
  });

  test('a room keeps the place over a snapshot also if the message there was deleted, or if it cannot be read at first [CHAT-48]', async () => {
    for (let n = 1; n <= 20; n++) server.say('class', `m${n}`);
    const tab = await openTab();
    const room = tab.live.room('class');
    await room.openMessage('m4');
    room.setSeen(4);
    server.maxReplayEntries = 3;
    const resync = async () => {
      for (let n = 0; n < 5; n++) server.say('class', `${Math.random()}`);
      tab.wake();
      await carry(tab);
      room.forgetDistant();
    };
    tab.wire()?.drop();
    server.failedReads = 1;
    await resync();
    expect(getView(tab).messages.map(({ id }) => id)).toEqual(['m2', 'm3', 'm4', 'm5']);
    server.edit('class', 'm5', 'edited');
    await room.loadOlder();
    room.forgetDistant();
    expect(getView(tab).messages.map(({ text }) => text)).toContain('edited');

    tab.wire()?.drop();
    server.delete('class', 'm4');
    await resync();
    expect(getView(tab).messages.map(({ id }) => id)).toContain('m5');
    expect(getView(tab).newer).toBe('some');
  });

  test('a room edits and reacts, or says in words that there is no connection [SEND-15, REACT-6]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const room = tab.live.room('class');
    const done = Promise.all([room.edit('x', 'new'), room.react('x', '👍')]);
    await carry(tab);
    await done;
    expect(getView(tab).messages).toMatchObject([{ text: 'new', reactions: { ada: '👍' } }]);
    expect(getView(tab).messages[0]?.editedAt).not.toBe(null);
    tab.wire()?.drop();
    const edit = room.edit('x', 'newer').catch((error: unknown) => error);
    expect(await edit).toMatchObject({
      name: 'RejectedError',
      message: expect.stringContaining('cannot be reached') as string,
    });
  });

  test('a room shows a reaction immediately, keeps the last choice, and then shows the reaction of the log [REACT-5]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const room = tab.live.room('class');
    const getOwnReaction = () => getView(tab).messages[0]?.reactions['ada'];
    const picks = Promise.all([room.react('x', '👍'), room.react('x', '❤️')]);
    expect(getOwnReaction()).toBe('❤️');
    // The first pick is committed and acknowledged while the second is in flight.
    tab.wire()?.deliverUp();
    while (tab.wire()?.serverFrames.length) tab.wire()?.deliverDown();
    await wait(0);
    expect(getOwnReaction()).toBe('❤️');
    await carry(tab);
    await picks;
    expect(getOwnReaction()).toBe('❤️');
    server.react('class', 'x', 'ada', '💩');
    await carry(tab);
    expect(getOwnReaction()).toBe('💩');
    const removal = room.react('x', null);
    expect(getOwnReaction()).toBeUndefined();
    await carry(tab);
    await removal;
    expect(getOwnReaction()).toBeUndefined();
  });

  test('a room keeps an acknowledged reaction until the log with it is held [REACT-8]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const done = tab.live.room('class').react('x', '👍');
    tab.wire()?.deliverUp();
    const events = tab.wire()?.serverFrames.shift();
    tab.wire()?.deliverDown();
    await done;
    expect(getView(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
    if (events) tab.wire()?.inject(events);
    expect(getView(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
  });

  test.each(['rejected', 'lost'])(
    'a room takes a reaction back that is %s, to what the log says [REACT-8]',
    async (how) => {
      const tab = await openTab();
      server.say('class', 'x');
      server.react('class', 'x', 'ada', '👍');
      await carry(tab);
      const outcome = tab.live
        .room('class')
        .react('x', '❤️')
        .catch((error: unknown) => error);
      expect(getView(tab).messages[0]?.reactions).toEqual({ ada: '❤️' });
      if (how === 'lost') tab.wire()?.drop();
      else {
        const rid =
          tab.wire()?.clientFrames.flatMap((frame) => ('rid' in frame ? [frame.rid] : []))[0] ?? 0;
        tab.wire()?.clientFrames.splice(0);
        tab.wire()?.inject({ type: 'nack', rid, code: 'TOO_MANY', message: 'Wait.' });
      }
      expect(await outcome).toBeInstanceOf(RejectedError);
      expect(getView(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
    },
  );

  test('a room on screen sends its read position at most once a second [LIST-10]', async () => {
    const tab = await openTab();
    const room = tab.live.room('class');
    tab.isVisible = false;
    for (const id of ['x', 'y']) server.say('class', id);
    await carry(tab);
    room.markRead();
    expect(getView(tab).readSeq).toBe(0);
    tab.isVisible = true;
    tab.wake();
    expect(getView(tab).readSeq).toBe(2);
    server.say('class', 'z');
    await carry(tab);
    room.markRead();
    await carry(tab);
    expect(server.reads.map(({ seq }) => seq)).toEqual([2]);
    await wait(1000);
    await carry(tab);
    expect(server.reads.map(({ seq }) => seq)).toEqual([2, 3]);
  });

  test('an error in a view of a room keeps no frame from being applied [WIRE-45]', async () => {
    const reported = vi.fn<(error: unknown) => void>();
    vi.stubGlobal('reportError', reported);
    const tab = await openTab();
    tab.live.room('class').subscribe(() => {
      throw new Error('This view is broken.');
    });

    tab.wire()?.inject({ type: 'typing', classId: 'class' });
    for (const id of ['x', 'y']) server.say('class', id);
    await carry(tab);
    vi.unstubAllGlobals();

    expect(getView(tab).messages.map(({ id }) => id)).toEqual(['x', 'y']);
    // The last step of a frame with messages hides the one who types.
    expect(getView(tab).typing).toBe(false);
    expect(reported).toHaveBeenCalled();
  });

  test('a room counts the messages of others since the class was last read here [LIST-10]', async () => {
    server.say('class', 'before me');
    const tab = await openTab();
    tab.live.follow(['class', 'other']);
    await carry(tab);
    const listUnread = (tabToCount: FakeTab) =>
      ['class', 'other'].map((classId) => tabToCount.live.unread(classId).getSnapshot().count);
    expect(listUnread(tab)).toEqual([0, 0]);
    for (const id of ['x', 'y']) server.say('class', id);
    server.say('other', 'z');
    tab.live.room('class').post('mine');
    await carry(tab);
    expect(listUnread(tab)).toEqual([2, 1]);
    const second = await openTab();
    second.live.follow(['class', 'other']);
    await carry(tab, second);
    expect(listUnread(second)).toEqual([2, 1]);
    second.live.room('class').markRead();
    await carry(tab, second);
    expect([listUnread(tab), listUnread(second)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    server.say('class', 'news');
    tab.close();
    const laterTab = await openTab();
    expect(listUnread(laterTab)[0]).toBe(1);
  });

  test('a room keeps unread what was marked as unread here or elsewhere, until the class is opened again [LIST-20, WIRE-40]', async () => {
    const tab = await openTab();
    const phone = await openTab();
    const room = tab.live.room('class');
    const phoneRoom = phone.live.room('class');
    const carryOn = async () => {
      await carry(tab, phone);
      await wait(1000);
      await carry(tab, phone);
    };
    for (const openRoom of [room, phoneRoom]) openRoom.subscribe(openRoom.markSeen);
    for (const id of ['x', 'y', 'z']) server.say('class', id);
    await carryOn();
    expect([getView(tab).unread.count, getView(phone).unread.count]).toEqual([0, 0]);
    room.markUnreadFrom('y');
    await carryOn();
    expect([getView(tab).unread.count, getView(phone).unread.count]).toEqual([2, 2]);
    server.say('class', 'news');
    await carryOn();
    expect([getView(tab).unread.count, getView(phone).unread.count]).toEqual([3, 3]);
    phoneRoom.markRead();
    await carryOn();
    expect([getView(tab).unread.count, getView(phone).unread.count]).toEqual([0, 0]);
  });

  test('a room shows the position of the server if two devices set theirs at the same time [WIRE-40]', async () => {
    const tab = await openTab();
    const phone = await openTab();
    for (const id of ['x', 'y', 'z']) server.say('class', id);
    await carry(tab, phone);
    tab.live.room('class').markRead();
    phone.live.room('class').markUnreadFrom('y');
    // The tab's frame is in flight when the server tells it of the phone's position.
    phone.wire()?.deliverUp();
    tab.wire()?.deliverDown();
    await carry(tab, phone);
    expect([getView(tab).readSeq, getView(phone).readSeq]).toEqual([3, 3]);
    expect(server.getReadSeq('ada', 'class')).toBe(3);
  });

  test('a room sends a position again that a dropped connection may have lost [LIST-20]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.live.room('class').markRead();
    tab.wire()?.drop();
    await wait(2000);
    await carry(tab);
    expect(server.getReadSeq('ada', 'class')).toBe(1);
    expect(getView(tab).unread.count).toBe(0);
  });

  test('a room shows for five seconds that someone types, and sends every three seconds that its member types [WIRE-12]', async () => {
    const ada = await openTab();
    const ben = await openTab();
    for (let i = 0; i < 5; i++) ada.live.room('class').notifyTyping();
    expect(ada.wire()?.clientFrames).toEqual([{ type: 'typing', classId: 'class' }]);
    await carry(ada, ben);
    expect([getView(ada).typing, getView(ben).typing]).toEqual([false, true]);
    await wait(3000);
    ada.live.room('class').notifyTyping();
    await carry(ada, ben);
    await wait(4900);
    expect(getView(ben).typing).toBe(true);
    await wait(200);
    expect(getView(ben).typing).toBe(false);
  });

  test('a room stops showing that someone types when the message of that member arrives, but not after an own message [WIRE-12]', async () => {
    const ada = await openTab();
    const ben = await openTab();
    ada.live.room('class').notifyTyping();
    await carry(ada, ben);
    ben.live.room('class').post('mine');
    await carry(ada, ben);
    expect(getView(ben).typing).toBe(true);
    server.say('class', 'theirs');
    await carry(ada, ben);
    expect(getView(ben).typing).toBe(false);
  });

  test('a room gives the same view while nothing changes, and the same messages when others do', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const viewBefore = getView(tab);
    expect(getView(tab)).toBe(viewBefore);
    server.say('class', 'y');
    await carry(tab);
    expect(getView(tab).messages[0]).toBe(viewBefore.messages[0]);
    tab.wire()?.drop();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await wait(0);
    const unsent = getView(tab);
    tab.live.room('class').post('c');
    await wait(0);
    expect(getView(tab).messages.slice(0, 4)).toEqual(unsent.messages);
    for (const [n, message] of unsent.messages.entries()) {
      expect(getView(tab).messages[n]).toBe(message);
    }
  });

  test('a room on screen is followed before others, and others make room for it [WIRE-5]', async () => {
    const tab = await openTab();
    const manyIds = Array.from({ length: 70 }, (_, n) => `class ${n}`);
    tab.live.follow(manyIds);
    for (let i = 0; i < 10; i++) await carry(tab);
    const countSubscriptions = () => [tab.wire()?.follows.size, tab.wire()?.counts.size];
    expect(countSubscriptions()).toEqual([1, 63]);
    tab.live.room('class 69');
    for (let i = 0; i < 10; i++) await carry(tab);
    expect(countSubscriptions()).toEqual([2, 62]);
    expect(tab.wire()?.follows.has('class 69')).toBe(true);
    expect(tab.live.room('class 69').getSnapshot().state).toBe('ready');
  });

  test('a room subscribes fully to the eight classes that were opened last, and lightly to the others [WIRE-42]', async () => {
    const tab = await openTab();
    const manyIds = Array.from({ length: 10 }, (_, n) => `class ${n}`);
    tab.live.follow(manyIds);
    for (const classId of manyIds) {
      tab.live.room(classId);
      await carry(tab);
    }
    expect(tab.wire()?.follows).toEqual(new Set(manyIds.slice(2)));
    expect(tab.wire()?.counts).toEqual(new Set(['class', 'class 0', 'class 1']));
    server.say('class 0', 'x');
    await carry(tab);
    expect(tab.live.unread('class 0').getSnapshot().count).toBe(1);
    const { messages } = tab.live.room('class 0').getSnapshot();
    expect(messages).toEqual([]);
    await carry(tab);
    expect(tab.live.room('class 0').getSnapshot().messages).toHaveLength(1);
    expect(tab.live.unread('class 0').getSnapshot().count).toBe(1);
  });

  test('a class that is not open has the time at which the browser learned of its newest message [LIST-61]', async () => {
    const tab = await openTab();
    const getTime = (classId: string) => tab.live.view(classId).getSnapshot().lastActivityAt;
    server.say('other', 'from before');
    tab.live.follow(['class', 'other']);
    await carry(tab);
    expect([getTime('class'), getTime('other')]).toEqual([null, null]);

    await wait(60_000);
    server.say('other', 'news');
    await carry(tab);

    expect(Math.abs(Date.now() - (getTime('other') ?? 0))).toBeLessThan(1000);
  });

  test('a room has the time of its newest message, until messages can have arrived of which the browser knows no time [LIST-61]', async () => {
    const tab = await openTab();
    const getTime = () => tab.live.view('class').getSnapshot().lastActivityAt;
    for (const id of ['x', 'y']) server.say('class', id);
    await carry(tab);
    const newestAt = server.listMessages('class').at(-1)?.createdAt;
    expect(getTime()).toBe(newestAt);

    const otherIds = Array.from({ length: 8 }, (_, n) => `class ${n}`);
    for (const classId of otherIds) tab.live.room(classId);
    tab.live.follow(['class', ...otherIds]);
    await carry(tab);
    expect(tab.wire()?.counts.has('class')).toBe(true);
    expect(getTime()).toBe(newestAt);
    tab.wire()?.drop();
    server.say('class', 'while offline');
    tab.wake();
    await carry(tab);

    expect(getTime()).toBeNull();
  });

  test('a room opens another connection when nothing answers [WIRE-8]', async () => {
    const tab = await openTab();
    const dead = tab.wire();
    tab.live.room('class').post('a');
    await wait(15_100);
    expect(tab.wire()).not.toBe(dead);
    await carry(tab);
    expect(listShown(tab)).toEqual([['a', 'sent']]);
  });

  test('a room waits longer for a slow connection after each timeout, until the server has replied to that request [WIRE-26]', async () => {
    const tab = await openTab();
    tab.live.room('other');
    await carry(tab);
    server.restoreBackup();
    for (let i = 0; i < 4; i++) server.say('class', `news ${i}`);
    tab.wire()?.drop();
    /** @returns the seconds until the tab closes a connection whose snapshot does not arrive */
    const measureTimeout = async () => {
      while (!tab.wire()) await wait(100);
      const wire = tab.wire();
      wire?.open();
      wire?.deliverDown();
      await wait(0);
      // Another class catches up, which says nothing about the slow one.
      wire?.deliverUp();
      while (wire?.serverFrames.length) wire.deliverDown();
      return countSecondsUntil(() => tab.wire() !== wire);
    };
    expect([await measureTimeout(), await measureTimeout(), await measureTimeout()]).toEqual([
      15, 30, 60,
    ]);
    expect([await measureTimeout(), await measureTimeout()]).toEqual([120, 120]);
    const wire = tab.wire();
    wire?.open();
    wire?.deliverDown();
    await wait(0);
    for (const _ of wire?.clientFrames ?? []) wire?.deliverUp();
    await wait(100_000);
    expect(tab.wire()).toBe(wire);
    await carry(tab);
    tab.live.room('class').post('a');
    await wait(0);
    expect(await countSecondsUntil(() => tab.wire() !== wire)).toBe(15);
  });

  test('a room counts every frame as a sign of life of the connection [WIRE-26]', async () => {
    const tab = await openTab();
    tab.live.room('class').post('a');
    await wait(0);
    const wire = tab.wire();
    for (let i = 0; i < 10; i++) {
      await wait(14_000);
      wire?.inject({ type: 'typing', classId: 'class' });
    }
    expect(tab.wire()).toBe(wire);
    expect(await countSecondsUntil(() => tab.wire() !== wire)).toBe(15);
  });

  test('a room says that live updates are blocked when HTTP works and two sockets in a row do not [WIRE-27]', async () => {
    const tab = await openTab();
    const getStatus = () => tab.live.connection.getSnapshot();
    const reconnect = async () => {
      tab.wire()?.drop();
      while (!tab.wire()) await wait(100);
    };
    await reconnect();
    browser.session = 'signed-in';
    await wait(2000);
    expect(getStatus()).toBe('offline');
    await reconnect();
    expect(getStatus()).toBe('offline');
    await reconnect();
    expect(getStatus()).toBe('blocked');
    browser.session = 'unreachable';
    await reconnect();
    expect(getStatus()).toBe('offline');
    browser.session = 'signed-in';
    await reconnect();
    await reconnect();
    expect(getStatus()).toBe('blocked');
    await carry(tab);
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    expect(getStatus()).toBe('online');
    browser.session = 'signed-out';
    const out = vi.fn<() => void>();
    tab.live.onSignedOut(out);
    await reconnect();
    tab.wire()?.drop();
    await wait(0);
    expect(out).toHaveBeenCalledOnce();
  });

  test('a room on screen detects that its connection broke silently; a hidden one detects it when it is shown [WIRE-14]', async () => {
    const tab = await openTab();
    const hiddenTab = await openTab();
    hiddenTab.isVisible = false;
    const dead = [tab.wire(), hiddenTab.wire()];
    await wait(59_000);
    expect(tab.wire()?.clientFrames).toEqual([]);
    await wait(1500);
    expect(tab.wire()?.clientFrames).toMatchObject([{ type: 'subscribe', after: 0 }]);
    server.say('class', 'x');
    await wait(15_500);
    expect(tab.wire()).not.toBe(dead[0]);
    await carry(tab);
    expect(getView(tab).messages).toMatchObject([{ id: 'x' }]);

    expect(hiddenTab.wire()).toBe(dead[1]);
    expect(hiddenTab.wire()?.clientFrames).toEqual([]);
    hiddenTab.isVisible = true;
    hiddenTab.wake();
    await wait(15_500);
    expect(hiddenTab.wire()).not.toBe(dead[1]);
    await carry(hiddenTab);
    expect(getView(hiddenTab).messages).toMatchObject([{ id: 'x' }]);
  });
});
