import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  blankMentions,
  escapeMentions,
  isMentionedIn,
  mentionOf,
  mentionsIn,
  nameMentions,
  quoteStart,
  renameMentions,
  splitMentions,
} from './mentions.ts';

const [ann, ben] = ['annannannannann_', 'ben-ben-ben-ben-'] as const;
const names = new Map([[ann, { anonymousName: 'Ann' }]]);

test('a token mentions one member, unless a backslash precedes it [MENTION-2, MENTION-9]', () => {
  const text = `${mentionOf(ann)}${mentionOf(ann)} \\${mentionOf(ben)} <@short> <@${ann}x>`;
  expect(mentionsIn(text)).toEqual([ann]);
  expect([isMentionedIn(text, ann), isMentionedIn(text, ben)]).toEqual([true, false]);
  expect(nameMentions(text, names)).toBe(`@Ann@Ann <@${ben}> <@short> <@${ann}x>`);
  expect(nameMentions(mentionOf(ben), names)).toBe('@deleted member');
  expect(renameMentions(text, () => ben)).toContain(`\\${mentionOf(ben)}`);
  expect(renameMentions(text, () => ben)).not.toContain(mentionOf(ann));
});

test('a quote cuts neither a mention nor a surrogate pair [MENTION-10, CHAT-30]', () => {
  const start = 'a'.repeat(190);
  expect(quoteStart(`${start}${mentionOf(ann)}`)).toBe(start);
  expect(quoteStart(`${start}\\${mentionOf(ann)}`)).toBe(start);
  expect(quoteStart(`${mentionOf(ann)}${start}`)).toBe(`${mentionOf(ann)}${start}`.slice(0, 200));
  expect(quoteStart(`${'a'.repeat(199)}😀`)).toBe('a'.repeat(199));
});

const piece = fc.oneof(
  fc.constantFrom('<@', '>', '\\', ' ', '@', ann, mentionOf(ann), mentionOf(ben), '<', 'x', '😀'),
  fc.string({ maxLength: 4 }),
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('typed text survives its escape, and its words keep their places in the index [MENTION-9, MENTION-10]', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeMentions(text);
      expect(mentionsIn(escaped)).toEqual([]);
      expect(nameMentions(escaped, names)).toBe(text);
      const blanked = blankMentions(text);
      expect(blanked).toHaveLength(text.length);
      expect(mentionsIn(blanked)).toEqual([]);
      const mentions = splitMentions(text).flatMap((part) =>
        'memberId' in part ? [part.memberId] : [],
      );
      expect([...new Set(mentions)]).toEqual(mentionsIn(text));
    }),
    { numRuns: 3000 },
  );
});
