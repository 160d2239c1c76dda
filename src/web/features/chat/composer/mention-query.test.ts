import { expect, test } from 'vitest';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { findMentionQuery, findSuggestions } from './mention-query.ts';

/** `|` is the caret. */
function findQuery(textWithCaret: string): string | null {
  const caret = textWithCaret.indexOf('|');
  const draft = { text: textWithCaret.replace('|', ''), mentions: [] };
  return findMentionQuery(draft, caret)?.name ?? null;
}

test('an @ at the start or after a space asks for a name [MENTION-5]', () => {
  const asks = [
    '@|',
    'Hi @ad|',
    '(@ad|',
    '@ada lo|',
    '@ad|a',
    'one\n@ad|',
    '`code` @ad|',
    '你好@ad|',
  ];
  for (const textWithCaret of asks) {
    expect([textWithCaret, findQuery(textWithCaret)]).not.toContain(null);
  }
  const asksNot = ['|@', '@ |', 'ada@x|', 'ada.@x|', '@@ad|', '@ad\n|', '\\@ad|', '', 'no one|'];
  for (const textWithCaret of asksNot) {
    expect([textWithCaret, findQuery(textWithCaret)]).toContain(null);
  }
});

test('in code, an @ asks for nothing [MENTION-5]', () => {
  expect(findQuery('`@Over|')).toBe(null);
  expect(findQuery('```\n@Over|')).toBe(null);
  expect(findQuery('```\n@Override\n```\n@ad|')).toBe('ad');
});

test('a chosen mention asks for nothing [MENTION-5]', () => {
  const mentions = [{ at: 0, label: '@Ada', memberId: 'a'.repeat(16) }];
  expect(findMentionQuery({ text: '@Ada ', mentions }, 5)).toBe(null);
});

test.each([
  ['typed without the joiners of the name', 'می\u200cروم', 'میرو'],
  ['typed with joiners that the name does not have', 'ශ්රී', 'ශ්\u200dර'],
])('finds a member whose name is %s [PERSONA-29]', (_, anonymousName, query) => {
  const members = [{ memberId: 'a', anonymousName, icon: 'a' }];
  const view = { personas: new Map(), newest: [], me: 'b', staff: null };
  expect(findSuggestions(members, view, query)).toEqual(members);
});

test('finds by any word of a name, without case and accents, recent speakers first and never the viewer [MENTION-5]', () => {
  const names = {
    a: 'Élodie Noir',
    b: 'Ada Lovelace',
    c: 'Anonymous',
    d: 'Anonymous',
    e: 'An old name',
  };
  const members = Object.entries(names).map(([memberId, anonymousName]) => {
    return { memberId, anonymousName, icon: memberId };
  });
  const personas = new Map([['e', { memberId: 'e', anonymousName: 'Zoë', icon: 'e' }]]);
  const newest = ['c', 'e', 'd', 'b'].map((memberId) => ({ memberId }) as RoomMessage);
  const findIds = (name: string) =>
    findSuggestions(members, { personas, newest, me: 'b', staff: null }, name).map(
      ({ memberId }) => memberId,
    );
  expect(findIds('')).toEqual(['d', 'e', 'c', 'a']);
  expect(findIds('ELO')).toEqual(['a']);
  expect(findIds('nö')).toEqual(['a']);
  expect(findIds('zoe')).toEqual(['e']);
  expect(findIds('élodie n')).toEqual(['a']);
  expect(findIds('lov')).toEqual([]);
  expect(findIds('anonymous ')).toEqual([]);
});
