import { expect, it } from 'vitest';
import { toRequests } from './search-requests.ts';

it('counts the values of a selected filter without it, and of the others with it [SEARCH-50]', () => {
  const filters = { subjectAbbreviation: ['CS', 'cs'], classSchedule: ['Monday'] };

  const [hits, ...counts] = toRequests({ query: 'logic', filters }, 0);

  const subjects = ['subjectAbbreviation:CS', 'subjectAbbreviation:cs'];
  const days = ['classSchedule:Monday'];
  expect(hits).toMatchObject({ facets: ['semesterSeason'], facetFilters: [subjects, days] });
  expect(counts).toMatchObject([
    { hitsPerPage: 0, analytics: false, facets: ['subjectAbbreviation'], facetFilters: [days] },
    { hitsPerPage: 0, analytics: false, facets: ['classSchedule'], facetFilters: [subjects] },
  ]);
});

it('does not let a value that begins with a minus exclude classes [SEARCH-50]', () => {
  const filters = { subjectAbbreviation: ['-X'] };

  const [hits] = toRequests({ query: '', filters }, 0);

  expect(hits?.facetFilters).toEqual([['subjectAbbreviation:\\-X']]);
});

it('asks for no counts with a further page [SEARCH-63]', () => {
  const [hits, ...counts] = toRequests(
    { query: 'logic', filters: { semesterSeason: ['Fall'] } },
    1,
  );

  expect(counts).toEqual([]);
  expect(hits).toMatchObject({ page: 1, facetFilters: [['semesterSeason:Fall']] });
  expect(hits).not.toHaveProperty('facets');
});
