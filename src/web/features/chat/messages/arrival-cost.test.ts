// The work for one arriving message must not grow with the number of messages that have arrived before.
import { expect, test } from 'vitest';
import type { Message } from '#contract/entities.ts';
import {
  applyEvents,
  forgetDistant,
  createReplica,
  type LogReplica,
} from '#web/sync/engine/log-replica.ts';
import { OwnMarkStore } from '#web/sync/room/own-marks.ts';
import { toRoomView } from '#web/sync/room/room-view.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { toMessageRows } from './message-rows.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';

const classId = 'class';
const me = {
  memberId: 'ada',
  anonymousName: 'Anonymous',
  icon: 'ada',
  readSeq: 0,
  hasAppeared: true,
};
const content = {
  classId,
  outbox: {
    listMessageEntries: () => [],
    listDeletionEntries: () => [],
    listMarkEntries: () => [],
    findFailedAction: () => undefined,
    isPictureOnlyInThisTab: () => false,
  },
  sender: { isAcknowledged: () => false, retryAt: () => null },
  uploads: { findProgress: () => null },
  quotes: { find: () => null },
  reactions: { applyTo: (message: RoomView['messages'][0]) => message },
  marks: new OwnMarkStore(),
  preferences: { ignored: new Set<string>(), hidden: new Set<string>(), muted: false },
  revealed: new Set<string>(),
};
const state = {
  gone: false,
  typing: false,
  older: 'idle',
  newer: 'idle',
  counted: null,
  sanction: null,
  quietTime: null,
  staff: null,
  speaker: 'self',
  keptAt: null,
  lastActivityAt: null,
  jump: { count: 0, messageId: null },
} as const;

function createMessage(seq: number): Message {
  return {
    ...plainMessage,
    id: `message ${seq}`,
    seq,
    memberId: `member ${seq % 40}`,
    text: 'A line of an ordinary length, as a student writes it.',
    createdAt: seq * 1000,
  };
}

test('of 20,000 messages the last ones cost as little as the first ones [CHAT-42]', () => {
  let replica: LogReplica = createReplica({
    type: 'snapshot',
    rid: 1,
    classId,
    epoch: 'epoch',
    seq: 0,
    lastId: null,
    messages: [],
    personas: [],
    hasOlder: false,
    me,
  });
  let view: RoomView | null = null;
  let maxRows = 0;
  const arrive = (seq: number) => {
    const message = createMessage(seq);
    const persona = { ...me, memberId: message.memberId };
    const item = { kind: 'posted', seq, id: `entry ${seq}`, message, persona } as const;
    const frame = { type: 'events', classId, from: seq, to: seq, lastId: item.id } as const;
    const next = applyEvents(replica, { ...frame, items: [item] });
    if (next === 'gap') throw new Error('There is no gap.');
    // The list does this after each hundred messages.
    replica = seq % 100 === 0 ? forgetDistant(next, null) : next;
    view = toRoomView({ ...content, replica }, state, view);
    maxRows = Math.max(maxRows, toMessageRows(view.messages).length);
  };
  const perMessageMs: number[] = [];
  for (let block = 0; block < 20; block++) {
    const start = performance.now();
    for (let n = 1; n <= 1000; n++) arrive(block * 1000 + n);
    perMessageMs.push((performance.now() - start) / 1000);
  }
  expect(maxRows).toBeLessThanOrEqual(600);
  // The bound for a browser is 8 ms on a processor that is four times slower.
  expect(perMessageMs.at(-1)).toBeLessThan(2);
});
