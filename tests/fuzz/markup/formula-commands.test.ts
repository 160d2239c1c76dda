// A new version of the library may have new commands that draw their argument several times.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type MathElement, renderFormula } from '#web/markup/formula.ts';

const library = readFileSync(fileURLToPath(import.meta.resolve('temml')), 'utf8');
const quoted = [...library.matchAll(/"(\\\\[^"\s]+)"/g)].map(([, name = '']) =>
  name.replace('\\\\', '\\'),
);
const commands = [...new Set(quoted)].filter((name) => /^\\[a-zA-Z]+$/.test(name));

const countElements = (element: MathElement | string): number =>
  typeof element === 'string'
    ? 1
    : element.children.reduce((sum, child) => sum + countElements(child), 1);

/** Null if the command cannot be nested in this form, or if the formula is rejected. */
function countFormulaElements(form: string, depth: number): number | null {
  let source = 'x';
  for (let n = 0; n < depth; n++) source = form.replace('@', source);
  const formula = renderFormula(source, true);
  return 'message' in formula ? null : countElements(formula);
}

test('no command of the library takes exponential time if it is nested [MARKUP-11]', () => {
  expect(commands.length).toBeGreaterThan(600);

  const growing: string[] = [];
  let nested = 0;
  for (const command of commands) {
    for (const form of ['{@}', '{x}{@}', '{@}{x}', '[x]{@}']) {
      const countOfTwo = countFormulaElements(command + form, 2);
      if (countOfTwo === null) continue;
      nested += 1;
      const countOfFour = countFormulaElements(command + form, 4);
      const countOfSix = countFormulaElements(command + form, 6);
      if (countOfFour && countOfSix && countOfSix - countOfFour > 2 * (countOfFour - countOfTwo)) {
        growing.push(command + form);
      }
    }
  }
  expect(nested).toBeGreaterThan(500);

  // What is left of these at this depth is bounded by the number of elements.
  const bounded = /^\\(?:cancelto|equilibrium(?:Left|Right)|(?:math)?llap)/;
  expect(growing.filter((command) => !bounded.test(command))).toEqual([]);
});
