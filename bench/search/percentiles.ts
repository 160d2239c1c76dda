/** All values are in milliseconds. */
export interface Times {
  p50: number;
  p99: number;
  most: number;
}

export function summarize(milliseconds: readonly number[]): Times {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
