import { expect, test } from 'vitest';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import { toTileName } from '#contract/persona-name.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { listIconChoices } from './icon-choice.tsx';

const me = 'abcdefghijklmnop';

test('offers mine and others, each of another shape and few of one hue [PERSONA-16]', () => {
  for (const member of [me, 'ponmlkjihgfedcba', 'AAAAAAAAAAAAAAAA']) {
    const choices = listIconChoices(member, toPersonaIcon(member, 3), []);

    expect(choices[0]).toBe(toPersonaIcon(member, 3));
    expect(choices.length).toBeGreaterThan(22);
    const looks = choices.map(toPersonaLook);
    expect(new Set(looks.map(({ shape }) => shape)).size).toBe(choices.length);
    expect(new Set(looks.slice(0, 5).map(({ hue }) => hue)).size).toBe(5);
    const byHue = Map.groupBy(looks, ({ hue }) => hue);
    for (const { length } of byHue.values()) expect(length).toBeLessThanOrEqual(4);
  }
});

test('offers none that has the name of someone else in the room [PERSONA-16]', () => {
  const takenIcons = listIconChoices(me, me, []).slice(1, 9);

  const names = listIconChoices(me, me, takenIcons).map(toTileName);

  for (const icon of takenIcons) expect(names).not.toContain(toTileName(icon));
  expect(new Set(names).size).toBe(names.length);
});
