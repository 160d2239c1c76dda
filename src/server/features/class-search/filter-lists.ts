// Parses `facetFilters`, `numericFilters` and `tagFilters`: `["A:x", ["B:y", "B:-z"]]`. The outer list is
// AND, each inner list is OR.
import { numberIn, rangeOf, tags, type Filter, type Operator } from './filter.ts';
import { invalid } from './parameters.ts';

export function parseFacetFilters(given: unknown): Filter {
  return parseList('facetFilters', '"facet:value" or lists of it', given, (text) => {
    const colon = text.indexOf(':');
    return colon < 1 ? null : withSign(text.slice(0, colon), text.slice(colon + 1));
  });
}

export function parseTagFilters(given: unknown): Filter {
  return parseList('tagFilters', '"tag" or lists of it', given, (text) =>
    // Algolia's older form writes `a,(b,c)`.
    /^$|^\(|\)$/.test(text) ? null : withSign(tags, text),
  );
}

export function parseNumericFilters(given: unknown): Filter {
  const expected = '"attribute > number", "attribute:low TO high" or lists of it';
  return parseList('numericFilters', expected, given, (text) => {
    const [, attribute, sign, operand] = /^([^<>=!:]+)([<>!]=|[<>=:])(.+)$/.exec(text) ?? [];
    if (!attribute?.trim() || !sign || !operand) return null;
    const name = attribute.trim();
    const numbers = operand.split(' TO ').map((one) => numberIn(one.trim()));
    const [value, high] = numbers.includes(null) ? [] : (numbers as number[]);
    if (value === undefined || numbers.length > 2) return null;
    if (sign === ':') return high === undefined ? null : rangeOf(name, value, high);
    if (high !== undefined) return null;
    return { kind: 'compares', attribute: name, operator: sign as Operator, value };
  });
}

function parseList(
  name: string,
  expected: string,
  given: unknown,
  parse: (text: string) => Filter | null,
): Filter {
  function condition(item: unknown): Filter {
    const filter = typeof item === 'string' ? parse(item) : null;
    if (filter) return filter;
    throw invalid(name, `expected ${expected}`);
  }
  if (!Array.isArray(given)) return condition(given);
  return {
    kind: 'all',
    of: given.map((item: unknown) =>
      Array.isArray(item) ? { kind: 'any', of: item.map(condition) } : condition(item),
    ),
  };
}

/** A minus before the value negates it. A backslash before the minus makes it part of the value. */
function withSign(facet: string, value: string): Filter {
  if (value.startsWith('-')) {
    return { kind: 'not', of: { kind: 'is', facet, value: value.slice(1) } };
  }
  return { kind: 'is', facet, value: value.replace(/^\\-/, '-') };
}
