// Parses and validates one search request with Algolia's parameters.
import { limits } from '#contract/limits.ts';
import { searchFacets, searchIndexName, type SearchFacet } from '#contract/class-fields.ts';
import { parseAdvancedQuery, type AdvancedQuery } from './advanced-syntax.ts';
import { parseFilters, refuseTooManyConditions, type Filter } from './filter.ts';
import { parseFacetFilters, parseNumericFilters, parseTagFilters } from './filter-lists.ts';
import type { Tags } from './highlight.ts';
import { refuseUnread } from './known-parameters.ts';
import { readMatching, type Matching } from './matching.ts';
import { invalid, isObject, Parameters } from './parameters.ts';
import { searchedFields, type SearchedField } from './class-terms.ts';
import type { Snippets } from './snippet.ts';
import { QueryError } from '#server/http/query-error.ts';

export interface Query {
  text: string;
  /** The text without its advanced syntax, and what that means. */
  advanced: AdvancedQuery;
  matching: Matching;
  window: Window;
  filter: Filter;
  /** The fields to search. */
  fields: readonly SearchedField[];
  facets: readonly SearchFacet[];
  maxValuesPerFacet: number;
  sortFacetValuesBy: 'count' | 'alpha';
  retrieves(field: string): boolean;
  highlights: readonly SearchedField[];
  snippets: Snippets;
  /** Omits the items of a list that match no word. */
  matchedItemsOnly: boolean;
  tags: Tags;
  /** Set for a facet search, which returns facet values instead of hits. */
  facetValues: { facet: SearchFacet; query: string; most: number } | null;
  /** The original parameters as a query string. */
  params: string;
}

/** The hits to return. */
export type Window =
  | { kind: 'page'; page: number; hitsPerPage: number }
  | { kind: 'offset'; offset: number; length: number };

const maxOffset = 1_000_000;
const maxTagLength = 100;
const maxFilterLength = 4096;
const maxSnippetWords = 1000;
const defaultSnippetWords = 10;

/** The names that every search reads. A facet search also reads the second list. */
const searchNames: ReadonlySet<string> = new Set([
  ...['query', 'page', 'hitsPerPage', 'offset', 'length'],
  ...['filters', 'facetFilters', 'numericFilters', 'tagFilters'],
  ...['facets', 'maxValuesPerFacet', 'sortFacetValuesBy', 'restrictSearchableAttributes'],
  ...['attributesToRetrieve', 'attributesToHighlight', 'highlightPreTag', 'highlightPostTag'],
  ...['attributesToSnippet', 'snippetEllipsisText', 'restrictHighlightAndSnippetArrays'],
  ...['typoTolerance', 'minWordSizefor1Typo', 'minWordSizefor2Typos', 'queryType'],
  ...['advancedSyntax', 'advancedSyntaxFeatures', 'optionalWords', 'removeWordsIfNoResults'],
]);
const facetSearchNames: ReadonlySet<string> = new Set([
  ...searchNames,
  ...['facetQuery', 'maxFacetHits'],
]);

/**
 * Parses one request of the call with several requests.
 *
 * @throws {QueryError}
 */
export function readRequest(request: unknown): Query {
  if (!isObject(request)) throw new QueryError('Each of "requests" must be an object');
  const { indexName, type = 'default', facet, ...given } = request;
  if (typeof indexName !== 'string') throw invalid('indexName', 'expected a string');
  if (type === 'facet') {
    if (typeof facet !== 'string') throw invalid('facet', 'expected a string');
    return readQuery(indexName, given, facet);
  }
  if (type !== 'default') throw invalid('type', 'expected default, facet');
  return readQuery(indexName, facet === undefined ? given : { ...given, facet });
}

/**
 * @param given the body of the request, with flat parameters or `params`
 * @param facetName set for a facet search
 * @throws {QueryError}
 */
export function readQuery(indexName: string, given: unknown, facetName?: string): Query {
  requireIndex(indexName);
  if (!isObject(given)) throw new QueryError('Expected an object with the search parameters');
  const parameters = new Parameters(given);
  refuseUnread(parameters, facetName === undefined ? searchNames : facetSearchNames);
  const retrieved = parameters.list('attributesToRetrieve', ['*']);
  const highlighted = parameters.list('attributesToHighlight', [...searchedFields]);
  const facets = parameters.list('facets', []);
  const text = parameters.text('query', '', limits.searchQuery); // SEARCH-11
  const matching = readMatching(parameters);
  return {
    text,
    advanced: parseAdvancedQuery(text, matching),
    matching,
    window: readWindow(parameters),
    filter: readFilter(parameters),
    fields: fieldsOf(parameters.list('restrictSearchableAttributes', [])),
    facets: searchFacets.filter((name) => facets.includes(name) || facets.includes('*')),
    maxValuesPerFacet: parameters.integer('maxValuesPerFacet', 100, 0, 1000),
    sortFacetValuesBy: parameters.choice('sortFacetValuesBy', ['count', 'alpha'], 'count'),
    retrieves: retrievesOf(retrieved),
    highlights: searchedFields.filter(
      (name) => highlighted.includes(name) || highlighted.includes('*'),
    ),
    snippets: readSnippets(parameters),
    matchedItemsOnly: parameters.flag('restrictHighlightAndSnippetArrays', false),
    tags: {
      pre: parameters.text('highlightPreTag', '<em>', maxTagLength),
      post: parameters.text('highlightPostTag', '</em>', maxTagLength),
    },
    facetValues: facetName === undefined ? null : readFacetValues(facetName, parameters),
    params: parameters.echo(),
  };
}

/** @throws {QueryError} 404 */
export function requireIndex(name: string): void {
  if (name === searchIndexName) return;
  throw new QueryError(`Index ${name.slice(0, 100)} does not exist`, 404);
}

/** Returns whether a list of `attributesToRetrieve` includes the field. */
export function retrievesOf(names: readonly string[]): (field: string) => boolean {
  return (field) => !names.includes(`-${field}`) && (names.includes('*') || names.includes(field));
}

/** With an offset, pages do not count. A length without an offset has no effect, as in Algolia. */
function readWindow(parameters: Parameters): Window {
  const page = parameters.integer('page', 0, 0, maxOffset);
  const hitsPerPage = parameters.integer(
    'hitsPerPage',
    limits.searchHitsPerPage, // SEARCH-14
    0,
    limits.searchPageMax,
  );
  const length = parameters.integer('length', hitsPerPage, 0, limits.searchPageMax);
  if (parameters.raw('offset') === undefined) return { kind: 'page', page, hitsPerPage };
  return { kind: 'offset', offset: parameters.integer('offset', 0, 0, maxOffset), length };
}

/** The hits to return: how many to skip, and how many to take. */
export function rangeOf(window: Window): { from: number; count: number } {
  const [skipped, count] =
    window.kind === 'page'
      ? [window.page * window.hitsPerPage, window.hitsPerPage]
      : [window.offset, window.length];
  const from = Math.min(skipped, limits.searchDepth);
  return { from, count: Math.min(count, limits.searchDepth - from) };
}

export function maxHitsOf({ facetValues, window }: Query): number {
  return facetValues ? 0 : rangeOf(window).count;
}

function readFilter(parameters: Parameters): Filter {
  const filter: Filter = {
    kind: 'all',
    of: [
      parseFilters(parameters.text('filters', '', maxFilterLength)),
      parseFacetFilters(parameters.nested('facetFilters', [])),
      parseNumericFilters(parameters.nested('numericFilters', [])),
      parseTagFilters(parameters.nested('tagFilters', [])),
    ],
  };
  refuseTooManyConditions(filter);
  return filter;
}

function readFacetValues(name: string, parameters: Parameters): Query['facetValues'] {
  const facet = searchFacets.find((one) => one === name);
  if (!facet) {
    throw new QueryError(
      `Cannot search in "${name.slice(0, 100)}": it is not one of the attributes for faceting`,
    );
  }
  return {
    facet,
    query: parameters.text('facetQuery', '', limits.searchQuery),
    most: parameters.integer('maxFacetHits', 10, 0, 100),
  };
}

/** Reads items such as `courseName:20`, the field and the number of words. */
function readSnippets(parameters: Parameters): Snippets {
  const wordsOf = new Map<SearchedField, number>();
  for (const item of parameters.list('attributesToSnippet', [])) {
    const [, name, words = String(defaultSnippetWords)] =
      /^([^:]*)(?::(\d{1,4}))?$/.exec(item) ?? [];
    const count = Number(words);
    if (name === undefined || count < 1 || count > maxSnippetWords) {
      throw invalid(
        'attributesToSnippet',
        `expected "attribute:words", 1 to ${maxSnippetWords} words`,
      );
    }
    for (const field of searchedFields) {
      if (name === field || (name === '*' && !wordsOf.has(field))) wordsOf.set(field, count);
    }
  }
  return { wordsOf, ellipsis: parameters.text('snippetEllipsisText', '…', maxTagLength) };
}

function fieldsOf(names: readonly string[]): readonly SearchedField[] {
  if (names.length === 0 || names.includes('*')) return searchedFields;
  return names.map((name) => {
    const field = searchedFields.find((one) => one === name);
    if (field) return field;
    throw invalid('restrictSearchableAttributes', `"${name.slice(0, 100)}" is not searchable`);
  });
}
