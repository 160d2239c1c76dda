import { expect, test } from 'vitest';
import { eachNumber, textOf } from './payload.ts';

test('finds the numbers of all messages in a frame, and only there', () => {
  const frame = Buffer.from(`~~ ~1234 ["${textOf(42)}","${textOf(99_999_999)}"] ${textOf(7)}`);
  const end = frame.indexOf(']');
  const found: number[] = [];
  eachNumber(frame, 0, end, (number) => found.push(number));
  expect(found).toEqual([42, 99_999_999]);
});

test('gives each message the same length', () => {
  expect(textOf(0)).toHaveLength(128);
  expect(textOf(99_999_999)).toHaveLength(128);
});
