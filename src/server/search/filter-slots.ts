import type { SearchFacet } from '#contract/search-index.ts';
import type { Facet } from './facet.ts';
import type { Filter } from './filter.ts';

export type SlotTest = (slot: number) => boolean;
export type Facets = Readonly<Record<SearchFacet, Facet>>;

/** Compiles the filter to a test of one slot. Returns null if the filter matches everything. */
export function testOf(filter: Filter, facets: Facets): SlotTest | null {
  switch (filter.kind) {
    case 'is': {
      const { [filter.facet]: facet }: Readonly<Record<string, Facet>> = facets;
      if (!facet) return () => false;
      const { groupOf } = facet;
      const groups = facet.groupsWith(filter.value);
      return (slot) => groups[groupOf[slot] as number] === 1;
    }
    case 'not': {
      const test = testOf(filter.of, facets);
      return test ? (slot) => !test(slot) : () => false;
    }
    case 'all': {
      const tests = filter.of.map((one) => testOf(one, facets)).filter((test) => test !== null);
      if (tests.length === 0) return null;
      return (slot) => tests.every((test) => test(slot));
    }
    case 'any': {
      const tests = filter.of.map((one) => testOf(one, facets));
      // An empty list in facetFilters matches everything.
      if (tests.length === 0 || tests.includes(null)) return null;
      return (slot) => tests.some((test) => test?.(slot));
    }
  }
}
