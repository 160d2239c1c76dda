// Parses the two Algolia filter parameters, `filters` and `facetFilters`.
import { QueryError } from './query-error.ts';

/** Values are compared without case. An unknown facet has no values. */
export type Filter =
  | { kind: 'is'; facet: string; value: string }
  | { kind: 'not'; of: Filter }
  | { kind: 'all' | 'any'; of: readonly Filter[] };

/** Limits nesting, so that a request cannot overflow the stack. */
const deepest = 20;

/**
 * Parses `A:x AND (B:"y z" OR NOT C:w)`. OR binds before AND, because Algolia only accepts ORs within ANDs.
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
    if (depth > deepest) refuse();
    if (isNext('NOT')) return { kind: 'not', of: one(depth + 1) };
    if (isNext('(')) {
      const inside = expression(depth + 1);
      if (!isNext(')')) refuse();
      return inside;
    }
    return comparison();
  }

  function comparison(): Filter {
    const facet = value();
    // In Algolia, a value without a facet is a tag. Classes have no tags.
    if (!isNext(':')) return { kind: 'is', facet: '_tags', value: facet };
    return { kind: 'is', facet, value: value() };
  }

  function value(): string {
    const token = tokens[at];
    if (token?.kind !== 'text') refuse();
    at += 1;
    return token.text;
  }

  if (tokens.length === 0) return { kind: 'all', of: [] };
  const filter = expression(0);
  if (at < tokens.length) refuse();
  return filter;
}

interface Token {
  kind: 'text' | '(' | ')' | ':' | 'AND' | 'OR' | 'NOT';
  text: string;
  column: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(?:([():])|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s():"'<>=!]+))/y;
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
      const kind = bare === 'AND' || bare === 'OR' || bare === 'NOT' ? bare : 'text';
      tokens.push({ kind, text: bare, column });
    }
  }
  return tokens;
}

/** Parses `["A:x", ["B:y", "B:-z"]]`: the outer list is AND, each inner list is OR. */
export function parseFacetFilters(given: unknown): Filter {
  if (typeof given === 'string') return facetFilter(given);
  if (!Array.isArray(given)) refuseFacetFilters();
  return {
    kind: 'all',
    of: given.map((item: unknown) =>
      Array.isArray(item) ? { kind: 'any', of: item.map(facetFilter) } : facetFilter(item),
    ),
  };
}

function facetFilter(given: unknown): Filter {
  const colon = typeof given === 'string' ? given.indexOf(':') : -1;
  if (typeof given !== 'string' || colon < 1) refuseFacetFilters();
  const facet = given.slice(0, colon);
  const value = given.slice(colon + 1);
  if (value.startsWith('-'))
    return { kind: 'not', of: { kind: 'is', facet, value: value.slice(1) } };
  return { kind: 'is', facet, value: value.replace(/^\\-/, '-') };
}

function refuseFacetFilters(): never {
  throw new QueryError(
    'Invalid value for "facetFilters" parameter, expected "facet:value" or lists of it',
  );
}
