import { expect, test, vi } from 'vitest';
import type { LogItem } from '#contract/socket.ts';
import type { EncodedFrame } from './encode-frame.ts';
import { createHub } from './hub.ts';

const deleted = (seq: number): LogItem => ({
  kind: 'deleted',
  seq,
  id: `entry--${seq}`,
  messageId: '00000000-0000-4000-8000-000000000000',
});

test('one commit is one frame for a room, encoded once for everybody in it [LOG-9]', () => {
  const hub = createHub();
  const classId = 'AAAAAAAAAAAAAAAA';
  const heard: EncodedFrame[][] = [[], [], []];
  for (const frames of heard) {
    hub.subscribe(classId, { receive: (frame) => frames.push(frame), hint: () => {} });
  }
  const encoding = vi.spyOn(JSON, 'stringify');
  hub.publish(classId, [deleted(7), deleted(8)]);
  const frames = encoding.mock.calls.filter(([value]) => (value as { type?: unknown })?.type);
  expect(frames).toHaveLength(1);
  encoding.mockRestore();
  const [first] = heard;
  expect(first).toHaveLength(1);
  const headerBytes = 4;
  expect(JSON.parse(String(first![0]!.subarray(headerBytes)))).toMatchObject({
    type: 'events',
    classId,
    from: 7,
    to: 8,
  });
  for (const [frame] of heard) expect(frame).toBe(first![0]);
});
