import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';
import { computeMedian } from './results.ts';

test('The percentiles of a histogram have three exact digits', () => {
  const histogram = new Histogram();
  for (let ms = 1; ms <= 1000; ms++) {
    histogram.add(ms);
  }

  expect(histogram.count).toBe(1000);
  expect(histogram.computePercentile(0.5) / 500).toBeCloseTo(1, 3);
  expect(histogram.computePercentile(0.99) / 990).toBeCloseTo(1, 3);
  expect(histogram.max / 1000).toBeCloseTo(1, 3);
  expect(new Histogram().computePercentile(0.99)).toBe(0);
});

test('The median of an even number of values is the mean of the two middle ones', () => {
  expect(computeMedian([3, 1, 2])).toBe(2);
  expect(computeMedian([4, 1, 3, 2])).toBe(2.5);
});
