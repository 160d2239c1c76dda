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
