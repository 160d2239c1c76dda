/** The only search index. */
export const searchIndexName = 'classSearch';
/** The fields that searches filter and count by. Subjects count in upper case, as displayed. */
export const searchFacets = ['subjectAbbreviation', 'semesterSeason', 'classSchedule'] as const;
export type SearchFacet = (typeof searchFacets)[number];
