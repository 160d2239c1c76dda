// Formulas as MathML. Loaded with the first formula. Temml reads LaTeX, and this file lets only listed elements pass.
import temml, { type Options } from 'temml';
import { getText } from '#web/get-text.ts';
import { createCache } from './cache.ts';
import { unitMacros } from './units.ts';

export interface MathElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  className: string;
  style: Readonly<Record<string, string>>;
  children: readonly (MathElement | string)[];
}

export interface FormulaError {
  message: string;
  /** Where in the source the mistake is. */
  offset: number;
}

const limits = {
  source: 2000,
  /** The depth of groups in the source. */
  depth: 40,
  expansions: 200,
  /** Ordinary formulas have at most 2.5 elements for each letter of the source. */
  elementsPerLetter: 3,
  /** Temml's nodes, as `countCost` counts them. */
  cost: 10_000,
  /** The time of the layout in Chromium grows with the cube of this depth. */
  elementDepth: 80,
  em: 10,
};

/** A short command can need many elements. */
const minElements = 100;
const maxReason = 100;

const cache = createCache<string, MathElement | FormulaError>(500);

export function renderFormula(source: string, display: boolean): MathElement | FormulaError {
  return cache.get(`${display}\n${source}`, () => toMathML(source, display));
}

function toMathML(source: string, display: boolean): MathElement | FormulaError {
  if (source.length > limits.source || countDepth(source) > limits.depth) return tooLarge;
  const macro = macroDefinition.exec(source);
  if (macro) return { message: getText('markup.formula.macro'), offset: macro.index };
  try {
    const options = {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: limits.expansions,
      maxSize: [limits.em, limits.em * 10],
      // Temml has points, which are too few for large letters.
      macros: { ...unitMacros, '\\arraycolsep': '0.5em' },
    } satisfies Options;
    // Temml exports its trees only under private names. Its public output is HTML, which we must not parse.
    const { __parse: parse, __renderToMathMLTree: render } = temml;
    if (countCost(parse(source, options)) > limits.cost) return tooLarge;
    const elements = { left: minElements + limits.elementsPerLetter * source.length };
    const [root] = toElements(render(source, options) as TemmlNode, elements, 0);
    if (elements.left < 0 || typeof root !== 'object') return tooLarge;
    return root;
  } catch (error) {
    return toFormulaError(error, source);
  }
}

const tooLarge: FormulaError = { message: getText('markup.formula.tooLarge'), offset: 0 };

/** How often Temml draws the content of these nodes. Nested nodes of these types take exponential time. */
const timesDrawn: Readonly<Record<string, number>> = { cancelto: 3, lap: 2 };

/**
 * An upper bound of the elements that Temml makes of a part of its parse tree. Nodes can share their content, so the
 * cost of each node is computed once and added at each use.
 */
function countCost(part: unknown, costs = new Map<object, number>()): number {
  if (typeof part !== 'object' || part === null) return 0;
  let cost = costs.get(part);
  if (cost === undefined) {
    costs.set(part, 0);
    const { type } = part as { type?: unknown };
    cost = typeof type === 'string' ? 1 : 0;
    for (const [key, value] of Object.entries(part)) {
      // The places in the source, which refer back to the parser.
      if (key !== 'loc' && key !== 'token') cost += countCost(value, costs);
    }
    if (typeof type === 'string') cost *= timesDrawn[type] ?? 1;
    costs.set(part, cost);
  }
  return cost;
}

/** A macro could expand to a text of any length. */
const macroDefinition =
  /\\(?:[gex]?def|let|futurelet|(?:re|provide)?newcommand|providecommand|renewcommand|global|long)(?![a-z])/i;

/** The depth of nested groups. The parser is recursive, so a deep formula could overflow its stack. */
function countDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [part] of source.matchAll(/\\?[{}]|\\(?:left|right|begin|end)(?![a-z])/gi)) {
    if (part === '{' || part === '\\left' || part === '\\begin') depth++;
    else if (part === '}' || part === '\\right' || part === '\\end') depth--;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function toFormulaError(error: unknown, source: string): FormulaError {
  const { name, message, position } = error as Error & { position?: number };
  if (name !== 'ParseError') {
    return { message: getText('markup.formula.incomplete'), offset: source.length };
  }
  // The library's message ends with an excerpt of the source.
  const reason = message.replace(/ at (?:position|end of input)[^]*$/, '').trim();
  // It can quote a word of any length.
  const shortReason = reason.length > maxReason ? `${reason.slice(0, maxReason)}…` : `${reason}.`;
  return {
    message: getText('markup.formula.mistake', { reason: shortReason }),
    offset: Math.min(position ?? 0, source.length),
  };
}

/** Temml's tree, which has no public type: an element, a text, or a fragment. */
interface TemmlNode {
  type?: string;
  text?: string;
  /** Levels of scripts are numbers. */
  attributes?: Record<string, string | number>;
  classes?: string[];
  style?: Record<string, string>;
  children?: TemmlNode[];
}

const elementNames = new Set(
  'math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd menclose'.split(
    ' ',
  ),
);
const attributeNames = new Set(
  'accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace mathvariant maxsize minsize movablelimits rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
);
const styleNames = new Set(
  'border borderTop borderRight borderBottom borderLeft padding paddingLeft paddingRight paddingTop paddingBottom'.split(
    ' ',
  ),
);

/** Characters that no message may contain, but that a formula can name by their numbers. */
// oxlint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function toElements(
  node: TemmlNode,
  elements: { left: number },
  depth: number,
): (MathElement | string)[] {
  if (depth > limits.elementDepth) elements.left = 0;
  if (--elements.left < 0) return [];
  if (node.text !== undefined) return [node.text.replace(forbidden, '')];
  const children = (node.children ?? []).flatMap((child) => toElements(child, elements, depth + 1));
  if (!node.type || !elementNames.has(node.type)) return children;
  return [
    {
      name: node.type,
      attributes: pickAllowed(node.attributes, attributeNames),
      className: (node.classes ?? []).join(' '),
      style: pickAllowed(node.style, styleNames),
      children,
    },
  ];
}

function pickAllowed(values: Record<string, string | number> = {}, names: ReadonlySet<string>) {
  return Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, String(value)] as const)
      .filter(([name, value]) => names.has(name) && /^[\w\s.%+-]*$/.test(value))
      .map(([name, value]) => [name, shortenLengths(value)]),
  );
}

/** Limits lengths that would cover other messages. */
function shortenLengths(value: string): string {
  return value.replace(/(-?[\d.]+)(em|ex|pt|px|mu)/g, (length, size: string, unit: string) => {
    const max = unit === 'em' || unit === 'ex' ? limits.em : limits.em * 10;
    return Math.abs(Number(size)) > max ? `${Math.sign(Number(size)) * max}${unit}` : length;
  });
}
