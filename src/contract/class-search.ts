// The search call in the format of Algolia, as far as its clients send it to list, filter and count classes, and the
// records of a hosted index.
import { z } from 'zod';
import { searchFacets, searchIndexName } from './class-fields.ts';
import { classSchema, randomId } from './entities.ts';
import { limits } from './limits.ts';

/** Searches do not find ended classes, so hits need no `ended` field. */
const indexedClass = classSchema.omit({ classId: true, ended: true });

/** The fields that a hosted index receives: what signed-in accounts see of a class that has not ended. */
export const classRecordSchema = indexedClass.extend({ objectID: randomId });
export type ClassRecord = z.infer<typeof classRecordSchema>;

/** The limits of searches, which are not in limits.ts because browsers load limits.ts. */
export const searchLimits = {
  requests: 10, // SEARCH-111
  /** The hits of all requests of one call together. */
  hits: 100, // SEARCH-111
  /** The deepest hit that paging reaches. */
  depth: 1000, // SEARCH-111
  /** The values of one list of filters. */
  filters: 100, // SEARCH-113
};

const count = z.int().min(0);
const facetName = z.enum(searchFacets);
/** `facet:value`. Algolia's clients write a value that begins with a minus as `\-value`: the plain minus means 'not'. */
const facetFilter = z
  .string()
  .max(200)
  .regex(new RegExp(`^(${searchFacets.join('|')}):(?!-)`));
const highlightTag = z.string().max(100);

const searchRequestSchema = z.strictObject({
  indexName: z.literal(searchIndexName),
  query: z.string().max(limits.searchQuery).default(''), // SEARCH-11
  page: count.max(searchLimits.depth).default(0),
  hitsPerPage: count.max(searchLimits.hits).default(limits.searchHitsPerPage), // SEARCH-11
  /** Algolia's widgets send a single name without a list. */
  facets: z.union([facetName, z.array(facetName).max(searchFacets.length)]).default([]),
  maxValuesPerFacet: count.max(1000).default(100),
  /** A class matches if it has a value of every inner list: AND between lists, OR within one. */
  facetFilters: z
    .array(z.array(facetFilter).min(1).max(searchLimits.filters))
    .max(searchFacets.length)
    .default([]),
  highlightPreTag: highlightTag.default('<em>'),
  highlightPostTag: highlightTag.default('</em>'),
  // The search screen and Algolia's widgets send these two with requests for counts. This server keeps no statistics.
  analytics: z.boolean().optional(),
  clickAnalytics: z.boolean().optional(),
});
/** A request as clients send it. */
export type SearchRequest = z.input<typeof searchRequestSchema>;
/** A request with its defaults. */
export type ParsedSearchRequest = z.output<typeof searchRequestSchema>;

const searchBody = z.strictObject({
  requests: z
    .array(searchRequestSchema)
    .min(1)
    .max(searchLimits.requests)
    .refine(
      (requests) =>
        requests.reduce((sum, { hitsPerPage }) => sum + hitsPerPage, 0) <= searchLimits.hits,
      `A search can return at most ${searchLimits.hits} classes.`,
    ), // SEARCH-111
});

/** A field of a hit, with tags around the matched parts. */
const highlightSchema = z.strictObject({
  value: z.string(),
  matchLevel: z.enum(['none', 'partial', 'full']),
  /** The matched words of the query, in query order. */
  matchedWords: z.array(z.string()),
});
export type Highlight = z.infer<typeof highlightSchema>;

const highlightsSchema = z
  .strictObject({
    courseName: highlightSchema,
    name: highlightSchema,
    subjectAbbreviation: highlightSchema,
    courseNumber: highlightSchema,
    sectionNumber: highlightSchema,
    semesterSeason: highlightSchema,
    classSchedule: z.array(highlightSchema),
  })
  .partial();
export type Highlights = z.infer<typeof highlightsSchema>;

/** Partial, because a hosted index highlights only some fields. */
const hitSchema = classRecordSchema.extend({ _highlightResult: highlightsSchema.optional() });
export type SearchHit = z.infer<typeof hitSchema>;

const searchResultSchema = z.strictObject({
  index: z.string(),
  hits: z.array(hitSchema),
  nbHits: count,
  page: count,
  nbPages: count,
  hitsPerPage: count,
  query: z.string(),
  /** The query that the hits match, if no class matches `query`. */
  parsedQuery: z.string().optional(),
  /** Maps each value to its number of hits, most frequent first. */
  facets: z.partialRecord(facetName, z.record(z.string(), count)).optional(),
  processingTimeMS: count,
});
export type SearchResult = z.infer<typeof searchResultSchema>;

export const classSearchCalls = {
  searchAccess: {
    route: 'GET /api/search-access',
    who: 'account',
    /** Credentials for the hosted search index. The key is valid for one day. */
    reply: z.strictObject({ applicationId: z.string(), key: z.string() }),
  },
  searchClasses: {
    route: 'POST /1/indexes/*/queries',
    who: 'account',
    body: searchBody,
    reply: z.strictObject({ results: z.array(searchResultSchema) }),
  },
} as const;
