import { expect, test } from 'vitest';
import { visitMessageNumbers, createText } from './payload.ts';

test('finds the numbers of all messages in a frame, and only there', () => {
  const frame = Buffer.from(
    `~~ ~1234 ["${createText(42)}","${createText(99_999_999)}"] ${createText(7)}`,
  );
  const end = frame.indexOf(']');
  const numbers: number[] = [];
  visitMessageNumbers(frame, 0, end, (number) => numbers.push(number));
  expect(numbers).toEqual([42, 99_999_999]);
});

test('gives each message the same length', () => {
  expect(createText(0)).toHaveLength(128);
  expect(createText(99_999_999)).toHaveLength(128);
});
