import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message } from '#contract/entities.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { createReplica, type LogReplica } from '#web/sync/engine/log-replica.ts';
import { createReadPosition } from './read-position.ts';
import { plainMessage } from '#web/sync/testing/plain-message.ts';

const me = { memberId: 'ada', anonymousName: 'Anonymous', icon: 'ada', hasAppeared: true };

function createMessage(seq: number): Message {
  return {
    ...plainMessage,
    id: `message ${seq}`,
    seq,
    createdAt: seq * 1000,
  };
}

/** A position in a class with three messages, of which the first is read. */
function start() {
  let replica: LogReplica = createReplica({
    type: 'snapshot',
    rid: 1,
    classId: 'class',
    epoch: 'epoch',
    seq: 3,
    lastId: 'entry 3',
    messages: [createMessage(1), createMessage(2), createMessage(3)],
    personas: [],
    hasOlder: false,
    me: { ...me, readSeq: 1 },
  });
  const sentFrames: ClientFrame[] = [];
  const tab = { isVisible: true };
  const position = createReadPosition('class', {
    send: (frame) => sentFrames.push(frame) > 0,
    isVisible: () => tab.isVisible,
    replica: () => replica,
    setReadSeq(readSeq) {
      replica = { ...replica, readSeq };
    },
    onStale: vi.fn<() => void>(),
  });
  position.onLive(1);
  return { position, sentFrames, tab, readSeq: () => replica.readSeq };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('messages that arrive in a hidden tab are read when it becomes visible [LIST-20]', () => {
  const { position, sentFrames, tab, readSeq } = start();

  tab.isVisible = false;
  position.markSeen();
  expect(readSeq()).toBe(1);

  tab.isVisible = true;
  position.onVisible();
  expect(readSeq()).toBe(3);
  expect(sentFrames).toEqual([{ type: 'read', classId: 'class', seq: 3 }]);
});

test('what a member marked as unread stays unread until the class is opened again [LIST-20]', () => {
  const { position, readSeq } = start();
  position.markRead();

  position.markUnreadFrom('message 2');
  position.markSeen();
  expect(readSeq()).toBe(1);

  position.markRead();
  expect(readSeq()).toBe(3);
});

test('a position that the server lacks is kept over an older one of the server [LIST-20]', () => {
  const { position, readSeq } = start();
  position.markRead();

  position.onDisconnect();
  position.onSubscribe();
  position.onLive(1);

  expect(readSeq()).toBe(3);
});

test('a position that waits for its second is sent when the page is hidden or closes [LIST-20]', () => {
  const { position, sentFrames } = start();
  position.markRead();
  position.markUnreadFrom('message 2');
  expect(sentFrames).toHaveLength(1);

  position.onHide();
  position.onHide();

  expect(sentFrames.slice(1)).toEqual([{ type: 'read', classId: 'class', seq: 1, back: true }]);
});
