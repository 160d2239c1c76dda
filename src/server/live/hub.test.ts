import { expect, test, vi } from 'vitest';
import type { LogItem } from '#contract/socket.ts';
import { encodeReplay, type EncodedFrame } from './frames.ts';
import { createLocalHub, type LocalHub } from './hub.ts';

const createDeletion = (seq: number): LogItem => ({
  kind: 'deleted',
  seq,
  id: `entry--${seq}`,
  messageId: '00000000-0000-4000-8000-000000000000',
});

function deliver(hub: LocalHub, classId: string, ...items: LogItem[]): void {
  const last = items.at(-1)!;
  const replay = { from: items[0]!.seq, to: last.seq, lastId: last.id, items };
  hub.deliver(classId, encodeReplay(classId, replay));
}

test('encodes one frame per commit and room, once for all subscribers [WIRE-15]', () => {
  const hub = createLocalHub();
  const classId = 'AAAAAAAAAAAAAAAA';
  const framesBySubscriber: EncodedFrame[][] = [[], [], []];
  for (const frames of framesBySubscriber) {
    hub.subscribe(classId, {
      receive: (frame) => frames.push(frame),
      receiveVolatile: () => {},
    });
  }
  const encoding = vi.spyOn(JSON, 'stringify');
  deliver(hub, classId, createDeletion(7), createDeletion(8));
  const frames = encoding.mock.calls.filter(([value]) => (value as { type?: unknown })?.type);
  expect(frames).toHaveLength(1);
  encoding.mockRestore();
  const [first] = framesBySubscriber;
  expect(first).toHaveLength(1);
  const headerBytes = 4;
  expect(JSON.parse(String(first![0]!.subarray(headerBytes)))).toMatchObject({
    type: 'events',
    classId,
    from: 7,
    to: 8,
  });
  for (const [frame] of framesBySubscriber) expect(frame).toBe(first![0]);
});

test('counts deliveries with a coarse size of the room, so one more subscriber does not show [METRIC-9]', () => {
  const deliveries: number[] = [];
  const hub = createLocalHub({
    count: (_name, _value, amount = 1) => void deliveries.push(amount),
  });
  const small = 'AAAAAAAAAAAAAAAA';
  const large = 'BBBBBBBBBBBBBBBB';
  const join = (classId: string, count: number) => {
    for (let n = 0; n < count; n++) {
      hub.subscribe(classId, { receive: () => {}, receiveVolatile: () => {} });
    }
  };
  for (let size = 1; size < 10; size++) {
    join(small, 1);
    deliver(hub, small, createDeletion(7));
  }
  expect(deliveries.splice(0)).toEqual(Array.from({ length: 9 }, () => 0));
  join(large, 1000);
  deliver(hub, large, createDeletion(7));
  for (let size = 1001; size < 1009; size++) {
    join(large, 1);
    deliver(hub, large, createDeletion(7));
  }
  expect(deliveries).toEqual(Array.from({ length: 9 }, () => 1000));
});
