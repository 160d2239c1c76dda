import { expect, test } from 'vitest';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { listIconChoices } from './icon-choice.tsx';

const me = 'abcdefghijklmnop';

test('offers mine and others, each of another shape [PERSONA-16]', () => {
  for (const member of [me, 'ponmlkjihgfedcba', 'AAAAAAAAAAAAAAAA']) {
    const choices = listIconChoices(member, toPersonaIcon(member, 3), []);
    expect(choices[0]).toBe(toPersonaIcon(member, 3));
    expect(choices.length).toBeGreaterThan(18);
    const shapes = choices.map((seed) => toPersonaLook(seed).shape);
    expect(new Set(shapes).size).toBe(choices.length);
  }
});

test('offers none that someone else in the room has [PERSONA-16]', () => {
  const takenIcons = listIconChoices(me, me, []).slice(1, 9);
  const remainingIcons = listIconChoices(me, me, takenIcons);
  const looks = remainingIcons.map((seed) => JSON.stringify(toPersonaLook(seed)));
  for (const seed of takenIcons) expect(looks).not.toContain(JSON.stringify(toPersonaLook(seed)));
});
