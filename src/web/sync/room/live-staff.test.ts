import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StaffSelf } from '#contract/entities.ts';
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
beforeEach(() => {
  ({ server, browser } = startBrowser());
});
afterEach(() => stopBrowser(browser));

const staffId = 'staffstaffstaff_';
const persona = {
  memberId: staffId,
  anonymousName: 'Prof. Lee',
  icon: staffId,
  staff: true as const,
};
const getRoom = (tab: FakeTab) => tab.live.room('class');
const getView = (tab: FakeTab) => getRoom(tab).getSnapshot();
const listPosts = (tab: FakeTab) =>
  tab
    .wire()
    ?.clientFrames.flatMap((frame) =>
      frame.type === 'post' ? [[frame.text, frame.staff ?? false]] : [],
    );

async function openAsStaff(): Promise<FakeTab> {
  const tab = await openTabIn(browser);
  getRoom(tab);
  await carry(tab);
  setStaff(tab, { persona, maySpeak: true });
  return tab;
}

function setStaff(tab: FakeTab, staff: StaffSelf | null): void {
  tab.wire()?.inject({ type: 'staff', classId: 'class', staff });
}

test('A member who may speak as staff chooses once in each tab, and the choice stays [STAFF-22, STAFF-10]', async () => {
  const tab = await openAsStaff();
  expect(getView(tab)).toMatchObject({ speaker: 'unset', staff: { maySpeak: true } });
  expect(() => getRoom(tab).post('as whom?')).toThrow('No speaker');

  getRoom(tab).speakAs('staff');
  getRoom(tab).post('official');
  getRoom(tab).post('and once more');

  expect(getView(tab).speaker).toBe('staff');
  expect(getView(tab).messages.at(-1)).toMatchObject({
    text: 'and once more',
    memberId: staffId,
  });
  expect(getView(tab).personas.get(staffId)).toMatchObject({ staff: true });
  await wait(0);
  expect(listPosts(tab)).toEqual([['official', true]]);
  expect(getView(await openAsStaff()).speaker).toBe('unset');
});

test('Only a member who may speak as staff has to choose [STAFF-22]', async () => {
  const tab = await openTabIn(browser);
  getRoom(tab);
  await carry(tab);
  expect(getView(tab).speaker).toBe('self');

  setStaff(tab, { persona, maySpeak: true });
  expect(getView(tab).speaker).toBe('unset');

  setStaff(tab, null);
  expect(getView(tab).speaker).toBe('self');
});

test('the choice survives a reload, and is not sent under the other name before the role is known [STAFF-20, STAFF-22]', async () => {
  const tab = await openAsStaff();
  getRoom(tab).speakAs('staff');
  tab.close();
  const next = browser.openTab(tab);
  getRoom(next);
  await carry(next);
  expect(getView(next)).toMatchObject({ speaker: 'staff', staff: null });
  expect(() => getRoom(next).post('official')).toThrow('No speaker');
  setStaff(next, null);
  expect(() => getRoom(next).post('official')).toThrow('No speaker');
  getRoom(next).speakAs('self');
  getRoom(next).post('as one of you');
  expect(getView(next).messages.at(-1)).toMatchObject({ memberId: getView(next).me });
});

test('messages of both personas that waited leave seconds apart [STAFF-27]', async () => {
  const tab = await openAsStaff();
  tab.wire()?.drop();
  getRoom(tab).speakAs('self');
  getRoom(tab).post('shy');
  getRoom(tab).speakAs('staff');
  getRoom(tab).post('official');
  getRoom(tab).speakAs('self');
  getRoom(tab).post('shy again');
  getRoom(tab).post('and again');
  while (!tab.wire()) await wait(100);
  const sentAt: Record<string, number> = {};
  for (let n = 0; n < 300; n++) {
    await carry(tab);
    await wait(99);
    for (const { text } of server.listMessages('class')) sentAt[text] ??= Date.now();
  }
  const times = ['shy', 'official', 'shy again', 'and again'].map((text) => sentAt[text] ?? 0);
  const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
  for (const pause of pauses.slice(0, 2)) {
    expect(pause).toBeGreaterThanOrEqual(1900);
    expect(pause).toBeLessThanOrEqual(8300);
  }
  expect(pauses[2]).toBeLessThanOrEqual(300);
});
