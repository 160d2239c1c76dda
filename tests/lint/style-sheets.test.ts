import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const projectRoot = resolve(import.meta.dirname, '../..');
const styleSheets = globSync('{src,themes}/**/*.css', { cwd: projectRoot });

/** What is in the parentheses of each `:not(…)`. */
function findNegations(css: string): string[] {
  return [...css.matchAll(/:not\(/g)].map(({ index }) => {
    const start = index + ':not('.length;
    let end = start;
    for (let depth = 1; depth > 0 && end < css.length; end++) {
      if (css[end] === '(') depth++;
      if (css[end] === ')') depth--;
    }
    return css.slice(start, end - 1);
  });
}

test('the check finds an argument of :not() that has parentheses', () => {
  expect(findNegations('.a:not(:hover, .b :has(:focus)) .c:not(.d) {}')).toEqual([
    ':hover, .b :has(:focus)',
    '.d',
  ]);
});

test('no style sheet has :has() inside of :not(), which WebKit does not evaluate again on hover [LAYOUT-23]', () => {
  expect(styleSheets.length).toBeGreaterThan(50);

  const faults = styleSheets.flatMap((path) =>
    findNegations(readFileSync(resolve(projectRoot, path), 'utf8'))
      .filter((selectors) => selectors.includes(':has('))
      .map((selectors) => `${path}: :not(${selectors})`),
  );
  expect(faults).toEqual([]);
});
