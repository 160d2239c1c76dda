// The search call as Algolia's own clients send it and as Algolia's documentation shows it.
import { algoliasearch, type SearchResponse } from 'algoliasearch';
import { liteClient } from 'algoliasearch/lite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUpClient, type FaultClient } from '../faults/fault-client.ts';
import { newClass, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
let ada: FaultClient;
let classId: string;
beforeAll(async () => {
  app = await startApp();
  ada = await signUpClient(app.origin, 'ada');
  classId = await newClass(ada.student);
});
afterAll(() => app.stop());

/** The host to use, and the headers that a browser adds. */
function optionsFor(pupil: FaultClient) {
  return {
    hosts: [
      { url: new URL(app.origin).host, protocol: 'http' as const, accept: 'readWrite' as const },
    ],
    baseHeaders: { cookie: pupil.cookie(), origin: app.origin },
  };
}

async function ask(body: unknown, path = '/1/indexes/*/queries') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await ada.student.fetch(path, { method: 'POST', body: text });
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

  test('can be the lite client, send the key in the URL and use the older request form [SEARCH-16]', async () => {
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
  test('can send its parameters as a query string [SEARCH-16, SEARCH-37]', async () => {
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

  test('can contain unknown parameters [SEARCH-37]', async () => {
    const parameters = {
      getRankingInfo: true,
      clickAnalytics: true,
      attributesToSnippet: ['*:20'],
    };
    const body = { requests: [{ indexName: 'classSearch', query: 'data', ...parameters }] };
    const { status, reply } = await ask({ ...body, strategy: 'none' });
    expect(status).toBe(200);
    expect(reply).toMatchObject({ results: [{ nbHits: 1 }] });
  });

  test('chooses the returned fields and the highlight tags [SEARCH-39]', async () => {
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
      hitsPerPage: [101, 'expected an integer from 0 to 100'],
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
    'with %s is refused with Algolia’s error [SEARCH-37, SEARCH-38]',
    async (_, body, message) => {
      expect(await ask(body)).toEqual({ status: 400, reply: { message, status: 400 } });
    },
  );
});
