// What both the server and the browser derive from a persona's seed. The browser draws the rest (`ui/persona-look.ts`).

export const hueCount = 12;
export const shapeCount = 24;

/** FNV-1a with a final mix, so that similar seeds produce different hashes. */
export function hashSeed(seed: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) {
    value = Math.imul(value ^ seed.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Returns the shape and the hue of an icon's tile as one number. Icons with the same number are easily confused. */
export function toPersonaFigure(icon: string): number {
  return hashSeed(icon) % (hueCount * shapeCount);
}

/**
 * Returns the seed of the member's nth icon; 0 is the default. It contains only the memberId and a number,
 * so an icon reveals only which member it belongs to.
 */
export function toPersonaIcon(memberId: string, n: number): string {
  return n === 0 ? memberId : `${memberId}.${n}`;
}
