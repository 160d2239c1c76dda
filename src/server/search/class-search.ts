// The built-in search: every typed word must begin a word of the class.
import type { Class } from '#contract/entities.ts';
import type { Reader } from '../storage/database.ts';
import { listClassesBySize, toClass } from '../storage/queries/classes.ts';
import { wordsOf } from './words.ts';

export interface SearchPage {
  classes: Class[];
  /** Of all pages together. */
  total: number;
}

/** Page 0 is the first; an empty query finds every class, those with most members first. */
export async function searchClasses(
  db: Reader,
  query: string,
  page: number,
  size: number,
): Promise<SearchPage> {
  const wanted = wordsOf(query);
  const all = (await listClassesBySize(db)).map(toClass);
  const found = all.filter((one) => {
    const has = wordsOf(searchText(one));
    return wanted.every((word) => has.some((candidate) => candidate.text.startsWith(word.text)));
  });
  const start = page * size;
  return { classes: found.slice(start, start + size), total: found.length };
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
