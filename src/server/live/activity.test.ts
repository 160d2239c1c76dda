import { expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import type { LogItem } from '#contract/socket.ts';
import { createActivity } from './activity.ts';
import type { EncodedFrame } from './frames.ts';

const classId = 'AAAAAAAAAAAAAAAA';
const ada = 'A'.repeat(16);
const ben = 'B'.repeat(16);
const cem = 'C'.repeat(16);
const createRecipient = (memberId: string) => ({ memberId, ignored: new Set<string>() });
const messageId = '00000000-0000-4000-8000-000000000000';
const createEntry = (seq: number) => ({ seq, id: 'entry--1' });

function createPost(memberId: string, seq: number, text = 'secret'): LogItem {
  const persona = { memberId, anonymousName: 'Anonymous', icon: memberId };
  const message = { id: messageId, seq, memberId, text, createdAt: 1, editedAt: null };
  const picture = { imageUrl: null, storagePath: null, images: [] };
  const otherFields = { replyTo: null, quote: null, reactions: {}, moderation: null };
  return {
    kind: 'posted',
    ...createEntry(seq),
    message: { ...message, ...picture, ...otherFields },
    persona,
  };
}

const parseFrame = (frame: EncodedFrame | null) =>
  frame && (JSON.parse(String(frame.subarray(frame.indexOf('{')))) as unknown);

test('tells each member of the messages of others, and never whose they are [WIRE-42]', () => {
  const items = [createPost(ada, 4), createPost(ada, 5), createPost(ben, 6)];
  const activity = createActivity(classId, { from: 4, to: 6, items });
  const parseFrameFor = (memberId: string) =>
    parseFrame(activity.createFrame(createRecipient(memberId), false));
  const frame = { type: 'activity', classId, seq: 6, mentions: 0 };
  expect(parseFrameFor(ada)).toEqual({ ...frame, posted: 1 });
  expect(parseFrameFor(ben)).toEqual({ ...frame, posted: 2 });
  expect(parseFrameFor(cem)).toEqual({ ...frame, posted: 3 });
});

test('is encoded once for all members who did not write [WIRE-42]', () => {
  const activity = createActivity(classId, { from: 4, to: 4, items: [createPost(ada, 4)] });
  const frames = Array.from({ length: 5 }, () => activity.createFrame(createRecipient(cem), false));
  expect(new Set(frames).size).toBe(1);
  expect(activity.createFrame(createRecipient(ada), false)).toBeNull();
});

test('asks for a new count after a deletion, and if a part was counted before [WIRE-42]', () => {
  const deletion: LogItem = { kind: 'deleted', ...createEntry(7), messageId };
  const frame = { type: 'activity', classId, mentions: 0, recount: true };
  const deletionActivity = createActivity(classId, { from: 7, to: 7, items: [deletion] });
  expect(parseFrame(deletionActivity.createFrame(createRecipient(cem), false))).toEqual({
    ...frame,
    seq: 7,
    posted: 0,
  });
  const postActivity = createActivity(classId, { from: 4, to: 4, items: [createPost(ada, 4)] });
  expect(parseFrame(postActivity.createFrame(createRecipient(cem), true))).toEqual({
    ...frame,
    seq: 4,
    posted: 1,
  });
});

test('only the mentioned member learns of a mention, and the frames have one size [MENTION-11]', () => {
  const mention = toMentionToken(ben);
  const twelve = Array.from({ length: 12 }, (_, n) =>
    createPost(ada, n + 4, `${mention} ${mention}`),
  );
  const items = [...twelve, createPost(ada, 16, `\\${mention}`), createPost(ben, 17, mention)];
  const activity = createActivity(classId, { from: 4, to: 17, items });
  expect(parseFrame(activity.createFrame(createRecipient(ben), false))).toMatchObject({
    posted: 13,
    mentions: 12,
  });
  expect(parseFrame(activity.createFrame(createRecipient(cem), false))).toMatchObject({
    posted: 14,
    mentions: 0,
  });
  expect(parseFrame(activity.createFrame(createRecipient(ada), false))).toMatchObject({
    posted: 1,
    mentions: 0,
  });
  const sizes = [ben, cem].map(
    (memberId) => activity.createFrame(createRecipient(memberId), false)?.length,
  );
  expect(sizes[0]).toBe(sizes[1]);
});

test('asks for a new count after an edit of a message with mentions [MENTION-11]', () => {
  const edited = { kind: 'edited', ...createEntry(7), messageId, text: 'x', editedAt: 1 } as const;
  const createFrameAfter = (item: LogItem) =>
    parseFrame(
      createActivity(classId, { from: 7, to: 7, items: [item] }).createFrame(
        createRecipient(cem),
        false,
      ),
    );
  expect(createFrameAfter(edited)).toBeNull();
  expect(createFrameAfter({ ...edited, personas: [] })).toMatchObject({ posted: 0, recount: true });
});

test('gives a member who ignores an author the same notice of the same size, without the author’s messages [SELF-12]', () => {
  const mentioningPosts = Array.from({ length: 10 }, (_, n) =>
    createPost(ada, n + 4, toMentionToken(cem)),
  );
  const items = [...mentioningPosts, createPost(ben, 14)];
  const activity = createActivity(classId, { from: 4, to: 14, items });
  const all = activity.createFrame(createRecipient(cem), false);
  const partialFrame = activity.createFrame({ memberId: cem, ignored: new Set([ada]) }, false);
  const emptyFrame = activity.createFrame({ memberId: cem, ignored: new Set([ada, ben]) }, false);
  expect(parseFrame(all)).toMatchObject({ posted: 11, mentions: 10 });
  expect(parseFrame(partialFrame)).toMatchObject({ posted: 1, mentions: 0 });
  expect(parseFrame(emptyFrame)).toMatchObject({ posted: 0, mentions: 0 });
  expect(new Set([all, partialFrame, emptyFrame].map((frame) => frame?.length)).size).toBe(1);
});
