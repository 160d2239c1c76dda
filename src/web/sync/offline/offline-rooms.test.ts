import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isOfflineRoom } from './offline-room.ts';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import { carry, startBrowser, stopBrowser, wait } from '#web/sync/testing/one-browser.ts';

const classIds = ['class', 'other', 'third'];
let server: FakeServer;
let browser: FakeBrowser;

beforeEach(() => {
  ({ server, browser } = startBrowser());
});
afterEach(() => stopBrowser(browser));

/** Opens a tab that keeps rooms. */
function openTab(...onScreen: string[]): FakeTab {
  const tab = browser.openTab();
  tab.live.setAccount('ada');
  tab.live.follow(classIds);
  for (const classId of onScreen) tab.live.room(classId);
  browser.keepRooms(tab, classIds);
  return tab;
}

/** Connects, and waits until everything is stored and brought up to date. */
async function settle(tab: FakeTab): Promise<void> {
  for (let n = 0; n < 8; n++) {
    await carry(tab);
    await wait(2000);
  }
}

const getView = (tab: FakeTab, classId = 'class') =>
  tab.live.offline.getRoom(classId) && tab.live.room(classId).getSnapshot();
const listTexts = (tab: FakeTab, classId = 'class') =>
  getView(tab, classId).messages.map(({ text }) => text);
const listKeptTexts = (classId = 'class') =>
  browser.kept.rooms.get(classId)?.replica.messages.map(({ text }) => text);

async function visit(...onScreen: string[]): Promise<void> {
  const tab = openTab(...onScreen);
  await settle(tab);
  tab.close();
}

describe('without a network, a class that was open on this device', () => {
  test('without a network, a class that was open on this device shows its last 200 messages, marked with the time of keeping [OFFLINE-1, OFFLINE-2]', async () => {
    for (let n = 0; n < 260; n++) server.say('class', `m${n}`, 'cem', `text ${n}`);
    server.say('other', 'o1');
    const first = openTab('class');
    await settle(first);
    while (getView(first).older === 'some') await first.live.room('class').loadOlder();
    server.say('class', 'last', 'cem', 'the last one');
    await settle(first);
    expect(getView(first).messages.length).toBe(261);
    expect(getView(first).keptAt).toBe(null);
    first.close();
    expect([...browser.kept.rooms.keys()]).toEqual(['class']);

    const tab = openTab('class', 'other');
    await wait(0);
    const { messages, keptAt, state, older } = getView(tab);
    expect(messages.length).toBe(200);
    expect(messages.at(-1)?.text).toBe('the last one');
    expect({ state, older }).toEqual({ state: 'ready', older: 'some' });
    expect(keptAt).toBeGreaterThan(0);
    expect(getView(tab, 'other').state).toBe('loading');
    await settle(tab);
    expect(getView(tab).keptAt).toBe(null);
  });

  test('without a network, a class that was open on this device keeps the personas and preferences that the room needs, and no other persona [OFFLINE-1]', async () => {
    const tab = openTab('class');
    await settle(tab);
    server.say('class', 'm1', 'cem', 'hello');
    await settle(tab);
    tab.live.room('class').addPersona({ memberId: 'zoe', anonymousName: 'Zoe', icon: 'z' });
    const savedPreferences = { ignored: ['cem'], hidden: ['m1'], muted: true, version: 3 };
    tab.wire()?.inject({ type: 'preferences', classId: 'class', ...savedPreferences });
    server.say('class', 'm2', 'dan', 'later');
    await settle(tab);
    const keptRoom = browser.kept.rooms.get('class');
    expect([...(keptRoom?.replica.personas.keys() ?? [])].toSorted()).toEqual([
      'ada',
      'cem',
      'dan',
    ]);
    tab.close();
    const next = openTab('class');
    await wait(0);
    const { preferences } = getView(next);
    expect([...preferences.ignored, ...preferences.hidden, preferences.muted]).toEqual([
      'cem',
      'm1',
      true,
    ]);
  });

  test('without a network, a class that was open on this device sends what is written when the connection is back, in order [LOG-14]', async () => {
    server.say('class', 'm1');
    await visit('class');
    const tab = openTab('class');
    await wait(0);
    tab.live.room('class').post('first');
    tab.live.room('class').post('second');
    expect(listTexts(tab)).toEqual(['news', 'first', 'second']);
    await wait(5000);
    await settle(tab);
    expect(listTexts(tab)).toEqual(['news', 'first', 'second']);
    expect(server.listMessages('class').map(({ text }) => text)).toEqual([
      'news',
      'first',
      'second',
    ]);
  });
});

test('a class is kept as soon as it has arrived, also if the connection ends right after [OFFLINE-1]', async () => {
  server.say('class', 'm1', 'cem', 'first');
  server.say('other', 'o1', 'cem', 'second');
  const tab = openTab('class');

  await carry(tab);
  expect(listKeptTexts()).toEqual(['first']);

  tab.live.room('other');
  await carry(tab);
  tab.close();
  expect(listKeptTexts('other')).toEqual(['second']);
});

describe('what was taken away while this device was offline', () => {
  const changes: [string, () => void][] = [
    ['a deleted message', () => server.delete('class', 'm1')],
    ['a message that a moderator removed', () => server.moderate('class', 'm1', 'removed')],
    ['a message that reports hid', () => server.moderate('class', 'm1', 'hidden')],
    ['an edited text', () => server.edit('class', 'm1', 'harmless')],
  ];
  test.each(changes)(
    '%s leaves the device at the next connection [OFFLINE-4]',
    async (_, change) => {
      server.say('class', 'm1', 'cem', 'secret');
      server.say('other', 'o1');
      await visit('class');
      expect(listKeptTexts()).toEqual(['secret']);
      change();
      // The class is not on screen.
      const tab = openTab('other');
      await settle(tab);
      expect(JSON.stringify(listKeptTexts())).not.toContain('secret');
      expect(getView(tab).keptAt).toBe(null);
    },
  );

  test.each(changes.slice(0, 2))(
    '%s also leaves while another class is on screen [OFFLINE-4]',
    async (_, change) => {
      server.say('class', 'm1', 'cem', 'secret');
      server.say('other', 'o1');
      await visit('class');
      const tab = openTab('other');
      await settle(tab);
      change();
      await settle(tab);
      expect(JSON.stringify(listKeptTexts())).not.toContain('secret');
    },
  );

  test('a message that is deleted while other classes are brought up to date [OFFLINE-4]', async () => {
    server.say('class', 'm1', 'cem', 'secret');
    server.say('other', 'o1');
    server.say('third', 't1');
    await visit('class', 'other', 'third');
    const tab = openTab('fourth');
    // The light subscriptions of the others are in place again.
    const isLastTurn = () => {
      const [next] = tab.wire()?.clientFrames ?? [];
      return next?.type === 'subscribe' && next.classId === 'third' && !next.light;
    };
    tab.wire()?.open();
    for (let n = 0; n < 100 && !isLastTurn(); n++) {
      await wait(100);
      if (isLastTurn()) break;
      tab.wire()?.deliverUp();
      tab.wire()?.deliverDown();
    }
    expect(isLastTurn()).toBe(true);
    expect(listKeptTexts()).toEqual(['secret']);
    server.delete('class', 'm1');
    await settle(tab);
    await settle(tab);
    expect(listKeptTexts()).toEqual([]);
  });

  test('a message that is shown again comes back with its text [OFFLINE-4]', async () => {
    server.say('class', 'm1', 'cem', 'harmless');
    server.moderate('class', 'm1', 'hidden');
    await visit('class');
    expect(listKeptTexts()).toEqual(['']);
    server.moderate('class', 'm1', null);
    await visit('class');
    expect(listKeptTexts()).toEqual(['harmless']);
  });

  test.each(['on screen', 'in the list'])(
    'a class that the member left, %s [OFFLINE-5]',
    async (place) => {
      server.say('class', 'm1', 'cem', 'secret');
      await visit('class', 'other');
      server.closed.add('class');
      const tab = openTab(place === 'on screen' ? 'class' : 'other');
      await settle(tab);
      expect([...browser.kept.rooms.keys()]).toEqual(['other']);
      expect(tab.live.offline.getRoom('class').toStorable()).toBe(null);
    },
  );

  test('a class whose term ended, which is not kept again [OFFLINE-5]', async () => {
    server.say('class', 'm1', 'cem', 'secret');
    await visit('class', 'other');
    server.ended.add('class');
    await visit('other');
    expect([...browser.kept.rooms.keys()]).toEqual(['other']);
    await visit('class');
    expect([...browser.kept.rooms.keys()]).toEqual(['other']);
  });

  test('a class from which a moderator removed the member [OFFLINE-5]', async () => {
    server.say('class', 'm1', 'cem', 'secret');
    const tab = openTab('class');
    await settle(tab);
    const sanction = { kind: 'removed' as const, until: null, reason: 'Spam' };
    tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction });
    await wait(2000);
    expect(browser.kept.rooms.size).toBe(0);
  });

  test('everything of another account [OFFLINE-6]', async () => {
    server.say('class', 'm1', 'cem', 'secret');
    await visit('class');
    browser.account = 'ben';
    await browser.kept.putAnswers({ account: 'ben', keptAt: 1 });
    expect(browser.kept.rooms.size).toBe(0);
  });
});

test('forgetting removes all rooms, and an event does not bring them back [OFFLINE-7]', async () => {
  const tab = openTab('class');
  server.say('class', 'm1');
  await settle(tab);
  expect(browser.kept.rooms.size).toBe(1);
  await tab.kept?.forget();
  server.say('class', 'm2');
  await settle(tab);
  expect(browser.kept.rooms.size).toBe(0);
  // Nothing else changes: opening it is enough.
  tab.live.room('class');
  await settle(tab);
  expect(browser.kept.rooms.size).toBe(1);
});

test('if the browser has no space, nothing old stays, and the room goes on [OFFLINE-9]', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  server.say('class', 'm1', 'cem', 'secret');
  const tab = openTab('class');
  await settle(tab);
  browser.kept.isFull = true;
  server.delete('class', 'm1');
  await settle(tab);
  expect(browser.kept.rooms.size).toBe(0);
  server.say('class', 'm2', 'cem', 'next');
  await settle(tab);
  expect(listTexts(tab)).toEqual(['next']);
});

test('a tab that lags behind does not replace what another tab stored [OFFLINE-9]', async () => {
  server.say('class', 'm1', 'cem', 'one');
  const tabs = [openTab('class'), openTab('class')] as const;
  for (const tab of tabs) await settle(tab);
  server.say('class', 'm2', 'cem', 'two');
  await settle(tabs[0]);
  expect(listKeptTexts()).toEqual(['one', 'two']);
  tabs[1].live.room('class').markRead();
  tabs[1].live.room('class').markUnreadFrom('m1');
  await wait(3000);
  expect(listKeptTexts()).toEqual(['one', 'two']);
});

test('what an older version or a person changed in the store is not shown [OFFLINE-9]', async () => {
  server.say('class', 'm1');
  await visit('class');
  const keptRoom = browser.kept.rooms.get('class')!;
  expect(isOfflineRoom(keptRoom)).toBe(true);
  for (const damage of [
    { replica: null },
    { replica: { ...keptRoom.replica, messages: [{}] } },
    { replica: { ...keptRoom.replica, personas: {} } },
    { replica: { ...keptRoom.replica, settings: {} } },
    { replica: { ...keptRoom.replica, window: {} } },
    { preferences: {} },
    { account: 7 },
  ]) {
    expect(isOfflineRoom({ ...keptRoom, ...damage })).toBe(false);
  }
  expect(isOfflineRoom('nothing')).toBe(false);
});
