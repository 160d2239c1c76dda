import { expect, test } from 'vitest';
import type { RoomMessage } from '#web/sync/room/room.ts';
import type { Persona } from '#contract/entities.ts';
import { toPersonaTag, toTileName } from '#contract/persona-name.ts';
import {
  findMentionQuery,
  findSuggestions,
  findUnreachedName,
  mergePeople,
} from './mention-query.ts';

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
])('finds a member whose name is %s [PERSONA-28]', (_, anonymousName, query) => {
  const member = { memberId: 'a', anonymousName, icon: 'a' };
  const view = { newest: [], me: 'b', staff: null };
  expect(findSuggestions(new Map([['a', member]]), view, query)).toEqual([member]);
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
    findSuggestions(mergePeople(members, { personas }), { newest, me: 'b', staff: null }, name).map(
      ({ memberId }) => memberId,
    );
  expect(findIds('')).toEqual(['d', 'e', 'c', 'a']);
  expect(findIds('ELO')).toEqual(['a']);
  expect(findIds('nö')).toEqual(['a']);
  expect(findIds('zoe')).toEqual(['e']);
  expect(findIds('élodie n')).toEqual(['a']);
  expect(findIds('lov')).toEqual([]);
  expect(findIds('anonymous ')).toEqual([]);
  expect(findIds('anon')).toEqual(['d', 'c']);
  expect(findIds('violet leaf')).toEqual(['c']);
});

test('every unnamed member of a class is found by the name of the tile and by the tag [MENTION-5]', () => {
  const members = Array.from({ length: 120 }, (_, n): Persona => {
    return { memberId: `member ${n}`, anonymousName: 'Anonymous', icon: `member ${n}` };
  });
  const people = new Map(members.map((persona) => [persona.memberId, persona]));
  const view = { newest: [], me: 'me', staff: null };

  expect(findSuggestions(people, view, '')).toHaveLength(120);
  for (const persona of members) {
    const tile = toTileName(persona.icon).toLowerCase();
    const tag = toPersonaTag(persona.memberId);
    for (const name of [tile, tag, `${tile} ${tag}`]) {
      expect(findSuggestions(people, view, name)).toContain(persona);
    }
  }
});

test('a typed name that was not chosen reaches no one, and a chosen name, an address and code do [MENTION-14]', () => {
  const mentions = [{ at: 0, label: '@Ada', memberId: 'a'.repeat(16) }];
  const find = (text: string) => findUnreachedName({ text, mentions: [] }, null);

  expect(find('thanks @W3 hello')).toBe('@W3');
  expect(find('(@teal) and @moon')).toBe('@teal');
  for (const text of ['ada@university.edu', '`@Override`', 'me @ home', '\\@ada', '@']) {
    expect(find(text)).toBe(null);
  }
  expect(findUnreachedName({ text: '@Ada @Ben', mentions }, null)).toBe('@Ben');
  expect(
    findUnreachedName({ text: 'Hi @te', mentions: [] }, { start: 3, end: 6, name: 'te' }),
  ).toBe(null);
});
