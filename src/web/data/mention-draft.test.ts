import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  appendMention,
  changeDraft,
  emptyDraft,
  parseMessageText,
  insertMention,
  type MentionDraft,
  toMessageText,
} from './mention-draft.ts';

const ann = { memberId: 'annannannannann_', name: 'Ann' };
const [first, second] = ['1', '2'].map((n) => {
  return { memberId: n.repeat(16), name: 'Teal Moon' };
}) as [typeof ann, typeof ann];
const names = new Map(
  [ann, first, second].map(({ memberId, name }) => {
    return [memberId, { memberId, anonymousName: name, icon: memberId }];
  }),
);

/** What the member types or deletes at the caret. */
function replaceText(
  draft: MentionDraft,
  start: number,
  end: number,
  typedText: string,
): MentionDraft {
  const text = draft.text.slice(0, start) + typedText + draft.text.slice(end);
  return changeDraft(draft, text, start + typedText.length);
}

function chooseMember(draft: MentionDraft, member: typeof ann): MentionDraft {
  const end = draft.text.length;
  return insertMention(replaceText(draft, end, end, '@'), { start: end, end: end + 1 }, member)
    .draft;
}

test('a chosen name becomes a mention, a typed one stays text [MENTION-7]', () => {
  const draft = replaceText(chooseMember(emptyDraft, ann), 5, 5, 'and @Ann');
  expect(draft.text).toBe('@Ann and @Ann');
  expect(toMessageText(draft)).toBe(`<@${ann.memberId}> and @Ann`);
});

test('a mention follows its name through changes before and after it, and ends when the name changes [MENTION-7]', () => {
  const draft = chooseMember(emptyDraft, ann);
  const around = replaceText(replaceText(draft, 0, 0, 'Hi '), 8, 8, 'you');
  expect(toMessageText(around)).toBe(`Hi <@${ann.memberId}> you`);
  expect(toMessageText(replaceText(draft, 2, 2, 'x'))).toBe('@Axnn');
  expect(toMessageText(replaceText(draft, 2, 2, '*'))).toBe('@A*nn');
  expect(toMessageText(replaceText(draft, 3, 4, ''))).toBe('@An');
});

test('marks of Markdown around mentions leave them mentions [MENTION-7, SEND-27]', () => {
  const draft = chooseMember(chooseMember(emptyDraft, first), second);
  const bold = replaceText(draft, 0, draft.text.length, '**@Teal Moon**\n**@Teal Moon**');
  const tokens = [`<@${first.memberId}>`, `<@${second.memberId}>`] as const;

  expect(toMessageText(bold)).toBe(`**${tokens[0]}**\n**${tokens[1]}**`);
  const plain = replaceText(bold, 0, bold.text.length, draft.text);
  expect(toMessageText(plain)).toBe(tokens.join(' '));
});

test('a pasted character that no message can contain is left out, and mentions stay [SEND-49]', () => {
  const pasted = replaceText(chooseMember(emptyDraft, ann), 5, 5, 'see\u000bpage 2\u0007\ud83d');
  expect(toMessageText(pasted)).toBe(`<@${ann.memberId}> see\npage 2\ufffd`);
});

test('members of the same name are told apart, whichever is deleted [MENTION-7]', () => {
  const draft = chooseMember(chooseMember(emptyDraft, first), second);
  const length = '@Teal Moon '.length;
  expect(toMessageText(replaceText(draft, 0, length, ''))).toBe(`<@${second.memberId}>`);
  expect(toMessageText(replaceText(draft, length, 2 * length, ''))).toBe(`<@${first.memberId}>`);
});

test('typed tokens are escaped, and an edit begins with what was typed [MENTION-2]', () => {
  const typedText = `\\<@${ann.memberId}> <@${ann.memberId}>`;
  const messageText = toMessageText({ text: typedText, mentions: [] });
  expect(messageText).toBe(`\\\\<@${ann.memberId}> \\<@${ann.memberId}>`);
  expect(parseMessageText(messageText, names)).toEqual({ text: typedText, mentions: [] });
});

test('every text survives an edit without changes [MENTION-2]', () => {
  const piece = fc.constantFrom(
    ...['<@', '>', '\\', ' ', '@', 'Ann', ann.memberId, `<@${ann.memberId}>`],
    ...[`<@${first.memberId}>`, `<@${'x'.repeat(16)}>`, `<@${'x'.repeat(17)}>`],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('').trim();
      expect(toMessageText(parseMessageText(text, names))).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test('after any changes, each mention is at its name [MENTION-7]', () => {
  const change = fc.tuple(fc.nat(40), fc.nat(5), fc.constantFrom('', 'a', '@', '@Ann ', ' '));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      let draft = chooseMember(chooseMember(chooseMember(emptyDraft, first), ann), second);
      for (const [offset, length, typedText] of changes) {
        const start = Math.min(offset, draft.text.length);
        draft = replaceText(draft, start, Math.min(start + length, draft.text.length), typedText);
        for (const { at: place, label } of draft.mentions) {
          expect(draft.text.startsWith(label, place)).toBe(true);
        }
      }
    }),
  );
});

test('a mention is appended after a space, and keeps the mentions before it [PANEL-5]', () => {
  const draft = appendMention(appendMention({ text: 'Ask', mentions: [] }, ann), first);

  expect(draft.text).toBe('Ask @Ann @Teal Moon ');
  expect(toMessageText(draft)).toBe(`Ask <@${ann.memberId}> <@${first.memberId}>`);
  expect(appendMention(emptyDraft, ann).text).toBe('@Ann ');
});
