import { expect, test } from 'vitest';
import { personaIcon } from '#contract/persona.ts';
import { personaLook } from '#web/ui/persona-look.ts';
import { iconChoices } from './icon-choice.tsx';

const me = 'abcdefghijklmnop';

test('offers mine and others, each of another shape [PERSONA-16]', () => {
  for (const member of [me, 'ponmlkjihgfedcba', 'AAAAAAAAAAAAAAAA']) {
    const choices = iconChoices(member, personaIcon(member, 3), []);
    expect(choices[0]).toBe(personaIcon(member, 3));
    expect(choices.length).toBeGreaterThan(18);
    const shapes = choices.map((seed) => personaLook(seed).shape);
    expect(new Set(shapes).size).toBe(choices.length);
  }
});

test('offers none that somebody else in the room has [PERSONA-16]', () => {
  const taken = iconChoices(me, me, []).slice(1, 9);
  const left = iconChoices(me, me, taken);
  const looks = left.map((seed) => JSON.stringify(personaLook(seed)));
  for (const seed of taken) expect(looks).not.toContain(JSON.stringify(personaLook(seed)));
});
