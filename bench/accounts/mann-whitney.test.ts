import { expect, test } from 'vitest';
import { mannWhitney } from './mann-whitney.ts';

test('detects samples that differ', () => {
  const even = Array.from({ length: 200 }, (_, n) => n);
  expect(mannWhitney(even, even)).toBeCloseTo(1, 6);
  expect(mannWhitney([1, 1], [1, 1])).toBe(1);
  expect(
    mannWhitney(
      even,
      even.map((value) => value + 100),
    ),
  ).toBeLessThan(1e-9);
  // Calculated by hand: U = 15 of 10 and 10 values, expected 50, standard deviation 13.23, so |z| = 2.646.
  const a = [1, 2, 3, 4, 5, 6, 7, 13, 14, 15];
  const b = [8, 9, 10, 11, 12, 16, 17, 18, 19, 20];
  expect(mannWhitney(a, b)).toBeCloseTo(0.00815, 5);
  expect(mannWhitney(b, a)).toBeCloseTo(mannWhitney(a, b), 9);
});
