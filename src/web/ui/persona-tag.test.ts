import { expect, test } from 'vitest';
import { findTags, toPersonaTag } from './persona-tag.ts';

const toPersona = (memberId: string, anonymousName = 'Anonymous') => ({ memberId, anonymousName });
const [ada, ben, cem] = ['ada', 'ben', 'cem'].map((memberId) => toPersona(memberId)) as [
  ReturnType<typeof toPersona>,
  ReturnType<typeof toPersona>,
  ReturnType<typeof toPersona>,
];
const otter = toPersona('otter', 'Otter');

test('a tag is a letter and a digit that only the memberId determines [PERSONA-31]', () => {
  const tags = Array.from({ length: 1000 }, (_, n) => toPersonaTag(`member ${n}`));

  for (const tag of tags) expect(tag).toMatch(/^[A-Z][2-9]$/);
  expect(new Set(tags).size).toBeGreaterThan(180);
  expect(toPersonaTag('member 0')).toBe(tags[0]);
});

test('unnamed members who stand next to each other have tags, and no one else has [PERSONA-31]', () => {
  const listTagged = (...personas: Parameters<typeof findTags>[0]) => [
    ...findTags(personas).keys(),
  ];

  expect(listTagged(ada, ada, otter, ben)).toEqual([]);
  expect(listTagged(ada, otter, ben, cem)).toEqual(['ben', 'cem']);
  expect(listTagged(otter, toPersona('heron', 'Heron'), undefined, ada)).toEqual([]);
  expect(listTagged(ada, undefined, ben)).toEqual([]);
  expect(findTags([ada, ben]).get('ada')).toBe(toPersonaTag('ada'));
});
