// The search call as Algolia's own clients send it and as Algolia's documentation shows it.
import { algoliasearch, type SearchResponse } from 'algoliasearch';
import { liteClient } from 'algoliasearch/lite';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
let classId: string;
beforeAll(async () => {
  ada = await app.newStudent();
  classId = await ada.createClass({ courseName: 'Data Structures' });
});

/** The host to use, and the headers that a browser adds. */
function optionsFor(client: TestClient) {
  return {
    hosts: [
      { url: new URL(app.origin).host, protocol: 'http' as const, accept: 'readWrite' as const },
    ],
    baseHeaders: { cookie: client.cookie(), origin: app.origin },
  };
}

async function ask(body: unknown, path = '/1/indexes/*/queries') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await ada.fetch(path, { method: 'POST', body: text });
  return { status: response.status, reply: (await response.json()) as Record<string, unknown> };
}

describe("Algolia's own clients", () => {
  test('get a response of the documented shape [SEARCH-16, SEARCH-17]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const { results } = await client.searchForHits({
      requests: [{ indexName: 'classSearch', query: 'data', hitsPerPage: 5 }],
    });
    expect(results).toEqual([
      {
        index: 'classSearch',
        hits: [
          {
            objectID: classId,
            name: null,
            courseName: 'Data Structures',
            subjectAbbreviation: 'cs',
            courseNumber: '146',
            sectionNumber: '02',
            semesterSeason: 'Fall',
            classSchedule: ['Monday', 'Wednesday'],
            beginClassTime: '09:00',
            endClassTime: '10:15',
            memberCount: 1,
            _highlightResult: {
              courseName: {
                value: '<em>Data</em> Structures',
                matchLevel: 'full',
                fullyHighlighted: false,
                matchedWords: ['data'],
              },
              subjectAbbreviation: { value: 'cs', matchLevel: 'none', matchedWords: [] },
              courseNumber: { value: '146', matchLevel: 'none', matchedWords: [] },
              sectionNumber: { value: '02', matchLevel: 'none', matchedWords: [] },
              semesterSeason: { value: 'Fall', matchLevel: 'none', matchedWords: [] },
              classSchedule: [
                { value: 'Monday', matchLevel: 'none', matchedWords: [] },
                { value: 'Wednesday', matchLevel: 'none', matchedWords: [] },
              ],
            },
          },
        ],
        nbHits: 1,
        page: 0,
        nbPages: 1,
        hitsPerPage: 5,
        query: 'data',
        params: 'query=data&hitsPerPage=5',
        exhaustiveNbHits: true,
        exhaustiveTypo: true,
        exhaustive: { nbHits: true, typo: true },
        processingTimeMS: expect.any(Number) as number,
      },
    ]);
  });

  test("Algolia's own clients can be the lite client, send the key in the URL and use the older request form [SEARCH-16]", async () => {
    const client = liteClient('backchannel', 'no-key', {
      ...optionsFor(ada),
      authMode: 'WithinQueryParameters',
    });
    const { results } = await client.search<{ courseName: string }>([
      { indexName: 'classSearch', params: { query: 'structures' } },
      { indexName: 'classSearch', params: { query: 'nothing like it' } },
    ]);
    const [found, none] = results as SearchResponse[];
    expect(found).toMatchObject({ hits: [{ objectID: classId }], nbHits: 1, hitsPerPage: 10 });
    expect(none).toMatchObject({ hits: [], nbHits: 0, nbPages: 0 });
  });

  test('search one index, facet values and one record [SEARCH-72]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const search = { indexName: 'classSearch' };
    const one = await client.searchSingleIndex({ ...search, searchParams: { query: 'data' } });
    expect(one).toMatchObject({ hits: [{ objectID: classId }], nbHits: 1, hitsPerPage: 10 });
    expect(await client.searchSingleIndex(search)).toMatchObject({ nbHits: 1, query: '' });

    const days = await client.searchForFacetValues({
      ...search,
      facetName: 'classSchedule',
      searchForFacetValuesRequest: { facetQuery: 'mon', params: 'filters=semesterSeason:Fall' },
    });
    expect(days).toEqual({
      index: 'classSearch',
      facetHits: [{ value: 'Monday', highlighted: '<em>Mon</em>day', count: 1 }],
      exhaustiveFacetsCount: true,
      processingTimeMS: expect.any(Number) as number,
    });

    const record = await client.getObject({ ...search, objectID: classId });
    expect(record).toEqual({
      objectID: classId,
      name: null,
      courseName: 'Data Structures',
      subjectAbbreviation: 'cs',
      courseNumber: '146',
      sectionNumber: '02',
      semesterSeason: 'Fall',
      classSchedule: ['Monday', 'Wednesday'],
      beginClassTime: '09:00',
      endClassTime: '10:15',
      memberCount: 1,
    });
    const attributesToRetrieve = ['courseName', 'memberCount', 'toString'];
    expect(await client.getObject({ ...search, objectID: classId, attributesToRetrieve })).toEqual({
      objectID: classId,
      courseName: 'Data Structures',
      memberCount: 1,
    });
    const withKey = algoliasearch('backchannel', 'no-key', {
      ...optionsFor(ada),
      authMode: 'WithinQueryParameters',
    });
    expect(await withKey.getObject({ ...search, objectID: classId })).toEqual(record);
  });

  test('get the same errors from every call [SEARCH-38, SEARCH-71, SEARCH-72]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const search = { indexName: 'classSearch' };
    const noIndex = { status: 404, message: 'Index products does not exist' };
    const products = { indexName: 'products' };
    await expect(client.searchSingleIndex(products)).rejects.toMatchObject(noIndex);
    await expect(
      client.searchForFacetValues({ ...products, facetName: 'classSchedule' }),
    ).rejects.toMatchObject(noIndex);
    await expect(client.getObject({ ...products, objectID: classId })).rejects.toMatchObject(
      noIndex,
    );
    for (const objectID of ['none', 'AAAAAAAAAAAAAAAA', '__proto__', 'ü/%00', 'x'.repeat(2000)]) {
      await expect(client.getObject({ ...search, objectID })).rejects.toMatchObject({
        status: 404,
        message: 'ObjectID does not exist',
      });
    }
    for (const facetName of ['memberCount', 'constructor', '__proto__']) {
      await expect(client.searchForFacetValues({ ...search, facetName })).rejects.toMatchObject({
        status: 400,
        message: `Cannot search in "${facetName}": it is not one of the attributes for faceting`,
      });
    }
    const searchParams = { nosuch: 1 } as object;
    await expect(client.searchSingleIndex({ ...search, searchParams })).rejects.toMatchObject({
      status: 400,
      message: 'Unknown parameter: nosuch. Remove it from the request',
    });
    const query = await ada.fetch(`/1/indexes/classSearch/${classId}?fields=courseName`);
    expect([query.status, await query.json()]).toEqual([
      400,
      { message: 'Unknown parameter: fields. Remove it from the request', status: 400 },
    ]);
    expect(await ask([], '/1/indexes/classSearch/query')).toEqual({
      status: 400,
      reply: { message: 'Expected an object with the search parameters', status: 400 },
    });
  });

  test('read hits by offset and length [SEARCH-70]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const find = (searchParams: object) =>
      client.searchSingleIndex({ indexName: 'classSearch', searchParams });
    const found = await find({ offset: 0, length: 3, page: 7 });
    expect(found).toMatchObject({ offset: 0, length: 3, nbHits: 1, hits: [{ objectID: classId }] });
    for (const name of ['page', 'nbPages', 'hitsPerPage']) expect(found).not.toHaveProperty(name);
    expect(await find({ offset: 1 })).toMatchObject({ offset: 1, length: 10, hits: [] });
    expect(await find({ length: 3 })).toMatchObject({ page: 0, hitsPerPage: 10, nbPages: 1 });
    expect(await find({ offset: 1_000_000, length: 1000 })).toMatchObject({ hits: [] });
  });

  test('get snippets [SEARCH-77]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const { hits } = await client.searchSingleIndex({
      indexName: 'classSearch',
      searchParams: {
        ...{ query: 'structures monday', attributesToHighlight: [], attributesToRetrieve: [] },
        attributesToSnippet: ['courseName:1', 'classSchedule', 'beginClassTime', 'name'],
        ...{ snippetEllipsisText: ' [...] ', restrictHighlightAndSnippetArrays: true },
      },
    });
    expect(hits).toEqual([
      {
        objectID: classId,
        _snippetResult: {
          courseName: { value: ' [...] <em>Structures</em>', matchLevel: 'partial' },
          classSchedule: [{ value: '<em>Monday</em>', matchLevel: 'partial' }],
        },
      },
    ]);
  });

  test('show the error message of the response [SEARCH-16, SEARCH-38]', async () => {
    const client = algoliasearch('backchannel', 'no-key', optionsFor(ada));
    const search = (request: object) =>
      client.search({ requests: [{ indexName: 'classSearch', ...request }] });
    await expect(search({ indexName: 'products' })).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      message: 'Index products does not exist',
    });
    await expect(search({ page: 'two' })).rejects.toMatchObject({
      name: 'ApiError',
      status: 400,
      message: 'Invalid value for "page" parameter, expected an integer',
    });
    const stranger = algoliasearch('backchannel', 'no-key', {
      ...optionsFor(ada),
      baseHeaders: { origin: app.origin },
    });
    const signedOut = stranger.search({ requests: [{ indexName: 'classSearch' }] });
    await expect(signedOut).rejects.toMatchObject({
      name: 'ApiError',
      status: 401,
      message: 'Please sign in to continue.',
    });
  });
});

describe('a search request', () => {
  test('a search request can send its parameters as a query string [SEARCH-16, SEARCH-70]', async () => {
    const params =
      'query=data%20str&hitsPerPage=3&page=0&attributesToRetrieve=%5B%22courseName%22%5D';
    const { status, reply } = await ask({ requests: [{ indexName: 'classSearch', params }] });
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      results: [
        { query: 'data str', nbHits: 1, hitsPerPage: 3, params: params.replace('%20', '+') },
      ],
    });
    const [{ hits }] = reply['results'] as [{ hits: [object] }];
    expect(Object.keys(hits[0]).toSorted()).toEqual(['_highlightResult', 'courseName', 'objectID']);
  });

  test('a search request can contain parameters that cannot change its hits [SEARCH-71]', async () => {
    const parameters = {
      ...{ analytics: true, clickAnalytics: true, userToken: 'me', analyticsTags: ['web'] },
      ...{ getRankingInfo: true, enablePersonalization: false, distinct: 2, synonyms: false },
      // These describe what this server does.
      ...{ optionalFilters: [], mode: 'keywordSearch', ignorePlurals: false, optionalWords: null },
    };
    const body = { requests: [{ indexName: 'classSearch', query: 'data', ...parameters }] };
    const { status, reply } = await ask({ ...body, strategy: 'none' });
    expect(status).toBe(200);
    expect(reply).toMatchObject({ results: [{ nbHits: 1 }] });
  });

  test('a search request chooses the returned fields and the highlight tags [SEARCH-39]', async () => {
    const hitOf = async (parameters: object) => {
      const body = { requests: [{ indexName: 'classSearch', query: 'struct', ...parameters }] };
      const { reply } = await ask(body);
      return (reply['results'] as [{ hits: [Record<string, unknown>] }])[0].hits[0];
    };
    const marks = { highlightPreTag: '__ais-highlight__', highlightPostTag: '__/ais-highlight__' };
    expect(
      await hitOf({
        attributesToRetrieve: ['memberCount'],
        attributesToHighlight: ['courseName', 'beginClassTime'],
        ...marks,
      }),
    ).toEqual({
      objectID: classId,
      memberCount: 1,
      _highlightResult: {
        courseName: {
          value: 'Data __ais-highlight__Struct__/ais-highlight__ures',
          matchLevel: 'full',
          fullyHighlighted: false,
          matchedWords: ['struct'],
        },
      },
    });
    expect(await hitOf({ attributesToRetrieve: [], attributesToHighlight: [] })).toEqual({
      objectID: classId,
    });
    const without = await hitOf({ attributesToRetrieve: ['*', '-memberCount'] });
    expect(without).toHaveProperty('courseName');
    expect(without).not.toHaveProperty('memberCount');
  });

  const wrong: [string, unknown, string][] = [
    ['no list of requests', {}, 'Invalid value for "requests", expected a list of queries'],
    ['an empty list', { requests: [] }, 'Invalid value for "requests", expected a list of queries'],
    [
      'eleven requests',
      { requests: Array.from({ length: 11 }, () => ({})) },
      'Too many requests, expected at most 10',
    ],
    ['a number for a request', { requests: [7] }, 'Each of "requests" must be an object'],
    ['no index', { requests: [{}] }, 'Invalid value for "indexName" parameter, expected a string'],
    ...Object.entries<[unknown, string]>({
      query: [7, 'expected a string'],
      page: [-1, 'expected an integer from 0 to 1000000'],
      hitsPerPage: [1001, 'expected an integer from 0 to 1000'],
      offset: [-1, 'expected an integer from 0 to 1000000'],
      length: [1e300, 'expected an integer from 0 to 1000'],
      filters: [['a:b'], 'expected a string'],
      numericFilters: [
        ['memberCount > many'],
        'expected "attribute > number", "attribute:low TO high" or lists of it',
      ],
      tagFilters: [[[['a']]], 'expected "tag" or lists of it'],
      typoTolerance: ['strict', 'expected true, false, min'],
      minWordSizefor1Typo: [3, 'expected an integer from 4 to 512'],
      minWordSizefor2Typos: ['8', 'expected an integer'],
      queryType: [true, 'expected prefixLast, prefixAll, prefixNone'],
      advancedSyntax: ['yes', 'expected true, false'],
      advancedSyntaxFeatures: [['x'], 'expected a list of exactPhrase, excludeWords'],
      optionalWords: [{ a: 1 }, 'expected a list of strings'],
      removeWordsIfNoResults: ['all', 'expected none, lastWords, firstWords, allOptional'],
      sortFacetValuesBy: ['name', 'expected count, alpha'],
      restrictSearchableAttributes: [['constructor'], '"constructor" is not searchable'],
      attributesToSnippet: [['courseName:0'], 'expected "attribute:words", 1 to 1000 words'],
      snippetEllipsisText: [null, 'expected a string'],
      restrictHighlightAndSnippetArrays: [1, 'expected true, false'],
      type: ['hits', 'expected default, facet'],
      attributesToRetrieve: [7, 'expected a list of strings'],
      attributesToHighlight: [[7], 'expected a list of strings'],
      highlightPreTag: ['x'.repeat(101), 'expected a string of at most 100 characters'],
      facets: [{}, 'expected a list of strings'],
      maxValuesPerFacet: [1.5, 'expected an integer'],
      facetFilters: [['x'], 'expected "facet:value" or lists of it'],
      params: [7, 'expected a string'],
    }).map(([name, [value, message]]): [string, unknown, string] => [
      `a wrong ${name}`,
      { requests: [{ indexName: 'classSearch', [name]: value }] },
      `Invalid value for "${name}" parameter, ${message}`,
    ]),
    [
      'a page in letters',
      { requests: [{ indexName: 'classSearch', params: 'page=two' }] },
      'Invalid value for "page" parameter, expected an integer',
    ],
    ...['nosuch', '__proto__', 'constructor', 'facetQuery', ''].map(
      (name): [string, unknown, string] => [
        `the unknown parameter "${name}"`,
        JSON.parse(`{"requests":[{"indexName":"classSearch","${name}":"x"}]}`),
        `Unknown parameter: ${name}. Remove it from the request`,
      ],
    ),
    ...Object.entries<[unknown, string]>({
      ranking: [['desc(memberCount)'], 'Remove it: hits have a fixed order'],
      optionalFilters: [['classSchedule:Monday'], 'Remove it: hits have a fixed order'],
      aroundLatLng: ['1,2', 'Remove it: classes have no location'],
      similarQuery: ['data', 'Use query with optionalWords'],
      ignorePlurals: [true, 'Remove it: this server searches by the words of the query'],
      allowTyposOnNumericTokens: [true, 'Remove it: numbers match without typos'],
      responseFields: [['hits'], 'Remove it: responses have all fields'],
    }).map(([name, [value, advice]]): [string, unknown, string] => [
      `${name}, which does not work here`,
      { requests: [{ indexName: 'classSearch', [name]: value }] },
      `Unsupported value for "${name}" parameter. ${advice}`,
    ]),
    [
      'an unknown parameter in the query string',
      { requests: [{ indexName: 'classSearch', params: 'query=a&hitPerPage=5' }] },
      'Unknown parameter: hitPerPage. Remove it from the request',
    ],
    [
      'an unknown field next to the requests',
      { requests: [{ indexName: 'classSearch' }], memberId: 'me' },
      'Unknown parameter: memberId. Remove it from the request',
    ],
    [
      'a strategy that skips requests',
      { requests: [{ indexName: 'classSearch' }], strategy: 'stopIfEnoughMatches' },
      'Unsupported value for "strategy" parameter. Remove it: all queries run',
    ],
    [
      'more than a thousand hits together',
      { requests: [1000, 1].map((hitsPerPage) => ({ indexName: 'classSearch', hitsPerPage })) },
      'Too many hits, expected at most 1000 for all requests together',
    ],
    [
      'more work than twenty searches',
      {
        requests: Array.from({ length: 10 }, () => ({
          indexName: 'classSearch',
          facetFilters: Array.from({ length: 20 }, (_, i) => `subjectAbbreviation:${i}`),
        })),
      },
      'Too much work for one call. Use several calls, fewer hits, filters or optional words',
    ],
    [
      'more than a hundred conditions',
      {
        requests: [
          {
            indexName: 'classSearch',
            filters: 'NOT a:b',
            facetFilters: [Array.from({ length: 100 }, (_, i) => `subjectAbbreviation:${i}`)],
          },
        ],
      },
      'Too many filters, expected at most 100 conditions',
    ],
    [
      'more than sixteen excluded words',
      {
        requests: [{ indexName: 'classSearch', query: '-a '.repeat(17), advancedSyntax: true }],
      },
      'Invalid value for "query" parameter, expected at most 16 words in quotes and after a minus',
    ],
    [
      'a filter without an end',
      { requests: [{ indexName: 'classSearch', filters: 'semesterSeason:' }] },
      'filters: Unexpected end of filter',
    ],
    [
      'a filter of brackets alone',
      { requests: [{ indexName: 'classSearch', filters: '('.repeat(4000) }] },
      'filters: Unexpected token at col 22',
    ],
  ];
  test.each(wrong)(
    'with %s is refused with Algolia’s error [SEARCH-38, SEARCH-70, SEARCH-71, SEARCH-73, SEARCH-79]',
    async (_, body, message) => {
      expect(await ask(body)).toEqual({ status: 400, reply: { message, status: 400 } });
    },
  );
});

test('a search call counts as more searches if it has more work [SEARCH-72, SEARCH-79, LIMIT-8]', async () => {
  const limited = await startApp({ LIMIT_SEARCHES: '12/1h' });
  try {
    const student = await limited.newStudent('bob');
    const statusOf = async (path: string, body?: object) => {
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      return (await student.fetch(`/1/indexes/classSearch/${path}`, init)).status;
    };
    expect(await statusOf('query', { hitsPerPage: 1000 })).toBe(200);
    expect(await statusOf('query', { hitsPerPage: 201 })).toBe(429);
    expect(await statusOf('facets/classSchedule/query', { hitsPerPage: 1000 })).toBe(200);
    expect(await statusOf('AAAAAAAAAAAAAAAA')).toBe(404);
    expect(await statusOf('AAAAAAAAAAAAAAAA')).toBe(429);
  } finally {
    await limited.stop();
  }
});
