import type { IndexSettings } from 'algoliasearch';
import { searchFacets } from '#contract/search-index.ts';

/** How the hosted index searches: codes before names, exact before mistyped, big classes first among equals. */
export const indexSettings: IndexSettings = {
  searchableAttributes: [
    'unordered(subjectAbbreviation),unordered(courseNumber)',
    'unordered(courseName),unordered(name)',
    'unordered(sectionNumber)',
    'unordered(classSchedule),unordered(semesterSeason)',
  ],
  attributesForFaceting: [...searchFacets],
  customRanking: ['desc(memberCount)'],
  attributesToHighlight: [
    'courseName',
    'name',
    'subjectAbbreviation',
    'courseNumber',
    'sectionNumber',
  ],
  // 146 is not a mistyped 147.
  allowTyposOnNumericTokens: false,
  disableTypoToleranceOnAttributes: ['courseNumber', 'sectionNumber'],
  hitsPerPage: 10,
};
