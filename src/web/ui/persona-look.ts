/** The look that a persona's seed stands for: 12 hues × 24 shapes × 2 tones. */
interface PersonaLook {
  hue: number;
  shape: number;
  solid: boolean;
}

const hues = 12;
const shapes = 24;

/** FNV-1a with a last mix, so that neighbouring seeds land far apart. */
function hash(seed: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) {
    value = Math.imul(value ^ seed.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

export function personaLook(seed: string): PersonaLook {
  const value = hash(seed);
  return {
    hue: (value % hues) * (360 / hues) + 15,
    shape: Math.floor(value / hues) % shapes,
    solid: Math.floor(value / (hues * shapes)) % 2 === 0,
  };
}
