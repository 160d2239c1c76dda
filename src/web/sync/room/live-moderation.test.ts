import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Message, Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import type { MessageChange } from './room.ts';
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

const getView = (tab: FakeTab) => tab.live.room('class').getSnapshot();
const listTexts = (tab: FakeTab) => getView(tab).messages.map(({ text }) => text);

function createModeratedFrame(
  seq: number,
  messageId: string,
  moderation: Message['moderation'],
): ServerFrame {
  const item = { kind: 'moderated', seq, id: `entry-${seq}`, messageId, moderation } as const;
  return { type: 'events', classId: 'class', from: seq, to: seq, lastId: item.id, items: [item] };
}

const createMute = (ms: number): Sanction => ({
  kind: 'mute',
  until: Date.now() + ms,
  reason: 'Not here.',
});
const picture = {
  imageUrl: '/images/AAAAAAAAAAAAAAAA.webp',
  thumbUrl: '/images/AAAAAAAAAAAAAAAA.small.webp',
  width: 4,
  height: 3,
  placeholder: '',
  animated: false,
  alt: '',
};
const expelled: Sanction = { kind: 'removed', until: null, reason: 'Threats.' };

test('a hidden message has no content until the member asks for it, and again after that [MOD-45]', async () => {
  const tab = await openTabIn(browser);
  server.say('class', 'm1', 'cem', 'mean words');
  const frame = tab.wire()?.serverFrames.shift();
  if (frame?.type !== 'events' || frame.items[0]?.kind !== 'posted') throw new Error('No post.');
  frame.items[0].message.images = [picture];
  tab.wire()?.inject(frame);
  const changes: MessageChange[] = [];
  const { live } = tab;
  live.room('class').onMessageChanged((change) => changes.push(change));
  tab.wire()?.inject(createModeratedFrame(2, 'm1', 'hidden'));
  const concealed = { text: '', images: [], moderation: 'hidden', isConcealed: true };
  expect(getView(tab).messages).toMatchObject([concealed]);
  expect(changes).toMatchObject([{ kind: 'moderated', messageId: 'm1', moderation: 'hidden' }]);
  live.room('class').reveal('m1', true);
  const shownMessage = { text: 'mean words', images: [picture], isConcealed: false };
  expect(getView(tab).messages).toMatchObject([shownMessage]);
  live.room('class').reveal('m1', false);
  expect(listTexts(tab)).toEqual(['']);
  tab.wire()?.inject(createModeratedFrame(3, 'm1', null));
  expect(getView(tab).messages).toMatchObject([{ text: 'mean words', isConcealed: false }]);
});

test('a removed message stays in its place without its content, also if the member had opened it [MOD-46]', async () => {
  const tab = await openTabIn(browser);
  server.say('class', 'm1', 'cem', 'mean words');
  server.say('class', 'm2', 'cem', 'more');
  await carry(tab);
  tab.wire()?.inject(createModeratedFrame(3, 'm1', 'hidden'));
  tab.live.room('class').reveal('m1', true);
  tab.wire()?.inject(createModeratedFrame(4, 'm1', 'removed'));
  expect(getView(tab).messages).toMatchObject([
    { id: 'm1', memberId: 'cem', text: '', moderation: 'removed', isConcealed: true },
    { id: 'm2', text: 'more' },
  ]);
});

test('a removed message is not unread [MOD-46]', async () => {
  const tab = browser.openTab();
  tab.live.follow(['class', 'other']);
  tab.live.room('class');
  await carry(tab);
  server.say('class', 'm1', 'cem');
  server.say('class', 'm2', 'cem');
  await carry(tab);
  expect(getView(tab).unread.count).toBe(2);
  tab.wire()?.inject(createModeratedFrame(3, 'm1', 'removed'));
  expect(getView(tab).unread.count).toBe(1);
});

test('the quote of a reply to a hidden message is marked as hidden [MOD-45]', async () => {
  const tab = await openTabIn(browser);
  server.say('class', 'm1', 'cem', 'mean words');
  await carry(tab);
  tab.wire()?.inject(createModeratedFrame(2, 'm1', 'hidden'));
  tab.live.room('class').post('Why?', 'm1');
  expect(getView(tab).messages.at(-1)).toMatchObject({ text: 'Why?', quote: { hidden: true } });
});

test('a mute ends on time without the server, and when a moderator lifts it [MOD-47]', async () => {
  const tab = await openTabIn(browser);
  tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction: createMute(60_000) });
  expect(getView(tab).sanction).toMatchObject({ kind: 'mute', reason: 'Not here.' });
  await wait(59_000);
  expect(getView(tab).sanction).not.toBeNull();
  await wait(1_000);
  expect(getView(tab).sanction).toBeNull();
  tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction: createMute(60_000) });
  tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction: null });
  expect(getView(tab).sanction).toBeNull();
});

test('a message that the server rejects because of a mute stays, and can be sent after it [MOD-48]', async () => {
  const tab = await openTabIn(browser);
  server.refusals.push({ code: 'MUTED', message: 'You are muted.', sanction: createMute(60_000) });
  tab.live.room('class').post('My long answer');
  await carry(tab);
  expect(getView(tab).messages).toMatchObject([
    { text: 'My long answer', delivery: 'failed', failure: 'You are muted.' },
  ]);
  await wait(60_000);
  tab.live.room('class').retry(getView(tab).messages[0]?.id ?? '');
  await carry(tab);
  expect(server.listMessages('class')).toMatchObject([{ text: 'My long answer' }]);
});

test('a removed member keeps unsent messages and nothing of the class, until a moderator lifts it [MOD-49]', async () => {
  const tab = await openTabIn(browser);
  server.say('class', 'm1', 'cem', 'for members');
  await carry(tab);
  const enrollments: boolean[] = [];
  tab.live.onEnrollment((_classId, isJoined) => enrollments.push(isJoined));
  server.refusals.push({ code: 'REMOVED_FROM_CLASS', message: 'Removed.', sanction: expelled });
  tab.live.room('class').post('My long answer');
  tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction: expelled });
  tab.wire()?.inject({ type: 'reset', classId: 'class', reason: 'removed' });
  await carry(tab);
  expect(getView(tab)).toMatchObject({ state: 'gone', sanction: { kind: 'removed' } });
  expect(getView(tab).messages).toMatchObject([{ text: 'My long answer', delivery: 'failed' }]);
  expect(enrollments).toEqual([]);
  tab.wire()?.inject({ type: 'sanction', classId: 'class', sanction: null });
  await carry(tab);
  expect(getView(tab).state).toBe('ready');
  expect(listTexts(tab)).toEqual(['for members', 'My long answer']);
});

test('a class that is gone keeps its unsent messages as failed, until the member leaves it [SEND-50, LEAVE-3]', async () => {
  const tab = await openTabIn(browser);
  await carry(tab);
  server.refusals.push({ code: 'NOT_FOUND', message: 'There is no such class.' });
  tab.live.room('class').post('My long answer');

  tab.wire()?.inject({ type: 'reset', classId: 'class', reason: 'deleted' });
  await carry(tab);

  expect(getView(tab)).toMatchObject({
    state: 'gone',
    messages: [{ text: 'My long answer', delivery: 'failed' }],
  });

  tab.wire()?.inject({ type: 'enrolment', classId: 'class', joined: false });
  await carry(tab);

  expect(getView(tab).messages).toEqual([]);
});
