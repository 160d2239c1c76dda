// An object literal within an object literal hides fields in one line. The rule of oxlint for it also forbids copies of lists,
// which are needed where a loop changes its list.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A computed attribute of JSX has no other form. */
const packed = /(?<!\{)\.\.\.\{/;

test('no object literal is spread into another one', () => {
  const files = globSync('{src,tests,scripts,bench}/**/*.{ts,tsx}');

  expect(files.length).toBeGreaterThan(1000);

  expect(files.filter((file) => packed.test(readFileSync(file, 'utf8')))).toEqual([]);
});
