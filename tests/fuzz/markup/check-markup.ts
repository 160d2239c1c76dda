// What must hold for the markup of any text.
import { listMentionedIds } from '#contract/mentions.ts';
import { findSpoilers, replaceSpoilers } from '#contract/spoilers.ts';
import { type MathElement, renderFormula } from '#web/markup/formula.ts';
import { highlight, type Token } from '#web/markup/highlight.ts';
import type { Block, Inline, Text } from '#web/markup/markup.ts';
import { parseMessage } from '#web/markup/parse-message.ts';

/** Far above the real maximum, so that a busy machine fails no test. Quadratic time exceeds it. */
const maxCpuMs = 100;
const maxElements = 6000;
const maxDepth = 12;
const maxLength = { em: 10, px: 100 };

export interface CheckedMarkup {
  faults: readonly string[];
  /** The elements that a browser would make. */
  elements: number;
  /** The CPU time to parse the text, its formulas and its code. */
  cpuMs: number;
}

/** Parses the text as the browser does, and checks all that it would show. */
export function checkMarkup(
  text: string,
  parse: typeof parseMessage = parseMessage,
): CheckedMarkup {
  const faults: string[] = [];
  const add = (fault: string) => {
    if (faults.length < 5) faults.push(fault);
  };
  let elements = 0;
  const shownMembers = new Set<string>();
  const usageBefore = process.threadCpuUsage();
  try {
    const { blocks, pieces } = parse(text);
    for (const block of blocks) visit(block, 0);
    checkPlaces(pieces.filter((piece) => piece.kind === 'text'));
    checkLetters(pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''));
    for (const piece of pieces) if (piece.kind === 'mention') shownMembers.add(piece.memberId);
    for (const memberId of shownMembers) {
      if (!listMentionedIds(text).includes(memberId)) {
        add(`a mention that the server does not count`);
      }
    }
  } catch (error) {
    add(`it throws: ${String(error)}`);
  }
  const { user, system } = process.threadCpuUsage(usageBefore);
  const cpuMs = (user + system) / 1000;
  if (elements > maxElements) add(`${elements} elements`);
  return { faults, elements, cpuMs };

  function visit(part: Block | Inline, depth: number): void {
    elements += 1;
    if (depth > maxDepth) add(`blocks nested ${depth} deep`);
    switch (part.kind) {
      case 'paragraph':
      case 'heading':
      case 'strong':
      case 'emphasis':
      case 'strike':
      case 'spoiler':
        return part.content.forEach((inner) => visit(inner, depth));
      case 'link':
        if (!/^(?:https?:\/\/|mailto:[^?]+$)/.test(part.href)) add(`a link to ${part.href}`);
        return part.content.forEach((inner) => visit(inner, depth));
      case 'quote':
      case 'spoilerBlock':
        return part.blocks.forEach((block) => visit(block, depth + 1));
      case 'list':
        return part.items.forEach((item) =>
          item.blocks.forEach((block) => visit(block, depth + 1)),
        );
      case 'table':
        return part.rows.flat(2).forEach((inner) => visit(inner, depth));
      case 'codeBlock':
        return checkCostly(part, () => checkCode(part.code.text, part.language));
      case 'formula':
        return checkCostly(part, () => checkFormula(part.formula.text, part.display));
      case 'formulaBlock':
        return checkCostly(part, () => checkFormula(part.formula.text, true));
      case 'text':
      case 'code':
      case 'mention':
    }
  }

  /** A part that exceeds the budget of its message makes no elements until a member wants to see it. */
  function checkCostly({ isPlain }: { isPlain?: true }, check: () => void): void {
    const elementsBefore = elements;
    check();
    if (isPlain) elements = elementsBefore;
  }

  /** The readable text has the typed characters in their order, each once, without those that the server hides. */
  function checkPlaces(texts: readonly Text[]): void {
    const spoilers = findSpoilers(text);
    let last = 0;
    for (const { text: shownText, from } of texts) {
      if (from === null) continue;
      if (!text.startsWith(shownText, from)) add(`a text that was not typed at ${from}`);
      if (from < last) add(`a text that is shown twice, or too late, at ${from}`);
      last = from + shownText.length;
      if (spoilers.some((spoiler) => spoiler.from < last && spoiler.to > from)) {
        add(`a spoiler is shown at ${from}`);
      }
    }
  }

  /** No letter disappears, except in spoilers, in the addresses of links, in tokens of mentions and in names of languages. */
  function checkLetters(shownText: string): void {
    if (/\]\(|<@|```|~~~/.test(text)) return;
    let offset = 0;
    for (const [letter] of replaceSpoilers(text, '').matchAll(/[\p{L}\p{N}]/gu)) {
      offset = shownText.indexOf(letter, offset) + 1;
      if (offset === 0) return add(`the letter ${letter} is not shown`);
    }
  }

  function checkCode(code: string, language: string): void {
    const token = highlight(code, language);
    if (token && toText(token) !== code) add('code that its colors change');
  }

  function toText(token: Token): string {
    elements += 1;
    return token.children
      .map((child) => (typeof child === 'string' ? child : toText(child)))
      .join('');
  }

  function checkFormula(source: string, display: boolean): void {
    const formula = renderFormula(source, display);
    if (!('message' in formula)) return checkMath(formula);
    if (formula.offset < 0 || formula.offset > source.length) add(`a mistake at ${formula.offset}`);
    if (formula.message.length > 200) add(`a long reason: ${formula.message.slice(0, 80)}`);
  }

  function checkMath({ name, attributes, style, children }: MathElement): void {
    elements += 1;
    if (!/^m(?:ath|[a-z]{1,13})$/.test(name) || name === 'maction') add(`an element ${name}`);
    for (const [key, value] of Object.entries({ ...attributes, ...style })) {
      if (/^on|href|src|^id$|^class|color|background|^xml|position/i.test(key)) {
        add(`an attribute ${key}`);
      }
      if (/[^\w\s.%+-]/.test(value)) add(`the value ${value} of ${key}`);
      for (const [, size, unit] of value.matchAll(/([\d.]+)(em|ex|px|pt|mu)/g)) {
        const max = unit === 'em' || unit === 'ex' ? maxLength.em : maxLength.px;
        if (Number(size) > max) add(`a length of ${size}${unit}`);
      }
    }
    for (const child of children) {
      if (typeof child !== 'string') checkMath(child);
      // oxlint-disable-next-line no-control-regex
      else if (/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/.test(child)) add('a control character');
    }
  }
}

/** Whether the text took too long. A slow run is repeated, because another process may have caused it. */
export function isTooSlow(text: string, { cpuMs }: CheckedMarkup): boolean {
  // The caches of formulas and code know a text after the first run.
  return (
    cpuMs > maxCpuMs &&
    [1, 2, 3].every((n) => checkMarkup(`${text}${' '.repeat(n)}`).cpuMs > maxCpuMs)
  );
}
