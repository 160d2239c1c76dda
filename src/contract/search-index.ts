/** The one index there is. */
export const searchIndexName = 'classSearch';
/** What hits can be filtered and counted by. Subjects count in upper case, as they are shown. */
export const searchFacets = ['subjectAbbreviation', 'semesterSeason', 'classSchedule'] as const;
export type SearchFacet = (typeof searchFacets)[number];
