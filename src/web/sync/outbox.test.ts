import { beforeEach, describe, expect, test } from 'vitest';
import { createOutbox, type Outbox } from './outbox.ts';

let outbox: Outbox;
let changed: string[];
beforeEach(() => {
  changed = [];
  outbox = createOutbox((classId) => changed.push(classId));
  for (const id of ['a1', 'a2', 'b1']) {
    outbox.add({ id, classId: id[0]!, text: id, createdAt: 1 });
  }
});

const sendable = () => outbox.takeSendable().map((entry) => entry.id);
const waiting = (classId: string) => outbox.entriesOf(classId).map((entry) => entry.id);

describe('the outbox', () => {
  test('sends one message per class at a time, in order [LOG-14]', () => {
    expect(sendable()).toEqual(['a1', 'b1']);
    expect(sendable()).toEqual([]);
    outbox.acknowledge('a1', 7);
    expect(sendable()).toEqual(['a2']);
  });

  test('keeps an acknowledged message until its place in the log is held [SEND-7]', () => {
    sendable();
    outbox.acknowledge('a1', 7);
    outbox.settle('a', 6, []);
    expect(waiting('a')).toEqual(['a1', 'a2']);
    outbox.settle('a', 7, []);
    expect(waiting('a')).toEqual(['a2']);
  });

  test('lets go of a message that came by the log before its acknowledgement [LOG-3]', () => {
    sendable();
    outbox.settle('a', 7, ['a1']);
    expect(waiting('a')).toEqual(['a2']);
    expect(outbox.acknowledge('a1', 7)).toBe(null);
  });

  test('sends again what was on its way when the connection ended [LOG-14]', () => {
    sendable();
    outbox.putBackAll();
    expect(sendable()).toEqual(['a1', 'b1']);
  });

  test('keeps what failed, with its reason, until it is retried or discarded [SEND-8]', () => {
    sendable();
    outbox.fail('a1', 'Please shorten it.');
    expect(outbox.entriesOf('a')[0]).toMatchObject({
      state: 'failed',
      failure: 'Please shorten it.',
    });
    expect(sendable()).toEqual(['a2']);
    outbox.acknowledge('a2', 8);
    outbox.retry('a1');
    expect(sendable()).toEqual(['a1']);
    outbox.remove('a1');
    expect(waiting('a')).toEqual(['a2']);
  });

  test('tells which class has changed', () => {
    expect(changed).toEqual(['a', 'a', 'b']);
  });
});
