import { hashSeed, hueCount, shapeCount, toPersonaFigure } from '#contract/persona-figure.ts';

/**
 * The appearance that a persona's seed encodes: 12 hues × 24 shapes × 2 tones. It depends on nothing but the seed, so that
 * every viewer sees the same icon. `contract/persona-name.ts` names hue and shape.
 */
interface PersonaLook {
  hue: number;
  shape: number;
  solid: boolean;
}

export function toPersonaLook(seed: string): PersonaLook {
  const figure = toPersonaFigure(seed);
  return {
    hue: (figure % hueCount) * (360 / hueCount) + 15,
    shape: Math.floor(figure / hueCount),
    solid: Math.floor(hashSeed(seed) / (hueCount * shapeCount)) % 2 === 0,
  };
}

// 24 shapes on a 24 px tile. Each has a distinct outline.
const drawDisc = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

export const personaShapes: readonly string[] = [
  drawDisc(12, 12, 6.5),
  `${drawDisc(12, 12, 7)}${drawDisc(12, 12, 3)}`,
  'M5 19V5a14 14 0 0 1 14 14Z',
  'M4.500 9a7.500 7.500 0 0 0 15 0ZM4.500 16.500h15v2.500h-15Z',
  'M12 4.500 20 18.500H4Z',
  'M6 6h12v12H6Z',
  'M12 3.500 20.500 12 12 20.500 3.500 12Z',
  'M9.500 4.500h5v5h5v5h-5v5h-5v-5h-5v-5h5Z',
  'm12 3.500 2.400 6.100 6.100 2.400-6.100 2.400-2.400 6.100-2.400-6.100L3.500 12l6.100-2.400Z',
  'M12 4 19 8v8l-7 4-7-4V8Z',
  `${drawDisc(8, 8, 3.5)}${drawDisc(16, 16, 3.5)}`,
  `${drawDisc(12, 7, 3.2)}${drawDisc(7, 16, 3.2)}${drawDisc(17, 16, 3.2)}`,
  'M16.500 4.800A8 8 0 1 0 19.500 16 7.200 7.200 0 0 1 16.500 4.800Z',
  'M12 3.800c4 4.800 6 7.400 6 10.200a6 6 0 0 1-12 0c0-2.800 2-5.400 6-10.200Z',
  'M5 5c8.500 0 14 5.500 14 14-8.500 0-14-5.500-14-14Z',
  'M5 5h7v7h7v7h-7v-7H5Z',
  'M5 6h14v3.200H5ZM5 14.800h14V18H5Z',
  'M4 16.500 12 8l8 8.500-2.400 2.400L12 12.900l-5.600 6ZM4 11.500 12 3l8 8.500',
  'M6 4.500h4.500v15H6ZM13.500 9.500H18v10h-4.500Z',
  'M5 19c0-9 5-14 14-14v5c-6 0-9 3-9 9Z',
  'M5 5h14L12 12l7 7H5l7-7Z',
  'M12 12V4.500a7.500 7.500 0 1 1-7.500 7.500Z',
  `${drawDisc(7.5, 7.5, 2.8)}${drawDisc(16.5, 7.5, 2.8)}${drawDisc(7.5, 16.5, 2.8)}${drawDisc(16.5, 16.5, 2.8)}`,
  'M4 12c2.700-7 5.300-7 8 0s5.300 7 8 0v5c-2.700 5-5.300 3.500-8-1.500s-5.300-3-8 0Z',
];
