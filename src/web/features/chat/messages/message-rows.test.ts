import { expect, it } from 'vitest';
import type { RoomMessage } from '#web/sync/room.ts';
import { toMessageRows } from './message-rows.ts';

const noon = new Date(2026, 2, 3, 12).getTime();

function message(memberId: string, minutes: number): RoomMessage {
  const createdAt = noon + minutes * 60_000;
  return {
    id: `${minutes}`,
    seq: 1,
    memberId,
    text: 'x',
    imageUrl: null,
    storagePath: null,
    image: null,
    createdAt,
    editedAt: null,
    replyTo: null,
    reactions: {},
    delivery: 'sent',
    failure: null,
    unsentPicture: null,
    progress: null,
    onlyHere: false,
  };
}

it('shares a header within five minutes of one persona [CHAT-10]', () => {
  const rows = toMessageRows(
    [message('a', 0), message('a', 4), message('a', 9), message('b', 9.5)],
    true,
  );
  expect(rows.map((row) => row.startsGroup)).toEqual([true, false, true, true]);
});

it('separates days, also within one group [CHAT-10]', () => {
  const rows = toMessageRows(
    [message('a', 0), message('a', 11 * 60 + 59), message('a', 12 * 60)],
    true,
  );
  expect(rows.map((row) => row.startsDay)).toEqual([true, false, true]);
  expect(rows[2]?.startsGroup).toBe(true);
});

it('says what a message answers, and shows who does so [SEND-14]', () => {
  const answers = { ...message('a', 1), replyTo: '0' };
  const known = toMessageRows([message('a', 0), answers], false)[1];
  expect([known?.startsGroup, known?.quoted]).toEqual([true, message('a', 0)]);
  expect(toMessageRows([answers], false)[0]?.quoted).toBe('earlier');
  expect(toMessageRows([answers], true)[0]?.quoted).toBe('deleted');
});
