// The search call and the records of a hosted index. The formats are Algolia's, so that Algolia's clients
// work with this server.
import { z } from 'zod';
import { searchFacets, searchIndexName } from './class-fields.ts';
import { classSchema, randomId } from './entities.ts';

/** Searches do not find ended classes, so hits need no `ended` field. */
const indexedClass = classSchema.omit({ classId: true, ended: true });

/** The fields that a hosted index receives: what signed-in accounts see of a class that has not ended. */
export const classRecordSchema = indexedClass.extend({ objectID: randomId });
export type ClassRecord = z.infer<typeof classRecordSchema>;

/** A field of a hit, with tags around the matched parts. */
const highlightSchema = z.strictObject({
  value: z.string(),
  matchLevel: z.enum(['none', 'partial', 'full']),
  /** The matched words of the query, in query order. */
  matchedWords: z.array(z.string()),
  fullyHighlighted: z.boolean().optional(),
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

/** The part of a field around the matches, with tags around them. */
const snippetSchema = highlightSchema.pick({ value: true, matchLevel: true });
export type Snippet = z.infer<typeof snippetSchema>;

const snippetsSchema = z
  .strictObject({
    courseName: snippetSchema,
    name: snippetSchema,
    subjectAbbreviation: snippetSchema,
    courseNumber: snippetSchema,
    sectionNumber: snippetSchema,
    semesterSeason: snippetSchema,
    classSchedule: z.array(snippetSchema),
  })
  .partial();

/** A class as a record of the index. The request can omit every field but the id. */
const searchRecord = z.strictObject(indexedClass.shape).partial().extend({ objectID: randomId });

const hitSchema = searchRecord.extend({
  _highlightResult: highlightsSchema.optional(),
  _snippetResult: snippetsSchema.optional(),
});
type Hit = z.infer<typeof hitSchema>;
type Marks = '_highlightResult' | '_snippetResult';
/** The hit for a request that omits no field. */
export type SearchHit = Required<Omit<Hit, Marks>> & Pick<Hit, Marks>;

const count = z.int().min(0);
export const hitsResult = z.strictObject({
  index: z.string(),
  hits: z.array(hitSchema),
  nbHits: count,
  /** The page, or for a request with an offset, the offset and the length. */
  page: count.optional(),
  nbPages: count.optional(),
  hitsPerPage: count.optional(),
  offset: count.optional(),
  length: count.optional(),
  query: z.string(),
  /** The query that the hits match, if no class matches `query`. */
  parsedQuery: z.string().optional(),
  /** All parameters of the request, as a query string. */
  params: z.string(),
  exhaustiveNbHits: z.boolean(),
  exhaustiveTypo: z.boolean(),
  exhaustiveFacetsCount: z.boolean().optional(),
  exhaustive: z.strictObject({
    nbHits: z.boolean(),
    typo: z.boolean(),
    facetsCount: z.boolean().optional(),
  }),
  /** Maps each value to its number of hits, most frequent first. */
  facets: z.partialRecord(z.enum(searchFacets), z.record(z.string(), count)).optional(),
  processingTimeMS: count,
});

/** The result of a request of type `facet`, which asks for the values of a facet. */
const facetResult = z.strictObject({
  index: z.string(),
  facetHits: z.array(z.strictObject({ value: z.string(), highlighted: z.string(), count })),
  exhaustiveFacetsCount: z.boolean(),
  processingTimeMS: count,
});

const searchReply = z.strictObject({ results: z.array(z.union([hitsResult, facetResult])) });
export type SearchResult = z.infer<typeof hitsResult>;

/** One request with flat parameters. `params` can hold the same parameters as a query string. */
export interface SearchRequest {
  indexName: string;
  query?: string;
  page?: number;
  hitsPerPage?: number;
  params?: string;
  [parameter: string]: unknown;
}

/** The server's Algolia parser validates these requests, because errors must have Algolia's format. */
const searchRequests = z.custom<{ requests: SearchRequest[] }>();
const searchParameters = z.custom<Readonly<Record<string, unknown>>>();
/** The parser refuses the other names and ids, for the same reason. */
const indexName = z.union([z.literal(searchIndexName), z.string()]);

export const classSearchCalls = {
  searchAccess: {
    /** Credentials for the hosted search index. The key is valid for one day. */
    reply: z.strictObject({ applicationId: z.string(), key: z.string() }),
  },
  searchClasses: {
    body: searchRequests,
    reply: searchReply,
  },
  searchIndex: {
    params: z.strictObject({ indexName }),
    body: searchParameters,
    reply: hitsResult,
  },
  searchFacetValues: {
    params: z.strictObject({ indexName, facetName: z.union([z.enum(searchFacets), z.string()]) }),
    body: searchParameters,
    reply: facetResult,
  },
  readSearchRecord: {
    params: z.strictObject({ indexName, objectID: z.union([randomId, z.string()]) }),
    /** Clients can send their key here too. */
    query: z.looseObject({ attributesToRetrieve: z.string().optional() }),
    reply: searchRecord,
  },
} as const;
