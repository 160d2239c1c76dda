import { createHistogram } from 'node:perf_hooks';

/** Counts any number of durations in bounded memory, each with three exact digits. */
export class Histogram {
  readonly #microseconds = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });

  add(milliseconds: number): void {
    this.#microseconds.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  get count(): number {
    return this.#microseconds.count;
  }

  get max(): number {
    return this.#microseconds.max / 1000;
  }

  /** The duration in milliseconds that this share of all durations does not exceed. */
  computePercentile(share: number): number {
    return this.#microseconds.percentile(share * 100) / 1000;
  }
}

/** The value that this share of all values does not exceed. */
export function computePercentile(values: readonly number[], share: number): number {
  return (
    findAtRank(
      values.toSorted((a, b) => a - b),
      share,
    ) ?? NaN
  );
}

function findAtRank(sortedValues: readonly number[], share: number): number | undefined {
  return sortedValues[Math.max(0, Math.ceil(sortedValues.length * share) - 1)];
}

/** All values are in milliseconds. */
export interface Times {
  p50: number;
  p99: number;
  max: number;
}

export function summarize(milliseconds: readonly number[]): Times {
  const sortedValues = milliseconds.toSorted((a, b) => a - b);
  const roundAtRank = (share: number) => round(findAtRank(sortedValues, share) ?? 0);
  return { p50: roundAtRank(0.5), p99: roundAtRank(0.99), max: roundAtRank(1) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export function computeMedian(values: readonly number[]): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  const middle = sortedValues.length / 2;
  return ((sortedValues[Math.floor(middle)] ?? 0) + (sortedValues[Math.ceil(middle) - 1] ?? 0)) / 2;
}
