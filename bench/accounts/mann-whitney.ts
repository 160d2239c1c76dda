/**
 * The two-sided p-value of the Mann-Whitney U test, by its normal approximation. The approximation is good
 * for about twenty values or more per sample.
 */
export function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, mine: true })),
    ...other.map((value) => ({ value, mine: false })),
  ].toSorted((a, b) => a.value - b.value);
  let rankSum = 0;
  let ties = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to++;
    // Equal values share the mean of their ranks.
    const rank = (from + 1 + to) / 2;
    rankSum += rank * all.slice(from, to).filter(({ mine }) => mine).length;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  const n = one.length;
  const m = other.length;
  const total = all.length;
  const u = rankSum - (n * (n + 1)) / 2;
  const spread = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  return spread === 0 ? 1 : 2 * (1 - normal(Math.abs(u - (n * m) / 2) / spread));
}

/**
 * The upper-tail probability of the standard normal distribution for z >= 0 (Abramowitz and Stegun 26.2.17).
 */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
