// The built-in search: every typed word must begin a word of the class.
import type { Class } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '../storage/database.ts';
import { listClassesBySize, toClass } from '../storage/queries/classes.ts';

export interface SearchPage {
  classes: Class[];
  /** Of all pages together. */
  total: number;
}

/** Page 0 is the first; an empty query finds every class, those with most members first. */
export async function searchClasses(db: Reader, query: string, page: number): Promise<SearchPage> {
  const wanted = words(query);
  const all = (await listClassesBySize(db)).map(toClass);
  const found = all.filter((one) => {
    const has = words(searchText(one));
    return wanted.every((word) => has.some((candidate) => candidate.startsWith(word)));
  });
  const start = page * limits.searchHitsPerPage;
  return { classes: found.slice(start, start + limits.searchHitsPerPage), total: found.length };
}

function searchText(one: Class): string {
  return [
    one.courseName,
    one.name,
    one.subjectAbbreviation,
    one.courseNumber,
    one.sectionNumber,
    one.semesterSeason,
    ...(one.classSchedule ?? []),
  ].join(' ');
}

/** Lower case, without accents; letters and digits part, so that `cs146` is `cs 146`. */
function words(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/\p{L}+|\p{N}+/gu) ?? [];
}
