import { expect, test } from 'vitest';
import { Histogram, median } from './histogram.ts';

test('gives percentiles within the width of a bucket', () => {
  const histogram = new Histogram();
  for (let ms = 1; ms <= 1000; ms++) histogram.add(ms);
  expect(histogram.percentile(0.5) / 500).toBeCloseTo(1, 1);
  expect(histogram.percentile(0.99) / 990).toBeCloseTo(1, 1);
  expect(histogram.max).toBe(1000);
  expect(new Histogram().percentile(0.99)).toBe(0);
});

test('takes the mean of the two middle values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});
