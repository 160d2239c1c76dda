// The lists of classes and terms for operators.
import { sql, type SelectQueryBuilder, type Selectable } from 'kysely';
import type { ClassListQuery, ClassSort } from '#contract/class-admin.ts';
import { semesterSeasons, type SemesterSeason } from '#contract/class-fields.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { enqueueClass } from '#server/chat/classes/search-index-queue-queries.ts';

type ClassRow = Selectable<Tables['classes']>;

const toTextExpression = (column: string) => sql<string>`coalesce(${sql.ref(column)}, '')`;
const toLowerExpression = (column: string) => sql<string>`lower(${toTextExpression(column)})`;

/** The columns by which labels are sorted. Shorter course numbers come first, so that 9 comes before 10. */
const labelColumns = [
  toLowerExpression('subjectAbbreviation'),
  sql<number>`length(${toTextExpression('courseNumber')})`,
  toLowerExpression('courseNumber'),
  sql<number>`length(${toTextExpression('sectionNumber')})`,
  toLowerExpression('sectionNumber'),
];
const seasonIndex = sql<number>`case "semesterSeason" ${sql.join(
  semesterSeasons.map((name, index) => sql`when ${sql.lit(name)} then ${sql.lit(index)}`),
  sql` `,
)} else -1 end`;

const sortColumns = {
  label: labelColumns,
  name: [toLowerExpression('courseName'), ...labelColumns],
  term: [sql<number>`coalesce(year, 0)`, seasonIndex, ...labelColumns],
  members: [sql.ref<number>('memberCount'), ...labelColumns],
} satisfies Record<ClassSort, unknown>;

const searchedText = sql<string>`${toTextExpression('subjectAbbreviation')} || ' ' || ${toTextExpression('courseNumber')} || ' ' ||
  ${toTextExpression('sectionNumber')} || ' ' || ${toTextExpression('courseName')} || ' ' || ${toTextExpression('name')}`;

type Rows<Output> = SelectQueryBuilder<Tables, 'classes', Output>;

/** @param lastErasedDay deleted classes appear only if they were deleted after this day */
function filterClasses<Output>(
  rows: Rows<Output>,
  { query = '', status, season, year }: ClassListQuery,
  lastErasedDay: number,
): Rows<Output> {
  let selection = rows.where((builder) =>
    builder.or([builder('status', '!=', 'deleted'), builder('deletedDay', '>', lastErasedDay)]),
  );
  if (status) selection = selection.where('status', '=', status === 'ended' ? 'archived' : status);
  if (season) selection = selection.where('semesterSeason', '=', season);
  if (year !== undefined) selection = selection.where('year', '=', year);
  for (const word of query.split(/\s+/).filter(Boolean).slice(0, 10)) {
    selection = selection.where((builder) =>
      builder.or([
        builder('classId', '=', word),
        ...listSpellings(word).map(
          (spelling) => sql<boolean>`lower(${searchedText}) like ${toPattern(spelling)} escape '!'`,
        ),
      ]),
    );
  }
  return selection;
}

/**
 * The word in small letters. SQLite's `lower` changes ASCII letters only, so other letters are also looked for as a title has
 * them: large in front, or everywhere.
 */
function listSpellings(word: string): string[] {
  const small = word.toLowerCase();
  const toLarge = (letter: string) => letter.toUpperCase();
  const spellings = [
    small,
    small.replace(/^\P{ASCII}/u, toLarge),
    small.replaceAll(/\P{ASCII}/gu, toLarge),
  ];
  return [...new Set(spellings)];
}

const toPattern = (word: string) => `%${word.replaceAll(/[!%_]/g, '!$&')}%`;

export async function listClassPage(
  db: Database,
  query: ClassListQuery,
  lastErasedDay: number,
  pageSize: number,
): Promise<{ rows: ClassRow[]; total: number }> {
  let page = filterClasses(db.selectFrom('classes').selectAll(), query, lastErasedDay);
  const direction = query.order === 'ascending' ? 'asc' : 'desc';
  for (const column of sortColumns[query.sort]) page = page.orderBy(column, direction);
  const rows = await page
    .orderBy('classId')
    .limit(pageSize)
    .offset(query.page * pageSize)
    .execute();
  const totalRow = await filterClasses(
    db.selectFrom('classes').select(({ fn }) => fn.countAll<number | string>().as('total')),
    query,
    lastErasedDay,
  ).executeTakeFirstOrThrow();
  return { rows, total: Number(totalRow.total) };
}

export interface TermRow {
  semesterSeason: SemesterSeason;
  year: number;
  activeTotal: number;
}

/** Lists the terms that have active classes, newest first. */
export async function listActiveTerms(db: Database): Promise<TermRow[]> {
  const rows = await db
    .selectFrom('classes')
    .select(['semesterSeason', 'year'])
    .select(({ fn }) => fn.countAll<number | string>().as('activeTotal'))
    .where('status', '=', 'active')
    .groupBy(['semesterSeason', 'year'])
    .execute();
  return rows
    .flatMap(({ semesterSeason, year, activeTotal }) => {
      const knownSeason = semesterSeasons.find((name) => name === semesterSeason);
      return knownSeason && year !== null
        ? [{ semesterSeason: knownSeason, year, activeTotal: Number(activeTotal) }]
        : [];
    })
    .toSorted(
      (a, b) =>
        b.year - a.year ||
        semesterSeasons.indexOf(b.semesterSeason) - semesterSeasons.indexOf(a.semesterSeason),
    );
}

/** Lists active classes of the term, in the order of their random ids. */
export async function listActiveOfTerm(
  db: Database,
  { semesterSeason, year }: Pick<TermRow, 'semesterSeason' | 'year'>,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('status', '=', 'active')
    .where('semesterSeason', '=', semesterSeason)
    .where('year', '=', year)
    .orderBy('classId')
    .limit(limit)
    .execute();
  return rows.map(({ classId }) => classId);
}

/** The classes of a term that ended on the same day, and can be reopened. */
export interface ReopenableTermRow {
  semesterSeason: SemesterSeason;
  year: number;
  /** The last day on which they can be reopened, in days since 1970. */
  reopenableUntil: number;
  endedTotal: number;
}

/** Merged duplicates are not among them. The last end comes first. */
export async function listReopenableTerms(
  db: Database,
  today: number,
): Promise<ReopenableTermRow[]> {
  const rows = await db
    .selectFrom('classes')
    .select(['semesterSeason', 'year', 'reopenableUntil'])
    .select(({ fn }) => fn.countAll<number | string>().as('endedTotal'))
    .where('status', '=', 'archived')
    .where('mergedInto', 'is', null)
    .where('reopenableUntil', '>=', today)
    .groupBy(['semesterSeason', 'year', 'reopenableUntil'])
    .orderBy('reopenableUntil', 'desc')
    .execute();
  return rows.flatMap(({ semesterSeason, year, reopenableUntil, endedTotal }) => {
    const knownSeason = semesterSeasons.find((name) => name === semesterSeason);
    if (!knownSeason || year === null || reopenableUntil === null) return [];
    return [{ semesterSeason: knownSeason, year, reopenableUntil, endedTotal: Number(endedTotal) }];
  });
}

/** Lists the classes of `listReopenableTerms`, in the order of their random ids. */
export async function listReopenableOfTerm(
  db: Database,
  {
    semesterSeason,
    year,
    reopenableUntil,
  }: Pick<ReopenableTermRow, 'semesterSeason' | 'year' | 'reopenableUntil'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('status', '=', 'archived')
    .where('mergedInto', 'is', null)
    .where('semesterSeason', '=', semesterSeason)
    .where('year', '=', year)
    .where('reopenableUntil', '=', reopenableUntil)
    .orderBy('classId')
    .execute();
  return rows.map(({ classId }) => classId);
}

export type ClassFieldsRow = Pick<
  ClassRow,
  | 'courseName'
  | 'subjectAbbreviation'
  | 'courseNumber'
  | 'sectionNumber'
  | 'semesterSeason'
  | 'year'
  | 'classSchedule'
  | 'beginClassTime'
  | 'endClassTime'
>;

export async function updateClassFields(
  db: DatabaseTransaction,
  classId: string,
  fields: ClassFieldsRow,
): Promise<void> {
  await db.updateTable('classes').set(fields).where('classId', '=', classId).execute();
  await enqueueClass(db, classId);
}
