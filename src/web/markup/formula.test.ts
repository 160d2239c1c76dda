import temml from 'temml';
import { expect, it } from 'vitest';
import { renderFormula, type MathElement } from './formula.ts';

function formatFormula(source: string): string {
  const formula = renderFormula(source, true);
  if ('message' in formula) return `${formula.message} (${formula.offset})`;
  const toMarkup = ({ name, attributes, style, children }: MathElement): string => {
    const values = Object.entries({ ...attributes, ...style }).map(
      ([key, value]) => ` ${key}=${value}`,
    );
    return `<${name}${values.join('')}>${children.map((child) => (typeof child === 'string' ? child : toMarkup(child))).join('')}</${name}>`;
  };
  return toMarkup(formula);
}

const wrapRepeatedly = (opening: string, closing: string, times: number) =>
  opening.repeat(times) + 'x' + closing.repeat(times);

it.each([
  '\\cancelto{1}{',
  '\\mathllap{',
  '\\text{\\llap{',
  '\\equilibriumRight{',
  '\\equilibriumLeft[x]{',
])('rejects many of %s inside each other, and draws a few [MARKUP-11]', (opening) => {
  const closing = opening.startsWith('\\text') ? '}}' : '}';
  expect(formatFormula(wrapRepeatedly(opening, closing, 2))).toMatch(/^<math/);
  // Each doubles the time of the next one.
  expect(
    formatFormula(wrapRepeatedly(opening, closing, opening.startsWith('\\text') ? 19 : 38)),
  ).toBe('This formula is too large. (0)');
});

it('Temml names the nodes whose content it draws several times [MARKUP-11]', () => {
  const { __parse: parse } = temml;

  const tree = parse('\\cancelto{1}{x}\\mathllap{x}', {});

  // A place in the source refers back to the whole source.
  const text = JSON.stringify(tree, (key, value: unknown) => (key === 'loc' ? undefined : value));
  expect(text).toContain('"type":"cancelto"');
  expect(text).toContain('"type":"lap"');
});

it('rejects a formula of elements that are nested too deeply [MARKUP-11]', () => {
  expect(formatFormula(`${'\\tiny '.repeat(300)}x`)).toBe('This formula is too large. (0)');
  expect(formatFormula(wrapRepeatedly('\\sqrt{1+', '}', 30))).toMatch(/^<math/);
});

it('is MathML [MARKUP-10]', () => {
  expect(formatFormula('\\frac{a}{b}')).toBe(
    '<math display=block><mfrac><mi>a</mi><mi>b</mi></mfrac></math>',
  );
});

it.each([
  ['\\SI{9.81}{\\meter\\per\\second\\squared}', '9.81 m/s2'],
  ['\\qty{5}{kg.m^2}', '5 kg.m2'],
  ['\\unit{\\micro\\ohm}', 'µΩ'],
  ['\\num{-1.5}', '−1.5'],
  ['\\ang{30} \\SI{20}{\\degreeCelsius}', '30∘20 ∘C'],
])('draws the quantity %s of siunitx [MARKUP-10]', (source, expected) => {
  const text = formatFormula(source)
    .replaceAll(/<mspace [^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '');
  expect(text).toBe(expected);
});

it.each(['\\dfrac12', '\\tfrac12', '\\cfrac{1}{1+\\cfrac12}', '\\dbinom nk', '\\tbinom nk'])(
  'draws %s, whose size is a number [MARKUP-10]',
  (source) => {
    expect(formatFormula(source)).toMatch(/<mstyle displaystyle=\w+ scriptlevel=0>.*<mfrac/);
  },
);

it.each([
  [`\\${'x'.repeat(500)}`, `Unsupported function name: \\${'x'.repeat(72)}… (0)`],
  ['x^', 'This formula is not complete. (2)'],
  ['\\frac{1}{', "Unexpected end of input in a macro argument, expected '}'. (9)"],
  ['a + \\wrong{b}', 'Unsupported function name: \\wrong. (4)'],
  ['\\def\\a{\\a\\a}\\a', 'Formulas cannot define macros. (0)'],
  ['x \\newcommand{\\a}{b}', 'Formulas cannot define macros. (2)'],
  ['\\gdef\\a{b}', 'Formulas cannot define macros. (0)'],
  ['\\href{https://a.example}{x}', 'Unsupported function name: \\href. (0)'],
  ['\\style{color:red}{x}', 'Function "\\style" is not trusted. (0)'],
  ['{'.repeat(100), 'This formula is too large. (0)'],
  ['\\left('.repeat(100), 'This formula is too large. (0)'],
  ['x'.repeat(2001), 'This formula is too large. (0)'],
])('says what is wrong with %j, and where [MARKUP-11]', (source, expected) => {
  expect(formatFormula(source)).toBe(expected);
});

it('has no colors, and no lengths that reach far outside [MARKUP-11]', () => {
  for (const source of [
    '\\color{red}x',
    '\\textcolor{white}{x}',
    '\\colorbox{red}{x}',
    '{\\Huge x}',
  ]) {
    expect(formatFormula(source)).not.toMatch(/red|#|color|mathsize/);
  }
  for (const source of [
    '\\kern500em x',
    '\\hspace{-500em}x',
    '\\raisebox{500em}{x}',
    '\\rule{500em}{500em}',
  ]) {
    const lengths = [...formatFormula(source).matchAll(/(-?[\d.]+)em/g)].map(([, size]) =>
      Math.abs(Number(size)),
    );
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(10);
  }
});

it.each([
  '_',
  '^',
  '\\frac',
  '\\sqrt{',
  '\\begin{matrix}',
  '\\left(',
  '\\hat',
  "'",
  '\\text{$',
  '&',
  '\\\\',
  '\\xrightarrow',
])('answers 2,000 characters of %s [MARKUP-11]', (unit) => {
  expect(formatFormula(unit.repeat(2000 / unit.length))).toMatch(/^<math|\(\d+\)$/);
});

it('contains no direction overrides or control characters [MARKUP-11]', () => {
  for (const source of [
    '\\char"202E ab',
    '\\text{\\char"202E ab}',
    '\\char"2067 a',
    '\\char"0 a',
    '\\text{\u202eab}',
  ]) {
    // oxlint-disable-next-line no-control-regex
    expect(formatFormula(source)).not.toMatch(/[\u0000-\u0008\u202a-\u202e\u2066-\u2069]/);
    expect(formatFormula(source)).toMatch(/a<|ab/);
  }
});
