import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
const view = (tab: FakeTab) => tab.live.room('class').getSnapshot();
async function countSecondsUntil(isSo: () => boolean): Promise<number> {
  for (let seconds = 0; ; seconds++) {
    if (isSo()) return seconds;
    await wait(1000);
  }
}
const shown = (tab: FakeTab) => view(tab).messages.map(({ text, delivery }) => [text, delivery]);
const posts = (tab: FakeTab) =>
  tab.wire()?.up.flatMap((frame) => (frame.type === 'post' ? [frame.text] : []));

describe('the outbox and its connection', () => {
  test('the outbox and its connection sends one message per class at a time, in order [LOG-14]', async () => {
    const tab = await openTab();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    tab.live.room('other').post('c');
    await wait(0);
    expect(posts(tab)).toEqual(['a', 'c']);
    expect(shown(tab)).toEqual([
      ['a', 'sending'],
      ['b', 'sending'],
    ]);
    await carry(tab);
    expect(shown(tab)).toEqual([
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
    const events = tab.wire()?.down.shift();
    tab.wire()?.deliverDown();
    await wait(0);
    expect(view(tab).messages).toMatchObject([{ text: 'a', delivery: 'sent', seq: null }]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
    if (events) tab.wire()?.inject(events);
    await wait(0);
    expect(view(tab).messages).toMatchObject([{ text: 'a', delivery: 'sent', seq: 1 }]);
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('the outbox and its connection sends again, before what is behind it, what was rejected for now [LIMIT-10, LOG-14]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 7000 });
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await carry(tab);
    await wait(6900);
    expect(posts(tab)).toEqual([]);
    await wait(200);
    expect(posts(tab)).toEqual(['a']);
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
    expect(posts(tab)).toEqual([]);
    await carry(tab);
    await wait(100);
    await carry(tab);
    await wait(59_000);
    expect(posts(tab)).toEqual([]);
    await wait(1_000);
    await carry(tab);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['a']);
  });

  test('the outbox and its connection says why a message was rejected for good, and goes on with the next [SEND-8]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'MESSAGE_TOO_LONG', message: 'Please shorten it.' });
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await carry(tab);
    expect(shown(tab)).toEqual([
      ['b', 'sent'],
      ['a', 'failed'],
    ]);
    expect(view(tab).messages[1]?.failure).toBe('Please shorten it.');
    expect(tab.live.unsentCount()).toBe(1);
    tab.close();
    const next = await openTab();
    next.live.room('class').retry(view(next).messages[1]?.id ?? '');
    await carry(next);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual(['b', 'a']);
  });

  test('the outbox and its connection is sent by the next tab that opens [LOG-14]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await wait(0);
    tab.close();
    expect(shown(await openTab())).toEqual([
      ['a', 'sent'],
      ['b', 'sent'],
    ]);
  });

  test('the outbox and its connection leaves seconds apart for each class when it waited for the connection, the one on screen first [LOG-29, LOG-14]', async () => {
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

  test('the outbox and its connection leaves seconds apart also when another tab takes over, or the page is loaded again [LOG-29]', async () => {
    const asleep = await openTab();
    const tab = await openTab();
    asleep.freeze();
    for (const classId of ['class', 'other']) tab.live.room(classId).post('a');
    const count = () => server.listMessages('class').length + server.listMessages('other').length;
    const seconds: number[] = [];
    const watch = async (watched: FakeTab) => {
      const began = Date.now();
      for (let n = 0; n < 160; n++) {
        const before = count();
        await carry(watched);
        await wait(99);
        if (count() > before) seconds.push((Date.now() - began) / 1000);
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

  test('the outbox and its connection is kept before there ever was a connection, once it is known whose it is [LOG-18]', async () => {
    const tab = browser.openTab();
    tab.live.room('class').post('before it was known');
    tab.live.setAccount('ada');
    tab.live.room('class').post('after');
    await wait(0);
    expect(await browser.storage.list('ada')).toHaveLength(2);
    tab.close();
    expect(shown(await openTab())).toEqual([
      ['before it was known', 'sent'],
      ['after', 'sent'],
    ]);
  });

  test('the outbox and its connection is not kept for whoever signs in instead: the tab is over [LOG-15, LOG-18]', async () => {
    const tab = browser.openTab();
    const over = vi.fn<() => void>();
    tab.live.onSignedOut(over);
    tab.live.setAccount('ada');
    tab.live.room('class').post('mine');
    await wait(0);
    tab.live.setAccount('ben');
    expect(over).toHaveBeenCalledOnce();
    expect(await browser.storage.list('ben')).toEqual([]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection is shown by every tab and sent by one [LOG-15]', async () => {
    const first = await openTab();
    const second = await openTab();
    second.live.room('class').post('a');
    await wait(0);
    expect([posts(first), posts(second)]).toEqual([['a'], []]);
    expect(shown(first)).toEqual([['a', 'sending']]);
    await carry(first, second);
    expect([shown(first), shown(second)]).toEqual([[['a', 'sent']], [['a', 'sent']]]);
    first.close();
    second.live.room('class').post('b');
    await carry(second);
    expect(shown(second)).toContainEqual(['b', 'sent']);
  });

  test('the outbox and its connection is taken over from a tab that the system has put to sleep [LOG-14]', async () => {
    const asleep = await openTab();
    const tab = await openTab();
    asleep.freeze();
    tab.live.room('class').post('a');
    await carry(tab);
    expect(shown(tab)).toEqual([['a', 'sending']]);
    await wait(5000);
    await carry(tab);
    expect(shown(tab)).toEqual([['a', 'sent']]);
  });

  test('the outbox and its connection is sent by its own tab where nothing can be shared [LOG-14]', async () => {
    browser = new FakeBrowser(server, 'ada', { shared: false });
    await openTab();
    const second = await openTab();
    second.live.room('class').post('a');
    await carry(second);
    expect(shown(second)).toEqual([['a', 'sent']]);
  });

  test('the outbox and its connection goes out under no other account: the tab is over [LOG-15]', async () => {
    const tab = await openTab();
    const over = vi.fn<() => void>();
    tab.live.onSignedOut(over);
    tab.wire()?.drop();
    tab.live.room('class').post('mine');
    await wait(0);
    browser.account = 'ben';
    tab.wake();
    await carry(tab);
    expect(over).toHaveBeenCalledOnce();
    const bens = await openTab();
    expect(shown(bens)).toEqual([]);
    expect(server.listMessages('class')).toEqual([]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection keeps of a class that one is no longer in only the text that one had not sent [SEND-50]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.wire()?.drop();
    tab.live.room('class').post('a');

    server.closed.add('class');
    tab.wake();
    await carry(tab);

    const { state, messages } = view(tab);
    expect(state).toBe('gone');
    expect(messages).toMatchObject([{ text: 'a', delivery: 'failed' }]);
    expect(await browser.storage.list('ada')).toHaveLength(1);
  });

  test('the outbox and its connection sends again what a restored backup has lost before it came in [BACKUP-7, LOG-11, LOG-14]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.live.room('class').post('a');
    await wait(0);
    tab.wire()?.deliverUp();
    tab.wire()?.down.shift();
    tab.wire()?.deliverDown();
    tab.wire()?.drop();
    server.restoreBackup();
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    await wait(0);
    for (let i = 0; i < 3; i++) tab.wire()?.deliverUp();
    // The ack belongs to the other history, so its seq says nothing about the replica.
    const ack = tab.wire()?.down.find(({ type }) => type === 'ack');
    if (ack) tab.wire()?.inject(ack);
    await wait(0);
    expect(ack).toMatchObject({ seq: 1 });
    expect(shown(tab)).toContainEqual(['a', 'sent']);
    await carry(tab);
    expect(shown(tab)).toEqual([['a', 'sent']]);
    expect(server.listMessages('class')).toHaveLength(1);
  });
});

describe('a room', () => {
  test('a room says once that its class has changed: by the log, a new snapshot, or a rejection [CHAT-18]', async () => {
    const tab = await openTab();
    let changed = 0;
    tab.live.onClassChanged(() => changed++);
    const entry = { seq: 1, id: 'entry--1' };
    const item = { kind: 'class', ...entry, class: { ...someClass, ended: true } } as const;
    const frame = { type: 'events', classId: 'class', from: 1, to: 1, lastId: entry.id } as const;
    for (let i = 0; i < 2; i++) tab.wire()?.inject({ ...frame, items: [item] });
    expect(changed).toBe(1);

    server.restoreBackup();
    tab.wire()?.drop();
    tab.wake();
    await carry(tab);
    expect(changed).toBe(2);

    server.refusals.push({ code: 'CLASS_ENDED', message: 'Over.' });
    tab.live.room('class').post('a');
    await carry(tab);
    expect(changed).toBe(3);
    expect(view(tab).messages).toMatchObject([{ text: 'a', delivery: 'failed', failure: 'Over.' }]);
  });

  test('a room asks again for what is missing, once [LOG-8]', async () => {
    const tab = await openTab();
    server.say('class', 'lost');
    tab.wire()?.down.shift();
    for (const id of ['x', 'y']) server.say('class', id);
    for (let i = 0; i < 2; i++) tab.wire()?.deliverDown();
    expect(tab.wire()?.up).toMatchObject([{ type: 'subscribe', after: 0 }]);
    await carry(tab);
    expect(view(tab).messages.map(({ id }) => id)).toEqual(['lost', 'x', 'y']);
  });

  test('a room asks again when the replay itself had a hole [LOG-8]', async () => {
    const tab = await openTab();
    tab.wire()?.drop();
    server.say('class', 'x');
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    tab.wire()?.deliverUp();
    tab.wire()?.down.shift();
    server.say('class', 'y');
    const later = tab.wire()?.down.pop();
    if (later) tab.wire()?.inject(later);
    expect(tab.wire()?.up).toEqual([]);
    await carry(tab);
    expect(view(tab).messages.map(({ id }) => id)).toEqual(['x', 'y']);
  });

  test('a room goes on from what it holds, and says which entry that is [LOG-6]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    tab.wire()?.drop();
    tab.wake();
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    expect(tab.wire()?.up).toMatchObject([
      { type: 'subscribe', epoch: 'epoch 1', after: 1, afterId: expect.stringMatching(/1$/) },
    ]);
  });

  test('a room keeps what the member reads over a snapshot, and reads it again [CHAT-48]', async () => {
    for (let n = 1; n <= 20; n++) server.say('class', `m${n}`);
    const tab = await openTab();
    const room = tab.live.room('class');
    await room.openMessage('m4');
    room.setSeen(4);
    const before = view(tab);
    const held = before.messages.map(({ id }) => id);
    expect(held).toEqual(['m2', 'm3', 'm4', 'm5']);

    tab.wire()?.drop();
    server.maxReplayEntries = 3;
    server.delete('class', 'm3');
    server.edit('class', 'm5', 'edited');
    for (let n = 21; n <= 30; n++) server.say('class', `m${n}`);
    const shownIds = new Set<string>();
    room.subscribe(() => view(tab).messages.forEach(({ id }) => shownIds.add(id)));
    tab.wake();
    await carry(tab);
    room.forgetDistant();
    expect(view(tab).messages.map(({ id, text }) => [id, text])).toEqual([
      ['m1', 'news'],
      ['m2', 'news'],
      ['m4', 'news'],
      ['m5', 'edited'],
    ]);
    expect(view(tab).jump).toBe(before.jump);
    expect(view(tab).newest.map(({ id }) => id)).toEqual(['m28', 'm29', 'm30']);
    expect([...shownIds].toSorted()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);

    await room.loadNewer();
    expect(
      view(tab)
        .messages.map(({ id }) => id)
        .slice(-4),
    ).toEqual(['m5', 'm6', 'm7', 'm8']);
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
    expect(view(tab).messages.map(({ id }) => id)).toEqual(['m2', 'm3', 'm4', 'm5']);
    server.edit('class', 'm5', 'edited');
    await room.loadOlder();
    room.forgetDistant();
    expect(view(tab).messages.map(({ text }) => text)).toContain('edited');

    tab.wire()?.drop();
    server.delete('class', 'm4');
    await resync();
    expect(view(tab).messages.map(({ id }) => id)).toContain('m5');
    expect(view(tab).newer).toBe('some');
  });

  test('a room edits and reacts, or says in words that it could not [SEND-15, REACT-6]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const room = tab.live.room('class');
    const done = Promise.all([room.edit('x', 'new'), room.react('x', '👍')]);
    await carry(tab);
    await done;
    expect(view(tab).messages).toMatchObject([{ text: 'new', reactions: { ada: '👍' } }]);
    expect(view(tab).messages[0]?.editedAt).not.toBe(null);
    tab.wire()?.drop();
    const edit = room.edit('x', 'newer').catch((error: unknown) => error);
    expect(await edit).toMatchObject({
      name: 'RejectedError',
      message: expect.stringContaining('cannot be reached') as string,
    });
  });

  test('a room shows a reaction at once, keeps the last pick, and lets the log have the last word [REACT-4, REACT-5]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const room = tab.live.room('class');
    const mine = () => view(tab).messages[0]?.reactions['ada'];
    const picks = Promise.all([room.react('x', '👍'), room.react('x', '❤️')]);
    expect(mine()).toBe('❤️');
    // The first pick is committed and acknowledged while the second is in flight.
    tab.wire()?.deliverUp();
    while (tab.wire()?.down.length) tab.wire()?.deliverDown();
    await wait(0);
    expect(mine()).toBe('❤️');
    await carry(tab);
    await picks;
    expect(mine()).toBe('❤️');
    server.react('class', 'x', 'ada', '💩');
    await carry(tab);
    expect(mine()).toBe('💩');
    const removal = room.react('x', null);
    expect(mine()).toBeUndefined();
    await carry(tab);
    await removal;
    expect(mine()).toBeUndefined();
  });

  test('a room keeps an acknowledged reaction until the log with it is held [REACT-8]', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const done = tab.live.room('class').react('x', '👍');
    tab.wire()?.deliverUp();
    const events = tab.wire()?.down.shift();
    tab.wire()?.deliverDown();
    await done;
    expect(view(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
    if (events) tab.wire()?.inject(events);
    expect(view(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
  });

  test.each(['rejected', 'lost'])(
    'a room takes a reaction back that is %s, to what the log says [REACT-8]',
    async (how) => {
      const tab = await openTab();
      server.say('class', 'x');
      server.react('class', 'x', 'ada', '👍');
      await carry(tab);
      const rejected = tab.live
        .room('class')
        .react('x', '❤️')
        .catch((error: unknown) => error);
      expect(view(tab).messages[0]?.reactions).toEqual({ ada: '❤️' });
      if (how === 'lost') tab.wire()?.drop();
      else {
        const rid = tab.wire()?.up.flatMap((frame) => ('rid' in frame ? [frame.rid] : []))[0] ?? 0;
        tab.wire()?.up.splice(0);
        tab.wire()?.inject({ type: 'nack', rid, code: 'TOO_MANY', message: 'Wait.' });
      }
      expect(await rejected).toBeInstanceOf(RejectedError);
      expect(view(tab).messages[0]?.reactions).toEqual({ ada: '👍' });
    },
  );

  test('a room tells that it is read when somebody looks, at most once a second [LIST-10]', async () => {
    const tab = await openTab();
    const room = tab.live.room('class');
    tab.isVisible = false;
    for (const id of ['x', 'y']) server.say('class', id);
    await carry(tab);
    room.markRead();
    expect(view(tab).readSeq).toBe(0);
    tab.isVisible = true;
    tab.wake();
    expect(view(tab).readSeq).toBe(2);
    server.say('class', 'z');
    await carry(tab);
    room.markRead();
    await carry(tab);
    expect(server.reads.map(({ seq }) => seq)).toEqual([2]);
    await wait(1000);
    await carry(tab);
    expect(server.reads.map(({ seq }) => seq)).toEqual([2, 3]);
  });

  test('a room counts what others have said since a class was last read here [LIST-10]', async () => {
    server.say('class', 'before me');
    const tab = await openTab();
    tab.live.follow(['class', 'other']);
    await carry(tab);
    const unread = (one: FakeTab) =>
      ['class', 'other'].map((classId) => one.live.unread(classId).getSnapshot().count);
    expect(unread(tab)).toEqual([0, 0]);
    for (const id of ['x', 'y']) server.say('class', id);
    server.say('other', 'z');
    tab.live.room('class').post('mine');
    await carry(tab);
    expect(unread(tab)).toEqual([2, 1]);
    const second = await openTab();
    second.live.follow(['class', 'other']);
    await carry(tab, second);
    expect(unread(second)).toEqual([2, 1]);
    second.live.room('class').markRead();
    await carry(tab, second);
    expect([unread(tab), unread(second)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    server.say('class', 'news');
    tab.close();
    const later = await openTab();
    expect(unread(later)[0]).toBe(1);
  });

  test('a room keeps unread what was marked as unread here or elsewhere, until the class is opened again [LIST-20, WIRE-40]', async () => {
    const tab = await openTab();
    const phone = await openTab();
    const here = tab.live.room('class');
    const there = phone.live.room('class');
    const carryOn = async () => {
      await carry(tab, phone);
      await wait(1000);
      await carry(tab, phone);
    };
    for (const room of [here, there]) room.subscribe(room.markSeen);
    for (const id of ['x', 'y', 'z']) server.say('class', id);
    await carryOn();
    expect([view(tab).unread.count, view(phone).unread.count]).toEqual([0, 0]);
    here.markUnreadFrom('y');
    await carryOn();
    expect([view(tab).unread.count, view(phone).unread.count]).toEqual([2, 2]);
    server.say('class', 'news');
    await carryOn();
    expect([view(tab).unread.count, view(phone).unread.count]).toEqual([3, 3]);
    there.markRead();
    await carryOn();
    expect([view(tab).unread.count, view(phone).unread.count]).toEqual([0, 0]);
  });

  test('a room shows the position of the server if two devices set theirs at the same time [WIRE-41]', async () => {
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
    expect([view(tab).readSeq, view(phone).readSeq]).toEqual([3, 3]);
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
    expect(view(tab).unread.count).toBe(0);
  });

  test('a room shows for five seconds that somebody types, and tells it every three [WIRE-12]', async () => {
    const ada = await openTab();
    const ben = await openTab();
    for (let i = 0; i < 5; i++) ada.live.room('class').notifyTyping();
    expect(ada.wire()?.up).toEqual([{ type: 'typing', classId: 'class' }]);
    await carry(ada, ben);
    expect([view(ada).typing, view(ben).typing]).toEqual([false, true]);
    await wait(3000);
    ada.live.room('class').notifyTyping();
    await carry(ada, ben);
    await wait(4900);
    expect(view(ben).typing).toBe(true);
    await wait(200);
    expect(view(ben).typing).toBe(false);
  });

  test('a room shows it no longer when the message has come, but still after one of my own [WIRE-12]', async () => {
    const ada = await openTab();
    const ben = await openTab();
    ada.live.room('class').notifyTyping();
    await carry(ada, ben);
    ben.live.room('class').post('mine');
    await carry(ada, ben);
    expect(view(ben).typing).toBe(true);
    server.say('class', 'theirs');
    await carry(ada, ben);
    expect(view(ben).typing).toBe(false);
  });

  test('a room gives the same view while nothing changes, and the same messages when others do', async () => {
    const tab = await openTab();
    server.say('class', 'x');
    await carry(tab);
    const before = view(tab);
    expect(view(tab)).toBe(before);
    server.say('class', 'y');
    await carry(tab);
    expect(view(tab).messages[0]).toBe(before.messages[0]);
    tab.wire()?.drop();
    for (const text of ['a', 'b']) tab.live.room('class').post(text);
    await wait(0);
    const unsent = view(tab);
    tab.live.room('class').post('c');
    await wait(0);
    expect(view(tab).messages.slice(0, 4)).toEqual(unsent.messages);
    for (const [n, message] of unsent.messages.entries()) {
      expect(view(tab).messages[n]).toBe(message);
    }
  });

  test('a room on screen is followed before others, and others make room for it [WIRE-5]', async () => {
    const tab = await openTab();
    const many = Array.from({ length: 70 }, (_, n) => `class ${n}`);
    tab.live.follow(many);
    for (let i = 0; i < 10; i++) await carry(tab);
    const sizes = () => [tab.wire()?.follows.size, tab.wire()?.counts.size];
    expect(sizes()).toEqual([1, 63]);
    tab.live.room('class 69');
    for (let i = 0; i < 10; i++) await carry(tab);
    expect(sizes()).toEqual([2, 62]);
    expect(tab.wire()?.follows.has('class 69')).toBe(true);
    expect(tab.live.room('class 69').getSnapshot().state).toBe('ready');
  });

  test('a room subscribes fully to the eight classes that were opened last, and lightly to the others [WIRE-42]', async () => {
    const tab = await openTab();
    const many = Array.from({ length: 10 }, (_, n) => `class ${n}`);
    tab.live.follow(many);
    for (const classId of many) {
      tab.live.room(classId);
      await carry(tab);
    }
    expect(tab.wire()?.follows).toEqual(new Set(many.slice(2)));
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

  test('a room opens another connection when nothing answers [WIRE-8]', async () => {
    const tab = await openTab();
    const dead = tab.wire();
    tab.live.room('class').post('a');
    await wait(15_100);
    expect(tab.wire()).not.toBe(dead);
    await carry(tab);
    expect(shown(tab)).toEqual([['a', 'sent']]);
  });

  test('a room waits longer for a slow line after each silence, until that request has its response [WIRE-26]', async () => {
    const tab = await openTab();
    tab.live.room('other');
    await carry(tab);
    server.restoreBackup();
    for (let i = 0; i < 4; i++) server.say('class', `news ${i}`);
    tab.wire()?.drop();
    /** @returns the seconds until the tab closes a connection whose snapshot does not arrive */
    const nextTimeout = async () => {
      while (!tab.wire()) await wait(100);
      const wire = tab.wire();
      wire?.open();
      wire?.deliverDown();
      await wait(0);
      // Another class catches up, which says nothing about the slow one.
      wire?.deliverUp();
      while (wire?.down.length) wire.deliverDown();
      return countSecondsUntil(() => tab.wire() !== wire);
    };
    expect([await nextTimeout(), await nextTimeout(), await nextTimeout()]).toEqual([15, 30, 60]);
    expect([await nextTimeout(), await nextTimeout()]).toEqual([120, 120]);
    const wire = tab.wire();
    wire?.open();
    wire?.deliverDown();
    await wait(0);
    for (const _ of wire?.up ?? []) wire?.deliverUp();
    await wait(100_000);
    expect(tab.wire()).toBe(wire);
    await carry(tab);
    tab.live.room('class').post('a');
    await wait(0);
    expect(await countSecondsUntil(() => tab.wire() !== wire)).toBe(15);
  });

  test('a room takes every frame for life, whatever it answers [WIRE-26]', async () => {
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
    const state = () => tab.live.connection.getSnapshot();
    const next = async () => {
      tab.wire()?.drop();
      while (!tab.wire()) await wait(100);
    };
    await next();
    browser.session = 'signed-in';
    await wait(2000);
    expect(state()).toBe('offline');
    await next();
    expect(state()).toBe('offline');
    await next();
    expect(state()).toBe('blocked');
    browser.session = 'unreachable';
    await next();
    expect(state()).toBe('offline');
    browser.session = 'signed-in';
    await next();
    await next();
    expect(state()).toBe('blocked');
    await carry(tab);
    tab.wire()?.open();
    tab.wire()?.deliverDown();
    expect(state()).toBe('online');
    browser.session = 'signed-out';
    const out = vi.fn<() => void>();
    tab.live.onSignedOut(out);
    await next();
    tab.wire()?.drop();
    await wait(0);
    expect(out).toHaveBeenCalledOnce();
  });

  test('a room that is looked at finds out that its connection died without a word; another one when it is shown [WIRE-14]', async () => {
    const tab = await openTab();
    const hidden = await openTab();
    hidden.isVisible = false;
    const dead = [tab.wire(), hidden.wire()];
    await wait(59_000);
    expect(tab.wire()?.up).toEqual([]);
    await wait(1500);
    expect(tab.wire()?.up).toMatchObject([{ type: 'subscribe', after: 0 }]);
    server.say('class', 'x');
    await wait(15_500);
    expect(tab.wire()).not.toBe(dead[0]);
    await carry(tab);
    expect(view(tab).messages).toMatchObject([{ id: 'x' }]);

    expect(hidden.wire()).toBe(dead[1]);
    expect(hidden.wire()?.up).toEqual([]);
    hidden.isVisible = true;
    hidden.wake();
    await wait(15_500);
    expect(hidden.wire()).not.toBe(dead[1]);
    await carry(hidden);
    expect(view(hidden).messages).toMatchObject([{ id: 'x' }]);
  });
});
