// The search call in the shapes that Algolia documents for its own, so that its clients can ask us.
import { z } from 'zod';
import { classSchema, randomId } from './entities.ts';
import { searchFacets } from './search-index.ts';

/** What has ended is not found: no hit needs to say so. */
const fields = classSchema.omit({ classId: true, ended: true }).shape;

/** A text of a hit with tags around what the query found in it. */
const highlightSchema = z.strictObject({
  value: z.string(),
  matchLevel: z.enum(['none', 'partial', 'full']),
  /** Of the query, in its order. */
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

/** A class as it was found; a call may leave out any field but the id. */
const hitSchema = z
  .strictObject({ ...fields, _highlightResult: highlightsSchema })
  .partial()
  .extend({ objectID: randomId });
type Hit = z.infer<typeof hitSchema>;
/** What a call that leaves out nothing is answered. */
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
  /** All that the request asked for, as a query string. */
  params: z.string(),
  exhaustiveNbHits: z.boolean(),
  exhaustiveTypo: z.boolean(),
  exhaustiveFacetsCount: z.boolean().optional(),
  exhaustive: z.strictObject({
    nbHits: z.boolean(),
    typo: z.boolean(),
    facetsCount: z.boolean().optional(),
  }),
  /** From value to the number of hits, the most frequent first. */
  facets: z.partialRecord(z.enum(searchFacets), z.record(z.string(), count)).optional(),
  processingTimeMS: count,
});

/** To a request of the type `facet`, which asks for the values themselves. */
const facetResult = z.strictObject({
  index: z.string(),
  facetHits: z.array(z.strictObject({ value: z.string(), highlighted: z.string(), count })),
  exhaustiveFacetsCount: z.boolean(),
  processingTimeMS: count,
});

export const searchReply = z.strictObject({ results: z.array(z.union([hitsResult, facetResult])) });
export type SearchResult = z.infer<typeof hitsResult>;

/** One request as its parameters lie flat; in `params` the same can come as a query string. */
export interface SearchRequest {
  indexName: string;
  query?: string;
  page?: number;
  hitsPerPage?: number;
  params?: string;
  [parameter: string]: unknown;
}
