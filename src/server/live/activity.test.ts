import { expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import type { LogItem } from '#contract/socket.ts';
import { createActivity } from './activity.ts';
import type { EncodedFrame } from './frames.ts';

const classId = 'AAAAAAAAAAAAAAAA';
const ada = 'A'.repeat(16);
const ben = 'B'.repeat(16);
const cem = 'C'.repeat(16);
const ignoresNo = (memberId: string) => ({ memberId, ignored: new Set<string>() });
const messageId = '00000000-0000-4000-8000-000000000000';
const entry = (seq: number) => ({ seq, id: 'entry--1' });

function postedBy(memberId: string, seq: number, text = 'secret'): LogItem {
  const persona = { memberId, anonymousName: 'Anonymous', icon: memberId };
  const message = { id: messageId, seq, memberId, text, createdAt: 1, editedAt: null };
  const picture = { imageUrl: null, storagePath: null, images: [] };
  const others = { replyTo: null, quote: null, reactions: {}, moderation: null };
  return {
    kind: 'posted',
    ...entry(seq),
    message: { ...message, ...picture, ...others },
    persona,
  };
}

const read = (frame: EncodedFrame | null) =>
  frame && (JSON.parse(String(frame.subarray(frame.indexOf('{')))) as unknown);

test('tells each member of the messages of others, and never whose they are [WIRE-42, WIRE-44]', () => {
  const items = [postedBy(ada, 4), postedBy(ada, 5), postedBy(ben, 6)];
  const activity = createActivity(classId, { from: 4, to: 6, items });
  const told = (memberId: string) => read(activity.createFrame(ignoresNo(memberId), false));
  const frame = { type: 'activity', classId, seq: 6, mentions: 0 };
  expect(told(ada)).toEqual({ ...frame, posted: 1 });
  expect(told(ben)).toEqual({ ...frame, posted: 2 });
  expect(told(cem)).toEqual({ ...frame, posted: 3 });
});

test('is encoded once for all members who did not write [WIRE-42]', () => {
  const encoding = vi.spyOn(JSON, 'stringify');
  const activity = createActivity(classId, { from: 4, to: 4, items: [postedBy(ada, 4)] });
  const frames = Array.from({ length: 5 }, () => activity.createFrame(ignoresNo(cem), false));
  expect(new Set(frames).size).toBe(1);
  expect(encoding).toHaveBeenCalledTimes(1);
  encoding.mockRestore();
  expect(activity.createFrame(ignoresNo(ada), false)).toBeNull();
});

test('asks for a new count after a deletion, and if a part was counted before [WIRE-42]', () => {
  const deletion: LogItem = { kind: 'deleted', ...entry(7), messageId };
  const frame = { type: 'activity', classId, mentions: 0, recount: true };
  const deleted = createActivity(classId, { from: 7, to: 7, items: [deletion] });
  expect(read(deleted.createFrame(ignoresNo(cem), false))).toEqual({ ...frame, seq: 7, posted: 0 });
  const posted = createActivity(classId, { from: 4, to: 4, items: [postedBy(ada, 4)] });
  expect(read(posted.createFrame(ignoresNo(cem), true))).toEqual({ ...frame, seq: 4, posted: 1 });
});

test('only the mentioned member learns of a mention, and the frames have one size [MENTION-11, MENTION-14]', () => {
  const mention = toMentionToken(ben);
  const twelve = Array.from({ length: 12 }, (_, n) =>
    postedBy(ada, n + 4, `${mention} ${mention}`),
  );
  const items = [...twelve, postedBy(ada, 16, `\\${mention}`), postedBy(ben, 17, mention)];
  const activity = createActivity(classId, { from: 4, to: 17, items });
  expect(read(activity.createFrame(ignoresNo(ben), false))).toMatchObject({
    posted: 13,
    mentions: 12,
  });
  expect(read(activity.createFrame(ignoresNo(cem), false))).toMatchObject({
    posted: 14,
    mentions: 0,
  });
  expect(read(activity.createFrame(ignoresNo(ada), false))).toMatchObject({
    posted: 1,
    mentions: 0,
  });
  const sizes = [ben, cem].map((one) => activity.createFrame(ignoresNo(one), false)?.length);
  expect(sizes[0]).toBe(sizes[1]);
});

test('asks for a new count after an edit of a message with mentions [MENTION-12]', () => {
  const edited = { kind: 'edited', ...entry(7), messageId, text: 'x', editedAt: 1 } as const;
  const frameAfter = (item: LogItem) =>
    read(
      createActivity(classId, { from: 7, to: 7, items: [item] }).createFrame(ignoresNo(cem), false),
    );
  expect(frameAfter(edited)).toBeNull();
  expect(frameAfter({ ...edited, personas: [] })).toMatchObject({ posted: 0, recount: true });
});

test('gives a member who ignores an author the same notice of the same size, without the author’s messages [SELF-11]', () => {
  const many = Array.from({ length: 10 }, (_, n) => postedBy(ada, n + 4, toMentionToken(cem)));
  const items = [...many, postedBy(ben, 14)];
  const activity = createActivity(classId, { from: 4, to: 14, items });
  const all = activity.createFrame(ignoresNo(cem), false);
  const some = activity.createFrame({ memberId: cem, ignored: new Set([ada]) }, false);
  const nothing = activity.createFrame({ memberId: cem, ignored: new Set([ada, ben]) }, false);
  expect(read(all)).toMatchObject({ posted: 11, mentions: 10 });
  expect(read(some)).toMatchObject({ posted: 1, mentions: 0 });
  expect(read(nothing)).toMatchObject({ posted: 0, mentions: 0 });
  expect(new Set([all, some, nothing].map((frame) => frame?.length)).size).toBe(1);
});
