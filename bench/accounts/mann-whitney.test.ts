import { expect, test } from 'vitest';
import { mannWhitney } from './mann-whitney.ts';

test('tells samples that differ from samples that do not', () => {
  const even = Array.from({ length: 200 }, (_, n) => n);
  expect(mannWhitney(even, even)).toBeCloseTo(1, 6);
  expect(mannWhitney([1, 1], [1, 1])).toBe(1);
  expect(
    mannWhitney(
      even,
      even.map((value) => value + 100),
    ),
  ).toBeLessThan(1e-9);
  // By hand: U = 15 of 10 and 10, 50 expected, a spread of 13.23: 2.646 of them away.
  const [a, b] = [
    [1, 2, 3, 4, 5, 6, 7, 13, 14, 15],
    [8, 9, 10, 11, 12, 16, 17, 18, 19, 20],
  ];
  expect(mannWhitney(a, b)).toBeCloseTo(0.00815, 5);
  expect(mannWhitney(b, a)).toBeCloseTo(mannWhitney(a, b), 9);
});
