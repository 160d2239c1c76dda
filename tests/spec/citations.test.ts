import { describe, expect, test } from 'vitest';
import { findMismatches, parseCitations, parseRules } from '../../scripts/rules.ts';

test('a title cites the rules in the brackets at its end', () => {
  const source = `test("Ada's class is hers [A-1, B-22]", act); test('An array [C-3] is no citation', act);`;
  expect(parseCitations('a.test.ts', source)).toEqual([
    { file: 'a.test.ts', rule: 'A-1', title: "Ada's class is hers" },
    { file: 'a.test.ts', rule: 'B-22', title: "Ada's class is hers" },
  ]);
});

describe('the check reports', () => {
  const rules = parseRules(`
| A-1 | One 'thing'. |
| A-2 | Another. _not built yet: pictures_ |
`);
  const cite = (...ids: string[]) =>
    ids.map((rule) => ({ file: 'a.test.ts', title: 'A title', rule }));

  test.each([
    ['nothing, if each rule is tested or marked', cite('A-1'), []],
    ['a rule without a test', [], ["A-1 has no test: One 'thing'."]],
    [
      'an outdated not-built mark',
      cite('A-1', 'A-2'),
      ['A-2 is marked as not built, and a test cites it: take the mark away'],
    ],
    [
      'a citation of an unknown rule',
      cite('A-1', 'B-1'),
      ['B-1 is cited in a.test.ts, and is no rule'],
    ],
  ])('%s', (_, citations, lines) => {
    expect(findMismatches(rules, citations)).toEqual(lines);
  });

  test('a duplicate id', () => {
    const rulesWithCopy = [...rules, ...rules.slice(0, 1)];
    expect(findMismatches(rulesWithCopy, cite('A-1'))).toEqual(['A-1 is given twice']);
  });
});
