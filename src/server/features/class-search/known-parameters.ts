// Every parameter of Algolia's search call that this server does not read, and what it does with it.
import type { Parameters } from './parameters.ts';
import { QueryError } from '#server/http/query-error.ts';

/** These cannot change the hits of this index, so the server ignores them. */
const harmless: ReadonlySet<string> = new Set([
  // Statistics. This server keeps none.
  ...['analytics', 'analyticsTags', 'clickAnalytics', 'enableABTest', 'percentileComputation'],
  ...['userToken', 'getRankingInfo'],
  // Features that need a configuration, which this index does not have.
  ...['enablePersonalization', 'personalizationImpact', 'enableRules', 'ruleContexts'],
  ...['synonyms', 'replaceSynonymsInHighlight', 'enableReRanking', 'reRankingApplyFilter'],
  ...['distinct', 'facetingAfterDistinct', 'relevancyStrictness', 'semanticSearch'],
  // Details of other parameters that are refused.
  ...['sumOrFiltersScores', 'aroundRadius', 'aroundPrecision', 'minimumAroundRadius'],
  ...['queryLanguages', 'attributeCriteriaComputedByMinProximity'],
]);

const oneOrder = 'Remove it: hits have a fixed order';
const noPlaces = 'Remove it: classes have no location';
const wordsOnly = 'Remove it: this server searches by the words of the query';

/** These would change the hits. The server accepts only the values that describe what it does. */
const unsupported: ReadonlyMap<string, { accepted: readonly string[]; advice: string }> = new Map(
  Object.entries({
    ranking: { accepted: [], advice: oneOrder },
    optionalFilters: { accepted: [], advice: oneOrder },
    attributeCriteriaComputedBy: { accepted: ['minProximity'], advice: oneOrder },
    minProximity: { accepted: ['1'], advice: oneOrder },
    exactOnSingleWordQuery: { accepted: ['attribute'], advice: oneOrder },
    disableExactOnAttributes: { accepted: [], advice: oneOrder },
    alternativesAsExact: { accepted: [], advice: oneOrder },
    aroundLatLng: { accepted: [], advice: noPlaces },
    aroundLatLngViaIP: { accepted: ['false'], advice: noPlaces },
    insideBoundingBox: { accepted: [], advice: noPlaces },
    insidePolygon: { accepted: [], advice: noPlaces },
    similarQuery: { accepted: [], advice: 'Use query with optionalWords' },
    naturalLanguages: { accepted: [], advice: wordsOnly },
    mode: { accepted: ['keywordSearch'], advice: wordsOnly },
    extensions: { accepted: [], advice: wordsOnly },
    ignorePlurals: { accepted: ['false'], advice: wordsOnly },
    removeStopWords: { accepted: ['false'], advice: 'Use optionalWords' },
    decompoundQuery: { accepted: ['false'], advice: wordsOnly },
    allowTyposOnNumericTokens: {
      accepted: ['false'],
      advice: 'Remove it: numbers match without typos',
    },
    disableTypoToleranceOnAttributes: { accepted: [], advice: 'Use typoTolerance=false' },
    responseFields: { accepted: ['*', '["*"]'], advice: 'Remove it: responses have all fields' },
    renderingContent: { accepted: [], advice: 'Remove it: this server renders nothing' },
  }),
);

/**
 * @param read the names that the caller reads itself
 * @throws {QueryError} for a parameter that would change the result and that nothing reads
 */
export function refuseUnread(parameters: Parameters, read: ReadonlySet<string>): void {
  for (const name of parameters.names()) {
    if (read.has(name) || harmless.has(name)) continue;
    const known = unsupported.get(name);
    if (!known) {
      throw new QueryError(`Unknown parameter: ${name.slice(0, 100)}. Remove it from the request`);
    }
    const value = parameters.raw(name);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (['', '[]', 'null'].includes(text) || known.accepted.includes(text)) continue;
    throw new QueryError(`Unsupported value for "${name}" parameter. ${known.advice}`);
  }
}
