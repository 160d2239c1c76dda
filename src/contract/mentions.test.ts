import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  replaceMentionsWithSpaces,
  escapeMentions,
  isMentionedIn,
  toMentionToken,
  listMentionedIds,
  replaceMentionsWithNames,
  replaceMentionIds,
  splitMentions,
} from './mentions.ts';

const [ann, ben] = ['annannannannann_', 'ben-ben-ben-ben-'] as const;
const names = new Map([[ann, { memberId: ann, anonymousName: 'Ann', icon: ann }]]);

test('a token mentions one member, unless a backslash precedes it [MENTION-2]', () => {
  const text = `${toMentionToken(ann)}${toMentionToken(ann)} \\${toMentionToken(ben)} <@short> <@${ann}x>`;
  expect(listMentionedIds(text)).toEqual([ann]);
  expect([isMentionedIn(text, ann), isMentionedIn(text, ben)]).toEqual([true, false]);
  expect(replaceMentionsWithNames(text, names)).toBe(`@Ann@Ann <@${ben}> <@short> <@${ann}x>`);
  expect(replaceMentionsWithNames(toMentionToken(ben), names)).toBe('@deleted member');
  expect(replaceMentionIds(text, () => ben)).toContain(`\\${toMentionToken(ben)}`);
  expect(replaceMentionIds(text, () => ben)).not.toContain(toMentionToken(ann));
});

const piece = fc.oneof(
  fc.constantFrom(
    '<@',
    '>',
    '\\',
    ' ',
    '@',
    ann,
    toMentionToken(ann),
    toMentionToken(ben),
    '<',
    'x',
    '😀',
  ),
  fc.string({ maxLength: 4 }),
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('typed text survives its escape, and its words keep their places in the index [MENTION-2, MENTION-10]', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeMentions(text);
      expect(listMentionedIds(escaped)).toEqual([]);
      expect(replaceMentionsWithNames(escaped, names)).toBe(text);
      const blanked = replaceMentionsWithSpaces(text);
      expect(blanked).toHaveLength(text.length);
      expect(listMentionedIds(blanked)).toEqual([]);
      const mentions = splitMentions(text).flatMap((part) =>
        'memberId' in part ? [part.memberId] : [],
      );
      expect([...new Set(mentions)]).toEqual(listMentionedIds(text));
    }),
    { numRuns: 3000 },
  );
});
