import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hueNames, shapeNames, toTileName } from '#contract/persona-name.ts';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { toPersonaLook, personaShapes } from './persona-look.ts';

test('an icon depends on its seed alone, and shows the hue and shape of its name [PERSONA-16, PERSONA-36]', () => {
  for (const seed of Array.from({ length: 600 }, (_, n) => `member${n}`)) {
    const { hue, shape } = toPersonaLook(seed);
    expect(toPersonaLook(seed)).toEqual(toPersonaLook(seed));
    expect(`${hueNames[(hue - 15) / 30]} ${shapeNames[shape]}`).toBe(toTileName(seed));
  }
});

test('each text gives whole degrees for CSS and a shape [PERSONA-16]', () => {
  fc.assert(
    fc.property(anyText, (seed) => {
      const { hue, shape } = toPersonaLook(seed);
      expect(String(hue)).toMatch(/^\d{1,3}$/);
      expect(personaShapes[shape]).toBeDefined();
    }),
  );
});
