import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const projectRoot = resolve(import.meta.dirname, '../..');
const id = /[A-Z][A-Z0-9]*-\d+/;

/** The first cells of SPEC.md's tables. */
const rules = [
  ...readFileSync(join(projectRoot, 'SPEC.md'), 'utf8').matchAll(
    new RegExp(`^\\|\\s*\`?(${id.source})\`?\\s*\\|`, 'gm'),
  ),
].map((match) => match[1]!);

/** What tests cite at the end of a title: 'refuses another domain [AUTH-2, AUTH-3]'. */
const citation = new RegExp(`\\[(${id.source}(?:,\\s*${id.source})*)\\]['"\`]`, 'g');
const citations = globSync('{src,tests}/**/*.{test,spec}.{ts,tsx}', { cwd: projectRoot })
  .filter((file) => !import.meta.filename.endsWith(file))
  .flatMap((file) =>
    [...readFileSync(join(projectRoot, file), 'utf8').matchAll(citation)]
      .flatMap((match) => match[1]!.split(/,\s*/))
      .map((rule) => ({ file, rule })),
  );

test('SPEC.md gives every rule its own id', () => {
  expect(rules.length).toBeGreaterThan(0);
  expect(rules.filter((rule, n) => rules.indexOf(rule) !== n)).toEqual([]);
});

test('every rule that a test cites is in SPEC.md', () => {
  expect(citations.filter(({ rule }) => !rules.includes(rule))).toEqual([]);
});
