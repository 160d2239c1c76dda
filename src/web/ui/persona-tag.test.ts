import { expect, test } from 'vitest';
import { findTags, toPersonaTag } from './persona-tag.ts';

const toPersona = (memberId: string, anonymousName = 'Anonymous', icon = memberId) => {
  return { memberId, anonymousName, icon };
};
const ada = toPersona('ada');
const ben = toPersona('ben');
const cem = toPersona('cem');
const otter = toPersona('otter', 'Otter');

const listTagged = (...personas: Parameters<typeof findTags>[0]) => [...findTags(personas).keys()];

test('a tag is a letter and a digit that only the memberId determines [PERSONA-31]', () => {
  const tags = Array.from({ length: 1000 }, (_, n) => toPersonaTag(`member ${n}`));

  for (const tag of tags) expect(tag).toMatch(/^[A-Z][2-9]$/);
  expect(new Set(tags).size).toBeGreaterThan(180);
  expect(toPersonaTag('member 0')).toBe(tags[0]);
});

test('unnamed members who stand next to each other have tags, and no one else has [PERSONA-31]', () => {
  expect(listTagged(ada, ada, otter, ben)).toEqual([]);
  expect(listTagged(ada, otter, ben, cem)).toEqual(['ben', 'cem']);
  expect(listTagged(otter, toPersona('heron', 'Heron'), undefined, ada)).toEqual([]);
  expect(listTagged(ada, undefined, ben)).toEqual([]);
  expect(findTags([ada, ben]).get('ada')).toBe(toPersonaTag('ada'));
});

test('unnamed members with the same shape and hue have tags, also if they do not stand next to each other [PERSONA-34]', () => {
  const twin = toPersona('twin', 'Anonymous', 'ada');
  const namedTwin = toPersona('heron', 'Heron', 'ada');

  expect(listTagged(ada, otter, ben, otter, twin, otter, ada)).toEqual(['ada', 'twin']);
  expect(findTags([ada, otter, twin]).get('twin')).toBe(toPersonaTag('twin'));
  expect(listTagged(ada, otter, namedTwin, otter, ada)).toEqual([]);
});
