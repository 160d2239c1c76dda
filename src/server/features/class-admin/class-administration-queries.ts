// The lists of classes and terms for operators.
import { sql, type SelectQueryBuilder, type Selectable } from 'kysely';
import type { ClassListQuery, ClassSort } from '#contract/class-admin.ts';
import { semesterSeasons, type SemesterSeason } from '#contract/class-fields.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { enqueueClass } from '#server/chat/classes/search-index-queue-queries.ts';

type ClassRow = Selectable<Tables['classes']>;

const text = (column: string) => sql<string>`coalesce(${sql.ref(column)}, '')`;
const lower = (column: string) => sql<string>`lower(${text(column)})`;

/** Digits of course numbers compare as numbers, at least those of the same length. */
const label = [
  lower('subjectAbbreviation'),
  sql<number>`length(${text('courseNumber')})`,
  lower('courseNumber'),
  sql<number>`length(${text('sectionNumber')})`,
  lower('sectionNumber'),
];
const season = sql<number>`case "semesterSeason" ${sql.join(
  semesterSeasons.map((one, index) => sql`when ${sql.lit(one)} then ${sql.lit(index)}`),
  sql` `,
)} else -1 end`;

const sorts = {
  label,
  name: [lower('courseName'), ...label],
  term: [sql<number>`coalesce(year, 0)`, season, ...label],
  members: [sql.ref<number>('memberCount'), ...label],
} satisfies Record<ClassSort, unknown>;

const searched = sql<string>`${text('subjectAbbreviation')} || ' ' || ${text('courseNumber')} || ' ' ||
  ${text('sectionNumber')} || ' ' || ${text('courseName')} || ' ' || ${text('name')}`;

type Rows<Output> = SelectQueryBuilder<Tables, 'classes', Output>;

/** @param after deleted classes appear only if they were deleted after this day */
function select<Output>(
  rows: Rows<Output>,
  { query = '', status, season: of, year }: ClassListQuery,
  after: number,
): Rows<Output> {
  let found = rows.where((where) =>
    where.or([where('status', '!=', 'deleted'), where('deletedDay', '>', after)]),
  );
  if (status) found = found.where('status', '=', status === 'ended' ? 'archived' : status);
  if (of) found = found.where('semesterSeason', '=', of);
  if (year !== undefined) found = found.where('year', '=', year);
  for (const word of query.split(/\s+/).filter(Boolean).slice(0, 10)) {
    found = found.where((where) =>
      where.or([
        where('classId', '=', word),
        // SQLite changes the case of ASCII letters only: other letters are found as they were typed.
        sql<boolean>`lower(${searched}) like ${toPattern(word.toLowerCase())} escape '!'`,
        sql<boolean>`${searched} like ${toPattern(word)} escape '!'`,
      ]),
    );
  }
  return found;
}

const toPattern = (word: string) => `%${word.replaceAll(/[!%_]/g, '!$&')}%`;

export async function listClassPage(
  db: Database,
  query: ClassListQuery,
  after: number,
  pageSize: number,
): Promise<{ rows: ClassRow[]; total: number }> {
  let page = select(db.selectFrom('classes').selectAll(), query, after);
  const direction = query.order === 'ascending' ? 'asc' : 'desc';
  for (const by of sorts[query.sort]) page = page.orderBy(by, direction);
  const rows = await page
    .orderBy('classId')
    .limit(pageSize)
    .offset(query.page * pageSize)
    .execute();
  const counted = await select(
    db.selectFrom('classes').select(({ fn }) => fn.countAll<number | string>().as('total')),
    query,
    after,
  ).executeTakeFirstOrThrow();
  return { rows, total: Number(counted.total) };
}

export interface TermRow {
  semesterSeason: SemesterSeason;
  year: number;
  activeTotal: number;
}

/** The terms with active classes, newest first. */
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
      const known = semesterSeasons.find((one) => one === semesterSeason);
      return known && year !== null
        ? [{ semesterSeason: known, year, activeTotal: Number(activeTotal) }]
        : [];
    })
    .toSorted(
      (one, other) =>
        other.year - one.year ||
        semesterSeasons.indexOf(other.semesterSeason) - semesterSeasons.indexOf(one.semesterSeason),
    );
}

/** Active classes of the term, in the order of their random ids. */
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

/** The ids of the classes that are not deleted and have this code and term. */
export async function listSameClasses(
  db: Database,
  of: { [Name in 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber']: string } & {
    semesterSeason: string;
    year: number;
  },
): Promise<string[]> {
  let found = db
    .selectFrom('classes')
    .select('classId')
    .where('status', '!=', 'deleted')
    .where('semesterSeason', '=', of.semesterSeason)
    .where('year', '=', of.year);
  for (const name of ['subjectAbbreviation', 'courseNumber', 'sectionNumber'] as const) {
    found = found.where(sql<boolean>`lower(trim(${sql.ref(name)})) = lower(${of[name].trim()})`);
  }
  return (await found.limit(2).execute()).map(({ classId }) => classId);
}
