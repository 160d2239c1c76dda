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
