// The search call as Algolia's own clients send it.
import { algoliasearch, type SearchResponse } from 'algoliasearch';
import { liteClient } from 'algoliasearch/lite';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let ada: TestClient;
let classId: string;
beforeAll(async () => {
  ada = await app.createStudent();
  classId = await ada.createClass({ courseName: 'Data Structures' });
});

/** The host to use, and the headers that a browser adds. */
function createClientOptions(client: TestClient | null) {
  return {
    hosts: [
      { url: new URL(app.origin).host, protocol: 'http' as const, accept: 'readWrite' as const },
    ],
    baseHeaders: { origin: app.origin, ...(client && { cookie: client.cookie() }) },
  };
}

const indexName = 'classSearch';

test("Algolia's client gets hits with their fields and highlights [SEARCH-16, SEARCH-17, SEARCH-114]", async () => {
  const client = algoliasearch('backchannel', 'no-key', createClientOptions(ada));

  const { results } = await client.searchForHits({
    requests: [{ indexName, query: 'data', hitsPerPage: 5 }],
  });

  expect(results).toEqual([
    {
      index: indexName,
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
      processingTimeMS: expect.any(Number) as number,
    },
  ]);
});

test("Algolia's lite client can send its key in the URL and InstantSearch's form of a request [SEARCH-16]", async () => {
  const client = liteClient('backchannel', 'no-key', {
    ...createClientOptions(ada),
    authMode: 'WithinQueryParameters',
  });

  const { results } = await client.search<{ courseName: string }>([
    { indexName, params: { query: 'structures', highlightPreTag: '[', highlightPostTag: ']' } },
    { indexName, params: { query: 'nothing like it', hitsPerPage: 0 } },
    {
      indexName,
      params: { facets: 'classSchedule', analytics: false, clickAnalytics: false } as object,
    },
  ]);

  const [hit, miss, counts] = results as SearchResponse[];
  expect(hit).toMatchObject({ nbHits: 1, hitsPerPage: 10 });
  expect(hit?.hits).toMatchObject([
    { objectID: classId, _highlightResult: { courseName: { value: 'Data [Structures]' } } },
  ]);
  expect(miss).toMatchObject({ hits: [], nbHits: 0, nbPages: 0 });
  expect(counts).toMatchObject({ facets: { classSchedule: { Monday: 1, Wednesday: 1 } } });
});

describe('a request', () => {
  const createClient = () => algoliasearch('backchannel', 'no-key', createClientOptions(ada));
  const invalid = 'This value is not valid.';
  const unknown = 'This request has an unknown field.';

  test.each<[object, string]>([
    [{ indexName: 'products' }, `${invalid} (requests.0.indexName)`],
    [{ query: 7 }, `${invalid} (requests.0.query)`],
    [{ page: 'two' }, `${invalid} (requests.0.page)`],
    [{ page: -1 }, `${invalid} (requests.0.page)`],
    [{ hitsPerPage: 101 }, `${invalid} (requests.0.hitsPerPage)`],
    [{ facets: ['*'] }, `${invalid} (requests.0.facets)`],
    [{ facets: ['memberCount'] }, `${invalid} (requests.0.facets)`],
    [{ maxValuesPerFacet: 1.5 }, `${invalid} (requests.0.maxValuesPerFacet)`],
    [{ highlightPreTag: 'x'.repeat(101) }, `${invalid} (requests.0.highlightPreTag)`],
    [{ params: 'query=data' }, unknown],
    [{ filters: 'semesterSeason:Fall' }, unknown],
    [{ typoTolerance: false }, unknown],
    [{ attributesToRetrieve: ['courseName'] }, unknown],
  ])(
    "%j is rejected with a message that Algolia's client shows [SEARCH-16]",
    async (request, message) => {
      const search = createClient().search({
        requests: [{ indexName, ...request }],
      });

      await expect(search).rejects.toMatchObject({ name: 'ApiError', status: 400, message });
    },
  );

  test.each(['__proto__', 'constructor', ''])(
    'the field %j is unknown [SEARCH-16]',
    async (name) => {
      const body = `{"requests":[{"indexName":"classSearch","${name}":"x"}]}`;

      const response = await ada.fetch('/1/indexes/*/queries', { method: 'POST', body });

      expect(response.status).toBe(400);
    },
  );

  test('a call has one to ten requests [SEARCH-111]', async () => {
    const search = (count: number) =>
      createClient().search({ requests: Array.from({ length: count }, () => ({ indexName })) });

    await expect(search(0)).rejects.toMatchObject({ status: 400 });
    await expect(search(11)).rejects.toMatchObject({ status: 400 });
    expect((await search(10)).results).toHaveLength(10);
  });

  test('the requests of a call have at most a hundred hits together [SEARCH-111]', async () => {
    const search = (...pages: number[]) =>
      createClient().search({ requests: pages.map((hitsPerPage) => ({ indexName, hitsPerPage })) });

    expect((await search(90, 10)).results).toHaveLength(2);
    await expect(search(90, 11)).rejects.toMatchObject({
      status: 400,
      message: 'A search can return at most 100 classes. (requests)',
    });
  });

  test('a signed-out client is told to sign in [SEARCH-16]', async () => {
    const stranger = algoliasearch('backchannel', 'no-key', createClientOptions(null));

    await expect(stranger.search({ requests: [{ indexName }] })).rejects.toMatchObject({
      name: 'ApiError',
      status: 401,
      message: 'Please sign in to continue.',
    });
  });
});

test('each request of a call counts as one search [SEARCH-111, LIMIT-24]', async () => {
  const limited = await startApp({ LIMITS: 'searches=12/1h' });
  try {
    const student = await limited.createStudent('bob');
    const search = async (count: number) => {
      const requests = Array.from({ length: count }, () => ({ indexName }));
      const init = { method: 'POST', body: JSON.stringify({ requests }) };
      return (await student.fetch('/1/indexes/*/queries', init)).status;
    };

    expect(await search(10)).toBe(200);
    expect(await search(3)).toBe(429);
    expect(await search(2)).toBe(200);
  } finally {
    await limited.stop();
  }
});
