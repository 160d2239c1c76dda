/** A seeded random generator: the same seed gives the same values, independent of other generators. */
export interface Random {
  /** An integer with `min <= n <= max`. */
  int(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  /** An independent generator: its draws do not affect this one. */
  fork(name: string): Random;
}

export function createRandom(seed: number | string): Random {
  let state = hash(String(seed));
  /** mulberry32 */
  function drawFraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    int: (min, max) => min + Math.floor(drawFraction() * (max - min + 1)),
    pick: (items) => items[Math.floor(drawFraction() * items.length)]!,
    chance: (probability) => drawFraction() < probability,
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** FNV-1a */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0)!, 0x01000193);
  return value | 0;
}
