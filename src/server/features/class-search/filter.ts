// What a request filters by, and the parser of Algolia's `filters`.
import { limits } from '#contract/limits.ts';
import { QueryError } from '#server/http/query-error.ts';

/**
 * Values are compared without case. An unknown facet has no values, and an attribute without numbers
 * matches no comparison.
 */
export type Filter =
  | { kind: 'is'; facet: string; value: string }
  | { kind: 'compares'; attribute: string; operator: Operator; value: number }
  | { kind: 'not'; of: Filter }
  | { kind: 'all' | 'any'; of: readonly Filter[] };

const operators = ['<=', '>=', '!=', '<', '>', '='] as const;
export type Operator = (typeof operators)[number];

/** Classes have no tags, so this facet has no values. */
export const tags = '_tags';

/** @throws {QueryError} if there are too many conditions to test for every class */
export function refuseTooManyConditions(filter: Filter): void {
  if (countConditions(filter) <= limits.searchFilters) return;
  throw new QueryError(`Too many filters, expected at most ${limits.searchFilters} conditions`);
}

export function countConditions(filter: Filter): number {
  if (filter.kind === 'not') return countConditions(filter.of);
  if (filter.kind !== 'all' && filter.kind !== 'any') return 1;
  return filter.of.reduce((sum, one) => sum + countConditions(one), 0);
}

/** The condition `attribute:low TO high`, which includes both bounds. */
export function rangeOf(attribute: string, low: number, high: number): Filter {
  return {
    kind: 'all',
    of: [
      { kind: 'compares', attribute, operator: '>=', value: low },
      { kind: 'compares', attribute, operator: '<=', value: high },
    ],
  };
}

/** Returns null if the text is no number that Algolia would accept. Three decimals count. */
export function numberIn(text: string): number | null {
  if (!/^[+-]?(\d{1,16}(\.\d{0,20})?|\.\d{1,20})$/.test(text)) return null;
  const value = Math.round(Number(text) * 1000) / 1000;
  return Math.abs(value) <= 4_611_686_018_427_387 ? value : null;
}

/**
 * Parses `A:x AND (B:"y z" OR NOT C:w) AND D > 5`. OR binds before AND, because Algolia only accepts ORs
 * within ANDs.
 */
export function parseFilters(text: string): Filter {
  const tokens = tokensOf(text);
  let at = 0;

  function refuse(): never {
    const token = tokens[at];
    const what = token ? `token at col ${token.column}` : 'end of filter';
    throw new QueryError(`filters: Unexpected ${what}`);
  }

  function isNext(kind: Token['kind']): boolean {
    if (tokens[at]?.kind !== kind) return false;
    at += 1;
    return true;
  }

  function series(kind: 'all' | 'any', joint: Token['kind'], part: () => Filter): Filter {
    const first = part();
    const of = [first];
    while (isNext(joint)) of.push(part());
    return of.length === 1 ? first : { kind, of };
  }

  function expression(depth: number): Filter {
    return series('all', 'AND', () => series('any', 'OR', () => one(depth)));
  }

  function one(depth: number): Filter {
    if (depth > limits.searchFilterDepth) refuse();
    if (isNext('NOT')) return { kind: 'not', of: one(depth + 1) };
    if (isNext('(')) {
      const inside = expression(depth + 1);
      if (!isNext(')')) refuse();
      return inside;
    }
    return condition();
  }

  function condition(): Filter {
    const attribute = value();
    const operator = operators.find(isNext);
    if (operator) return { kind: 'compares', attribute, operator, value: number() };
    // In Algolia, a value without a facet is a tag.
    if (!isNext(':')) return { kind: 'is', facet: tags, value: attribute };
    if (tokens[at + 1]?.kind !== 'TO') return { kind: 'is', facet: attribute, value: value() };
    const low = number();
    at += 1;
    return rangeOf(attribute, low, number());
  }

  function value(): string {
    const token = tokens[at];
    if (token?.kind !== 'text') refuse();
    at += 1;
    return token.text;
  }

  function number(): number {
    const token = tokens[at];
    const known = token?.kind === 'text' ? numberIn(token.text) : null;
    if (known === null) refuse();
    at += 1;
    return known;
  }

  if (tokens.length === 0) return { kind: 'all', of: [] };
  const filter = expression(0);
  if (at < tokens.length) refuse();
  return filter;
}

interface Token {
  kind: 'text' | '(' | ')' | ':' | 'AND' | 'OR' | 'NOT' | 'TO' | Operator;
  text: string;
  column: number;
}

const keywords = new Set<string>(['AND', 'OR', 'NOT', 'TO']);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\s*(?:([<>!]=|[():<>=])|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s():"'<>=!]+))/y;
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const column = pattern.lastIndex + 1;
    const match = pattern.exec(text);
    if (!match) throw new QueryError(`filters: Unexpected token at col ${column}`);
    const [, sign, double, single, bare] = match;
    const quoted = double ?? single;
    if (sign) tokens.push({ kind: sign as '(', text: sign, column });
    else if (quoted !== undefined) {
      tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, '$1'), column });
    } else if (bare) {
      tokens.push({ kind: keywords.has(bare) ? (bare as 'AND') : 'text', text: bare, column });
    }
  }
  return tokens;
}
