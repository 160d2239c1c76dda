import type { IndexSettings } from 'algoliasearch';
import { searchFacets } from '#contract/search-index.ts';

/** Ranking of the hosted index: codes before names, exact matches before typos, then the largest classes. */
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
  // 147 is not a typo of 146.
  allowTyposOnNumericTokens: false,
  disableTypoToleranceOnAttributes: ['courseNumber', 'sectionNumber'],
  hitsPerPage: 10,
};
