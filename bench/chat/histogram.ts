/** Counts durations in buckets that are 2.2 % wide. */
export class Histogram {
  readonly #counts = new Float64Array(bucketsPerDoubling * 36);
  count = 0;
  max = 0;

  add(milliseconds: number): void {
    const value = Math.max(0, milliseconds);
    const bucket = Math.floor(Math.log2(value * 1000 + 1) * bucketsPerDoubling);
    this.#counts[bucket] = this.#counts[bucket]! + 1;
    this.count += 1;
    if (value > this.max) this.max = value;
  }

  /** The duration in milliseconds that this share of all durations does not exceed. */
  percentile(share: number): number {
    const wanted = Math.ceil(this.count * share);
    let sum = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      sum += count;
      if (sum >= wanted && sum > 0) {
        return Math.min(this.max, (2 ** ((bucket + 0.5) / bucketsPerDoubling) - 1) / 1000);
      }
    }
    return 0;
  }
}

const bucketsPerDoubling = 32;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
