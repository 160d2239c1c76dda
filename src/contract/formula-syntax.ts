// Where formulas begin and end in a text: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`, and environments as LaTeX has them.
import { parseMentionTokens } from './mentions.ts';
import { isWordCharacter } from './word-boundary.ts';

/** How far a formula is searched for its end. */
export const maxFormula = 2000;

export interface FormulaSpan {
  /** Where the mark at its end ends. */
  to: number;
  /** The formula has its own line. */
  display: boolean;
}

/** The environments of displayed formulas, and of parts of formulas. Others, such as lists, stay as typed. */
const environment =
  /\\begin\{((?:equation|align|gather|alignat|multline|split|CD)\*?|[bBpvV]?matrix\*?|(?:small|border)matrix|[dr]*cases|d?array|(?:align|alignedat|gather)(?:ed)?|subarray)\}/y;

/** The marks of a displayed formula that may have several lines. */
interface DisplayStart {
  length: number;
  end: string;
  isEnvironment: boolean;
}

function findDisplayStart(text: string, from: number): DisplayStart | null {
  if (text[from - 1] === '\\') return null;
  if (text.startsWith('$$', from)) return { length: 2, end: '$$', isEnvironment: false };
  if (text.startsWith('\\[', from)) return { length: 2, end: '\\]', isEnvironment: false };
  environment.lastIndex = from;
  const match = environment.exec(text);
  if (!match) return null;
  return { length: match[0].length, end: `\\end{${match[1]}}`, isEnvironment: true };
}

/** The formula that begins at this place of a paragraph, or null. */
export function findFormula(text: string, from: number): FormulaSpan | null {
  const { [from]: first, [from - 1]: previous = '' } = text;
  if (first === '$') {
    if (previous === '$') return null;
    if (text[from + 1] !== '$') return findDollarFormula(text, from);
  } else if (first !== '\\') return null;
  const display = findDisplayStart(text, from);
  if (display) {
    const { end, length, isEnvironment } = display;
    const to = findEnd(text, from, display);
    if (to < 0 || isNoFormula(text.slice(from + length, to - end.length))) return null;
    return isEnvironment
      ? { to, display: /^\\begin\{(?:eq|align|gather|mult|CD)/.test(text.slice(from, from + 14)) }
      : { to, display: true };
  }
  if (!text.startsWith('\\(', from) || previous === '\\') return null;
  const to = findEnd(text, from, { length: 2, end: '\\)', isEnvironment: false });
  if (to < 0 || isNoFormula(text.slice(from + 2, to - 2))) return null;
  return { to, display: false };
}

/** A mention cannot be in a formula, because the server counts it. */
function isNoFormula(source: string): boolean {
  return source.trim() === '' || parseMentionTokens(source).length > 0;
}

/** Where the formula ends, or -1. Environments of the same name can be nested. */
function findEnd(text: string, from: number, { length, end, isEnvironment }: DisplayStart): number {
  const start = text.slice(from, from + length);
  const max = Math.min(text.length, from + maxFormula + 2 * length);
  let depth = 1;
  for (let offset = from + length; offset < max; offset++) {
    if (text.startsWith(end, offset)) {
      depth--;
      if (depth === 0) return offset + end.length;
    } else if (isEnvironment && text.startsWith(start, offset)) depth++;
    // Only the next dollar can close, so the search never reads a character twice.
    else if (text[offset] === '$' && end === '$$') return -1;
    else if (text[offset] === '\\') offset++;
  }
  return -1;
}

/**
 * Finds what a single dollar opens. As in Pandoc, it opens before and closes after a character that is no space, and no letter or digit
 * touches it from outside: 'it costs $5 and $6' is no formula. The ending of a word may follow: `$n$th`.
 */
function findDollarFormula(text: string, from: number): FormulaSpan | null {
  const end = findDollar(text, from + 1);
  if (end < 0) return null;
  const source = text.slice(from + 1, end);
  const previous = text[from - 1] ?? '';
  if (
    text[end + 1] === '$' ||
    previous === '\\' ||
    isWordCharacter(previous) ||
    /^\s|\s$/.test(source) ||
    isNoFormula(source) ||
    !canFollow(source, text.slice(end + 1, end + 9))
  ) {
    return null;
  }
  return { to: end + 1, display: false };
}

/** The ending of a numeral or of a word, in Latin and Cyrillic letters. */
const wordEnding = /^(?:[a-zß-ÿ]{2,6}|[esºª]|[\u0400-\u04ff]{1,4})(?![\p{L}\p{N}_$=])/u;

/** Whether a formula can have this text after it. Variables of shells can not: `$HOME/$PATH`, `${A}/${B}`. */
function canFollow(source: string, rest: string): boolean {
  const [first = ''] = rest;
  if (/[({]/.test(first)) return first !== source[0];
  if (first === '_') return false;
  if (!isWordCharacter(first)) return true;
  return (
    wordEnding.test(rest) && /[\p{L}\p{N})}\]*'!+]$/u.test(source) && !/^[a-z_]\w+$/i.test(source)
  );
}

/** The next dollar without a backslash, or -1. */
function findDollar(text: string, from: number): number {
  const max = Math.min(text.length, from + maxFormula);
  for (let offset = from; offset < max; offset++) {
    if (text[offset] === '$') return offset;
    if (text[offset] === '\\') offset++;
  }
  return -1;
}

/** The code between backticks that begins at this place, with its marks, or ''. */
export function findCode(text: string, from: number): string {
  if (text[from] !== '`' || text[from - 1] === '`') return '';
  const [marks = ''] = /^`+/.exec(text.slice(from)) ?? [];
  for (const { 0: run, index } of text.slice(from + marks.length).matchAll(/`+/g)) {
    if (run === marks) return text.slice(from, from + 2 * marks.length + index);
  }
  return '';
}

/**
 * The place of a displayed formula that begins in the first line of the text and ends in another, or null. Dollars
 * can be money, so they have an end of their line: '$$' before or after a line break. If there are empty lines between
 * them, both have their own line.
 */
export function findFormulaLines(text: string): { from: number; to: number } | null {
  const lineEnd = text.indexOf('\n');
  if (lineEnd < 0) return null;
  for (let from = 0; from < lineEnd; from++) {
    const display = findDisplayStart(text, from);
    const to = display ? findEnd(text, from, display) : -1;
    if (display && to > lineEnd) {
      const source = text.slice(from + display.length, to - display.end.length);
      if (isNoFormula(source) || !canHaveLines(text, { from, to }, display)) return null;
      return { from, to };
    }
    const code = findCode(text.slice(0, lineEnd), from);
    const formula = code ? null : findFormula(text.slice(0, lineEnd), from);
    if (code) from += code.length - 1;
    else if (formula) from = formula.to - 1;
  }
  return null;
}

function canHaveLines(
  text: string,
  { from, to }: { from: number; to: number },
  { end }: DisplayStart,
): boolean {
  if (end !== '$$') return true;
  const source = text.slice(from + 2, to - 2);
  const isEndAlone = /\n[ \t>]*$/.test(source);
  if (isEndAlone && /^[ \t]*\n/.test(source)) return true;
  const isAtLineEnd = /^[.,;:!?]?[ \t]*(?:\n|$)/.test(text.slice(to, to + 20));
  return text.slice(0, from).trim() === '' && isAtLineEnd && !/\n[ \t>]*\n/.test(source);
}
