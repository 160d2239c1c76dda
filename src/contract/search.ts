// The search call, in the formats that Algolia documents for its own API, so that Algolia's clients
// work with this server.
import { z } from 'zod';
import { classSchema, randomId } from './entities.ts';
import { searchFacets } from './search-index.ts';

/** Searches do not find ended classes, so hits need no `ended` field. */
const fields = classSchema.omit({ classId: true, ended: true }).shape;

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

/** A class that the search found. The request can omit every field but the id. */
const hitSchema = z
  .strictObject({ ...fields, _highlightResult: highlightsSchema })
  .partial()
  .extend({ objectID: randomId });
type Hit = z.infer<typeof hitSchema>;
/** The hit for a request that omits no field. */
export type SearchHit = Required<Omit<Hit, '_highlightResult'>> & Pick<Hit, '_highlightResult'>;

const count = z.int().min(0);
const hitsResult = z.strictObject({
  index: z.string(),
  hits: z.array(hitSchema),
  nbHits: count,
  page: count,
  nbPages: count,
  hitsPerPage: count,
  query: z.string(),
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

export const searchReply = z.strictObject({ results: z.array(z.union([hitsResult, facetResult])) });
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
