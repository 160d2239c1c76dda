import { searchFacets, type SearchFacet } from '#contract/class-fields.ts';
import type { Facet } from './facet.ts';
import type { Filter, Operator } from './filter.ts';

export type DocTest = (doc: number) => boolean;
export type Facets = Readonly<Record<SearchFacet, Facet>>;

interface Filterable {
  facets: Facets;
  /** The number of each document, by attribute. */
  numbers: ReadonlyMap<string, readonly number[]>;
}

/**
 * A filter on one facet is a set of groups, with 1 for each group that matches. Conditions on the same
 * facet merge into one set, so that most filters test each document once.
 */
type Compiled = { facet: Facet; groups: Uint8Array } | DocTest;

/** Compiles the filter to a test of one document. Returns null if the filter matches everything. */
export function compileFilter(filter: Filter, filterable: Filterable): DocTest | null {
  const compiled = compile(filter, filterable);
  return compiled && toTest(compiled);
}

const nothing: DocTest = () => false;

function compile(filter: Filter, filterable: Filterable): Compiled | null {
  switch (filter.kind) {
    case 'is': {
      const name = searchFacets.find((one) => one === filter.facet);
      if (!name) return nothing;
      const facet = filterable.facets[name];
      return { facet, groups: facet.groupsWith(filter.value) };
    }
    case 'compares': {
      const numbers = filterable.numbers.get(filter.attribute);
      if (!numbers) return nothing;
      const compare = comparisons[filter.operator];
      return (doc) => compare(numbers[doc] as number, filter.value);
    }
    case 'not': {
      const inner = compile(filter.of, filterable);
      if (!inner) return nothing;
      if (typeof inner === 'function') return (doc) => !inner(doc);
      return { facet: inner.facet, groups: inner.groups.map((matches) => 1 - matches) };
    }
    case 'all': {
      const parts = filter.of.map((one) => compile(one, filterable)).filter((one) => one !== null);
      if (parts.length === 0) return null;
      const tests = merge(parts, (a, b) => a & b);
      if (tests.length === 1) return tests[0] as Compiled;
      const all = tests.map(toTest);
      return (doc) => all.every((test) => test(doc));
    }
    case 'any': {
      const parts = filter.of.map((one) => compile(one, filterable));
      const known = parts.filter((one) => one !== null);
      // An empty list in facetFilters matches everything.
      if (known.length === 0 || known.length < parts.length) return null;
      const tests = merge(known, (a, b) => a | b);
      if (tests.length === 1) return tests[0] as Compiled;
      const any = tests.map(toTest);
      return (doc) => any.some((test) => test(doc));
    }
  }
}

const comparisons: Record<Operator, (one: number, other: number) => boolean> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '=': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>=': (one, other) => one >= other,
  '>': (one, other) => one > other,
};

function merge(parts: readonly Compiled[], join: (a: number, b: number) => number): Compiled[] {
  const merged = new Map<Facet, Uint8Array>();
  const tests = parts.filter((part) => typeof part === 'function');
  for (const part of parts) {
    if (typeof part === 'function') continue;
    const known = merged.get(part.facet);
    merged.set(
      part.facet,
      known ? known.map((a, i) => join(a, part.groups[i] as number)) : part.groups,
    );
  }
  return [...Array.from(merged, ([facet, groups]) => ({ facet, groups })), ...tests];
}

function toTest(compiled: Compiled): DocTest {
  if (typeof compiled === 'function') return compiled;
  const { facet, groups } = compiled;
  const { groupOf } = facet;
  return (doc) => groups[groupOf[doc] as number] === 1;
}
