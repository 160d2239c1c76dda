import { expect, test } from 'vitest';
import { hueCount, shapeCount, toPersonaFigure } from './persona-figure.ts';
import {
  findTags,
  getShownName,
  hueNames,
  shapeNames,
  toPersonaTag,
  toShownName,
  toTileName,
} from './persona-name.ts';

const toPersona = (memberId: string, anonymousName = 'Anonymous', icon = memberId) => {
  return { memberId, anonymousName, icon };
};
const ada = toPersona('ada');
const ben = toPersona('ben');
const otter = toPersona('otter', 'Otter');

type Member = typeof ada;
const toMap = (...personas: readonly Member[]) =>
  new Map(personas.map((persona) => [persona.memberId, persona]));

test('each pair of a hue and a shape has a name of its own [PERSONA-36]', () => {
  const names = new Set(Array.from({ length: 5000 }, (_, n) => toTileName(`icon ${n}`)));

  expect([hueNames.length, shapeNames.length]).toEqual([hueCount, shapeCount]);
  expect(names.size).toBe(288);
  expect(names).toContain('Teal Moon');
});

test('the name of a tile depends on its hue and shape alone, also of an icon that was stored before [PERSONA-36]', () => {
  expect(toTileName('annannannannann_')).toBe('Jade Dice');
  expect(toTileName('2222222222222222')).toBe('Jade Peak');
  const icons = Array.from({ length: 2000 }, (_, n) => `icon ${n}`);
  const names = Map.groupBy(icons, toTileName);
  for (const alike of names.values()) expect(new Set(alike.map(toPersonaFigure)).size).toBe(1);
});

test('a member called ‘Anonymous’ has the name of the tile, and a chosen name stays [PERSONA-36]', () => {
  expect(toShownName(ada)).toBe(toTileName('ada'));
  expect(toShownName(otter)).toBe('Otter');
  expect(getShownName(toMap(ada, otter), 'otter')).toBe('Otter');
});

test('a tag is a letter and a digit that only the memberId determines [PERSONA-31]', () => {
  const tags = Array.from({ length: 1000 }, (_, n) => toPersonaTag(`member ${n}`));

  for (const tag of tags) expect(tag).toMatch(/^[A-Z][2-9]$/);
  expect(new Set(tags).size).toBeGreaterThan(180);
  expect(toPersonaTag('member 0')).toBe(tags[0]);
});

test('the tag follows the name of a tile that several members have, and no other name [PERSONA-31]', () => {
  const twin = toPersona('twin', 'Anonymous', 'ada');
  const namedTwin = toPersona('heron', 'Heron', 'ada');
  const personas = toMap(ada, otter, ben, twin, namedTwin);

  expect([...findTags(personas).keys()]).toEqual(['ada', 'twin']);
  expect(getShownName(personas, 'twin')).toBe(`${toTileName('ada')} ${toPersonaTag('twin')}`);
  expect(getShownName(personas, 'ben')).toBe(toTileName('ben'));
  expect(findTags(toMap(ada, namedTwin)).size).toBe(0);
});
