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
const persona = { memberId: staffId, anonymousName: 'Prof. Lee', icon: staffId, staff: true };
const room = (tab: FakeTab) => tab.live.room('class');
const view = (tab: FakeTab) => room(tab).getSnapshot();
const posts = (tab: FakeTab) =>
  tab
    .wire()
    ?.up.flatMap((frame) => (frame.type === 'post' ? [[frame.text, frame.staff ?? false]] : []));

async function openAsStaff(): Promise<FakeTab> {
  const tab = await openTabIn(browser);
  room(tab);
  await carry(tab);
  setStaff(tab, { persona: { ...persona, staff: true }, maySpeak: true });
  return tab;
}

function setStaff(tab: FakeTab, staff: StaffSelf | null): void {
  tab.wire()?.inject({ type: 'staff', classId: 'class', staff });
}

test('a message as staff has the staff persona, and then nothing is chosen [STAFF-22, STAFF-24]', async () => {
  const tab = await openAsStaff();
  expect(view(tab).speaker).toBe('self');
  room(tab).post('shy');
  expect(view(tab).speaker).toBe('self');
  await carry(tab);
  room(tab).speakAs('staff');
  room(tab).post('official');
  expect(view(tab)).toMatchObject({ speaker: 'unset', staff: { maySpeak: true } });
  expect(view(tab).messages.at(-1)).toMatchObject({ text: 'official', memberId: staffId });
  expect(view(tab).personas.get(staffId)).toMatchObject({ staff: true });
  expect(() => room(tab).post('as whom?')).toThrow('No speaker');
  await wait(0);
  expect(posts(tab)).toEqual([['official', true]]);
});

test('the choice survives a reload, and is not sent under the other name before the role is known [STAFF-21, STAFF-26]', async () => {
  const tab = await openAsStaff();
  room(tab).speakAs('staff');
  tab.close();
  const next = browser.openTab(tab);
  room(next);
  await carry(next);
  expect(view(next)).toMatchObject({ speaker: 'staff', staff: null });
  expect(() => room(next).post('official')).toThrow('No speaker');
  setStaff(next, null);
  expect(() => room(next).post('official')).toThrow('No speaker');
  room(next).speakAs('self');
  room(next).post('as one of you');
  expect(view(next).messages.at(-1)).toMatchObject({ memberId: view(next).me });
});

test('messages of both personas that waited leave seconds apart [STAFF-27]', async () => {
  const tab = await openAsStaff();
  tab.wire()?.drop();
  room(tab).post('shy');
  room(tab).speakAs('staff');
  room(tab).post('official');
  room(tab).speakAs('self');
  room(tab).post('shy again');
  room(tab).post('and again');
  while (!tab.wire()) await wait(100);
  const sentAt: Record<string, number> = {};
  for (let n = 0; n < 300; n++) {
    await carry(tab);
    await wait(99);
    for (const { text } of server.listMessages('class')) sentAt[text] ??= Date.now();
  }
  const times = ['shy', 'official', 'shy again', 'and again'].map((text) => sentAt[text] ?? 0);
  const pauses = times.slice(1).map((at, n) => at - (times[n] ?? 0));
  for (const pause of pauses.slice(0, 2)) {
    expect(pause).toBeGreaterThanOrEqual(1900);
    expect(pause).toBeLessThanOrEqual(8300);
  }
  expect(pauses[2]).toBeLessThanOrEqual(300);
});
