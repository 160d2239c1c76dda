import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCaptures } from './commit-captures.ts';

/** What these changes capture they compare with the database, or it only names what they read. */
const checkedCaptures = [
  // Functions that each read their message again.
  'src/server/endings/remove-departed.ts changes',
  // Keys of votes, of which the commit deletes those that are stored.
  'src/server/endings/remove-departed.ts votes',
  // Ids of mails, of which the commit moves those that still wait.
  'src/server/features/health/commands.ts mails',
  // The commit replaces only this very value.
  'src/server/features/lti/tool-keys.ts sealed',
  // Ids of mails, as above.
  'src/server/mail/mail-queue.ts delayedMails',
];

test('no change of a commit captures what was read outside of it [MOD-92]', () => {
  const files = globSync('{src/server,scripts}/**/*.ts', { exclude: ['**/*.test.ts'] })
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => /\bwrite\(/.test(text));

  const captures = files.flatMap(({ file, text }) =>
    findCaptures(file, text).map(({ name, line }) => ({
      place: `${file}:${line}`,
      capture: `${file} ${name}`,
    })),
  );

  expect(captures.filter(({ capture }) => !checkedCaptures.includes(capture))).toEqual([]);
  expect([...new Set(captures.map(({ capture }) => capture))].toSorted()).toEqual(checkedCaptures);
});

test.each([
  ['a row', 'const found = await findCase(db, caseId);', 'found', ['found']],
  ['a list', 'const { rows } = await listCases(dependencies, 1);', 'rows.length', ['rows']],
  ['a row of a field', 'const found = await findCase(this.#db, caseId);', 'found', ['found']],
  ['an item of a list', 'for (const one of await listDue(db))', 'one', ['one']],
  ['an item of a stream', 'for await (const one of listAllClasses(db))', 'one', ['one']],
  ['an id', 'const found = await findCase(db, caseId);', 'found.caseId', []],
  ['what the request says', 'const { body } = await read(request);', 'body', []],
  ['what an earlier commit returned', 'const x = await commits.write(({ db }) => f(db));', 'x', []],
])(
  'the check finds or accepts a change that captures %s [MOD-92]',
  (_, statement, argument, names) => {
    for (const queue of ['commits', 'this.#commits', 'this.#dependencies.accountCommits']) {
      const text = `class Part { #commits; #dependencies; #db; async act() {
        ${statement} { await ${queue}.write((unit) => change(unit, ${argument}), 'independent'); }
      } }`;

      expect(findCaptures('act.ts', text).map(({ name }) => name)).toEqual(names);
    }
  },
);
