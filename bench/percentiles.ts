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
  percentile(share: number): number {
    return this.#microseconds.percentile(share * 100) / 1000;
  }
}

/** The value that this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return (
    rank(
      values.toSorted((a, b) => a - b),
      share,
    ) ?? NaN
  );
}

function rank(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** All values are in milliseconds. */
export interface Times {
  p50: number;
  p99: number;
  most: number;
}

export function summarize(milliseconds: readonly number[]): Times {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => round(rank(sorted, share) ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
