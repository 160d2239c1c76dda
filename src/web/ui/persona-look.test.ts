import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { toPersonaLook, personaShapes } from './persona-look.ts';

const seeds = Array.from({ length: 600 }, (_, n) => `member${n}`);

test('an icon depends on its seed alone, and its two hues differ clearly [LAYOUT-32]', () => {
  for (const seed of seeds) {
    const { hue, shapeHue } = toPersonaLook(seed);
    expect(toPersonaLook(seed)).toEqual(toPersonaLook(seed));
    const apart = Math.abs(hue - shapeHue);
    expect(Math.min(apart, 360 - apart)).toBeGreaterThanOrEqual(90);
  }
});

test('each text gives two whole degrees for CSS and a shape [LAYOUT-32]', () => {
  fc.assert(
    fc.property(anyText, (seed) => {
      const { hue, shapeHue, shape } = toPersonaLook(seed);
      expect(String(hue)).toMatch(/^\d{1,3}$/);
      expect(String(shapeHue)).toMatch(/^\d{1,3}$/);
      expect(personaShapes[shape]).toBeDefined();
    }),
  );
});

test('in three of four rooms of six, no two icons have the same pair of hues [LAYOUT-32]', () => {
  const rooms = Array.from({ length: 100 }, (_, n) => seeds.slice(n * 6, n * 6 + 6));
  const distinct = rooms.filter((room) => {
    const pairs = room.map(toPersonaLook).map(({ hue, shapeHue }) => `${hue} ${shapeHue}`);
    return new Set(pairs).size === 6;
  });
  // One hue alone is distinct in two of ten.
  expect(distinct.length).toBeGreaterThanOrEqual(75);
});
