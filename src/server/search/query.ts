// Parses and validates one search request with Algolia's parameters.
import { limits } from '#contract/limits.ts';
import { searchFacets, searchIndexName, type SearchFacet } from '#contract/search-index.ts';
import { parseFacetFilters, parseFilters, type Filter } from './filter.ts';
import type { Tags } from './highlight.ts';
import { searchedFields, type SearchedField } from './searched-fields.ts';
import { QueryError } from './query-error.ts';

export interface Query {
  text: string;
  page: number;
  hitsPerPage: number;
  filter: Filter;
  /** The fields to search. */
  fields: readonly SearchedField[];
  facets: readonly SearchFacet[];
  maxValuesPerFacet: number;
  retrieves(field: string): boolean;
  highlights: readonly SearchedField[];
  tags: Tags;
  /** Set for a facet search, which returns facet values instead of hits. */
  facetValues: { facet: SearchFacet; query: string; most: number } | null;
  /** The original parameters as a query string. */
  params: string;
}

/** Bounds one page, because one turn of the event loop builds the response. */
const maxPageSize = 100;
const maxTagLength = 100;
const maxFilterLength = 4096;

/** @throws {QueryError} */
export function readQuery(request: unknown): Query {
  if (!isObject(request)) throw new QueryError('Each of "requests" must be an object');
  const { indexName, params: given, ...flat } = request;
  if (typeof indexName !== 'string') {
    throw new QueryError('Invalid value for "indexName" parameter, expected a string');
  }
  if (indexName !== searchIndexName) {
    throw new QueryError(`Index ${indexName.slice(0, 100)} does not exist`, 404);
  }
  const parameters = new Parameters(given, flat);
  const type = parameters.text('type', 'default');
  const text = parameters.text('query', '', limits.searchQuery); // SEARCH-11
  const filters = parameters.text('filters', '', maxFilterLength);
  const retrieved = parameters.list('attributesToRetrieve', ['*']);
  const highlighted = parameters.list('attributesToHighlight', [...searchedFields]);
  const facets = parameters.list('facets', []);
  return {
    text,
    page: parameters.integer('page', 0, 1_000_000),
    hitsPerPage: parameters.integer('hitsPerPage', limits.searchHitsPerPage, maxPageSize), // SEARCH-14
    filter: {
      kind: 'all',
      of: [parseFilters(filters), parseFacetFilters(parameters.nested('facetFilters'))],
    },
    fields: fieldsOf(parameters.list('restrictSearchableAttributes', [])),
    facets: searchFacets.filter((name) => facets.includes(name) || facets.includes('*')),
    maxValuesPerFacet: parameters.integer('maxValuesPerFacet', 100, 1000),
    retrieves: (field) =>
      !retrieved.includes(`-${field}`) && (retrieved.includes('*') || retrieved.includes(field)),
    highlights: searchedFields.filter(
      (name) => highlighted.includes(name) || highlighted.includes('*'),
    ),
    tags: {
      pre: parameters.text('highlightPreTag', '<em>', maxTagLength),
      post: parameters.text('highlightPostTag', '</em>', maxTagLength),
    },
    facetValues: type === 'facet' ? readFacetValues(parameters) : null,
    params: parameters.echo(),
  };
}

function readFacetValues(parameters: Parameters): Query['facetValues'] {
  const named = parameters.text('facet', '');
  const facet = searchFacets.find((name) => name === named);
  if (!facet) {
    throw new QueryError(
      `Cannot search in "${named.slice(0, 100)}": it is not one of the attributes for faceting`,
    );
  }
  return {
    facet,
    query: parameters.text('facetQuery', '', limits.searchQuery),
    most: parameters.integer('maxFacetHits', 10, 100),
  };
}

function fieldsOf(names: readonly string[]): readonly SearchedField[] {
  if (names.length === 0 || names.includes('*')) return searchedFields;
  return names.map((name) => {
    const field = searchedFields.find((one) => one === name);
    if (field) return field;
    throw new QueryError(
      `Invalid value for "restrictSearchableAttributes" parameter, "${name.slice(0, 100)}" is not searchable`,
    );
  });
}

/** Reads parameters either as typed fields of the request or as strings of a query string. */
class Parameters {
  readonly #flat: Record<string, unknown>;
  readonly #encoded: URLSearchParams;

  constructor(params: unknown, flat: Record<string, unknown>) {
    if (params !== undefined && typeof params !== 'string' && !isObject(params)) {
      throw new QueryError('Invalid value for "params" parameter, expected a string');
    }
    this.#flat = isObject(params) ? { ...params, ...flat } : flat;
    this.#encoded = new URLSearchParams(typeof params === 'string' ? params : '');
  }

  text(name: string, otherwise: string, longest = 1000): string {
    const value = this.#flat[name] ?? this.#encoded.get(name) ?? otherwise;
    if (typeof value !== 'string') this.#refuse(name, 'expected a string');
    if (value.length > longest) {
      this.#refuse(name, `expected a string of at most ${longest} characters`);
    }
    return value;
  }

  integer(name: string, otherwise: number, most: number): number {
    const encoded = this.#encoded.get(name);
    const value = this.#flat[name] ?? (encoded === null ? otherwise : numberOf(encoded));
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      this.#refuse(name, 'expected an integer');
    }
    if (value < 0 || value > most) this.#refuse(name, `expected an integer from 0 to ${most}`);
    return value;
  }

  list(name: string, otherwise: readonly string[]): readonly string[] {
    const value = this.#flat[name] ?? this.#listInText(name) ?? otherwise;
    const items: unknown = typeof value === 'string' ? splitAtCommas(value) : value;
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) {
      this.#refuse(name, 'expected a list of strings');
    }
    return items;
  }

  /** A list that may contain lists. */
  nested(name: string): unknown {
    const value = this.#flat[name] ?? this.#listInText(name) ?? [];
    return typeof value === 'string' ? splitAtCommas(value) : value;
  }

  echo(): string {
    const all = new URLSearchParams(this.#encoded);
    for (const [name, value] of Object.entries(this.#flat)) {
      all.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return all.toString();
  }

  /** In a query string, a list is JSON or comma-separated. */
  #listInText(name: string): unknown {
    const text = this.#encoded.get(name);
    if (!text?.startsWith('[')) return text;
    try {
      return JSON.parse(text);
    } catch {
      this.#refuse(name, 'expected a list');
    }
  }

  #refuse(name: string, expected: string): never {
    throw new QueryError(`Invalid value for "${name}" parameter, ${expected}`);
  }
}

function splitAtCommas(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function numberOf(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
