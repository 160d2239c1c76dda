import { describe, expect, it } from 'vitest';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { collapseRows, toMessageRows } from './message-rows.ts';

const noon = new Date(2026, 2, 3, 12).getTime();

function createMessage(memberId: string, minutes: number): RoomMessage {
  const createdAt = noon + minutes * 60_000;
  return {
    id: `${minutes}`,
    seq: 1,
    memberId,
    text: 'x',
    imageUrl: null,
    storagePath: null,
    images: [],
    createdAt,
    editedAt: null,
    replyTo: null,
    quote: null,
    reactions: {},
    moderation: null,
    question: null,
    poll: null,
    isConcealed: false,
    delivery: 'sent',
    failure: null,
    unsentPictures: [],
    progress: [],
    pictureOnlyInThisTab: false,
    retryAt: null,
  };
}

it('shares a header within five minutes of one persona [CHAT-10]', () => {
  const rows = toMessageRows([
    createMessage('a', 0),
    createMessage('a', 4),
    createMessage('a', 9),
    createMessage('b', 9.5),
  ]);
  expect(rows.map((row) => row.startsGroup)).toEqual([true, false, true, true]);
});

it('separates days, also within one group [CHAT-10]', () => {
  const rows = toMessageRows([
    createMessage('a', 0),
    createMessage('a', 11 * 60 + 59),
    createMessage('a', 12 * 60),
  ]);
  expect(rows.map((row) => row.startsDay)).toEqual([true, false, true]);
  expect(rows[2]?.startsGroup).toBe(true);
});

it('says what a message answers, however old that is, and shows who answers [CHAT-30]', () => {
  const quote = { memberId: 'b', anonymousName: 'Heron', text: 'So?', imageCount: 0 };
  const reply = { ...createMessage('a', 1), replyTo: 'old', quote };
  const [, row] = toMessageRows([createMessage('a', 0), reply]);
  expect([row?.startsGroup, row?.quoted]).toEqual([true, { ...quote, id: 'old' }]);
  expect(toMessageRows([{ ...reply, quote: null }])[0]?.quoted).toBe('deleted');
  expect(toMessageRows([{ ...reply, quote: null, seq: null }])[0]?.quoted).toBe('unknown');
});

it('shows no quote right below the message that is answered [CHAT-30]', () => {
  const quote = { memberId: 'b', anonymousName: 'Heron', text: 'So?', imageCount: 0 };
  const asked = createMessage('b', 0);
  const reply = { ...createMessage('a', 1), replyTo: asked.id, quote };

  expect(toMessageRows([asked, reply])[1]?.quoted).toBeNull();
  expect(toMessageRows([asked, createMessage('c', 0.5), reply])[2]?.quoted).not.toBeNull();
});

it('computes again only the rows whose message or predecessor changed [CHAT-42]', () => {
  const messages = [createMessage('a', 0), createMessage('a', 1), createMessage('a', 2)];
  const rowsBefore = toMessageRows(messages);
  const rowsAfter = toMessageRows(messages.slice(1));
  expect([rowsAfter[0] === rowsBefore[1], rowsAfter[1] === rowsBefore[2]]).toEqual([false, true]);
  expect(rowsAfter[0]?.startsDay).toBe(true);
});

describe('collapsed messages', () => {
  const noIds = new Set<string>();
  const toShape = (rows: ReturnType<typeof collapseRows>) =>
    rows.map(({ collapsed }) => {
      if (collapsed === undefined) return 'shown';
      return collapsed === 'inside' ? 'inside' : `${collapsed.reason} ${collapsed.ids.length}`;
    });

  it('share a line with their neighbors, by reason [SELF-14]', () => {
    const rows = toMessageRows(
      [0, 1, 2, 3, 4, 5].map((n) => createMessage(['a', 'b', 'b', 'c', 'c', 'a'][n] ?? '', n)),
    );
    const preferences = { ignored: new Set(['b']), hidden: new Set(['3']), muted: false };
    const collapsedRows = collapseRows(rows, preferences, noIds, null);
    expect(toShape(collapsedRows)).toEqual([
      'shown',
      'ignored 2',
      'inside',
      'hiddenByViewer 1',
      'shown',
      'shown',
    ]);
    expect(collapsedRows[1]?.collapsed).toEqual({ reason: 'ignored', ids: ['1', '2'] });
    // The author's name was in a collapsed message.
    expect(collapsedRows[4]?.startsGroup).toBe(true);
  });

  it('begin a new line at a new day and at the line of new messages, and opened ones are shown [SELF-14]', () => {
    const rows = toMessageRows([0, 1, 2, 24 * 60, 24 * 60 + 1].map((n) => createMessage('b', n)));
    const preferences = { ignored: new Set(['b']), hidden: noIds, muted: false };
    expect(toShape(collapseRows(rows, preferences, noIds, '2'))).toEqual([
      'ignored 2',
      'inside',
      'ignored 1',
      'ignored 2',
      'inside',
    ]);
    expect(toShape(collapseRows(rows, preferences, new Set(['1']), null))).toEqual([
      'ignored 1',
      'shown',
      'ignored 1',
      'ignored 2',
      'inside',
    ]);
  });

  it('change nothing for members who ignore no one [SELF-14]', () => {
    const rows = toMessageRows([createMessage('a', 0), createMessage('a', 1)]);
    expect(collapseRows(rows, { ignored: noIds, hidden: noIds, muted: true }, noIds, null)).toBe(
      rows,
    );
  });
});
