import {
  sql,
  type ExpressionBuilder,
  type Insertable,
  type RawBuilder,
  type Selectable,
  type UpdateObject,
} from 'kysely';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class, ClassSettings } from '#contract/entities.ts';
import type { QuietTime } from '#contract/quiet-times.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { allClasses, type Registers } from '#server/store/registers.ts';
import { enqueueClass } from './search-index-queue-queries.ts';

type ClassRow = Selectable<Tables['classes']>;
export type NewClass = Insertable<Tables['classes']>;

export async function insertClass(db: DatabaseTransaction, row: NewClass): Promise<void> {
  await db.insertInto('classes').values(row).execute();
  await enqueueClass(db, row.classId);
}

const selectClass = prepareQuery((db, $: { classId: string }) =>
  db
    .selectFrom('classes')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('status', '!=', 'deleted'),
);

/** Finds the class. @returns null if the class is missing or deleted */
export async function findClass(db: Database, classId: string): Promise<ClassRow | null> {
  return (await selectClass(db, { classId }))[0] ?? null;
}

/** The salt of a class, also of a deleted one. */
export async function findSalt(db: Database, classId: string): Promise<string | null> {
  const row = await db
    .selectFrom('classes')
    .select('salt')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row?.salt ?? null;
}

/** The last seq of each of these classes, without the deleted ones. */
export async function listHeads(
  db: Database,
  classIds: readonly string[],
): Promise<Map<string, number>> {
  if (classIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('classes')
    .select(['classId', 'seq'])
    .where('classId', 'in', classIds)
    .where('status', '!=', 'deleted')
    .execute();
  return new Map(rows.map(({ classId, seq }) => [classId, seq]));
}

/** Stands for the end of a sanction that has no end. */
const noEnd = Number.MAX_SAFE_INTEGER;

// Subqueries select the values, because for a join or `exists`, SQLite would plan the query on each run.
const selectMembership = prepareQuery((db, $: Omit<MembershipQuery, 'accountId'>) =>
  db
    .selectFrom('classes')
    .select(({ selectFrom }) => {
      const persona = selectFrom('personas')
        .where('classId', '=', $.classId)
        .where('memberId', '=', $.memberId);
      return [
        'salt',
        'seq',
        selectFrom('registers')
          .select('version')
          .where('classId', '=', $.classId)
          .where('kind', '=', sql.lit('members'))
          .as('membersVersion'),
        persona.select('anonymousName').as('anonymousName'),
        persona.select('icon').as('icon'),
        // One text, because each value would cost a subquery.
        selectFrom('classSettings')
          .select(
            sql<string>`'[' || "readOnly" || ',' || "picturesOff" || ',' || "slowModeSeconds" || ',' || "quietTimes" || ']'`.as(
              'packed',
            ),
          )
          .where('classId', '=', $.classId)
          .as('restrictions'),
        selectFrom('registers')
          .select('version')
          .where('classId', '=', sql.lit(allClasses))
          .where('kind', '=', sql.lit('staff'))
          .as('staffVersion'),
        selectFrom('personas')
          .select('anonymousName')
          .where('classId', '=', $.classId)
          .where('memberId', '=', $.staffId)
          .as('staffPersonaName'),
        selectFrom('sanctions')
          .select(sql<number | null>`max(coalesce(until, ${sql.lit(noEnd)}))`.as('until'))
          .where('classId', '=', planOnce($.classId))
          .where('memberId', '=', planOnce($.memberId))
          .where('status', '=', sql.lit('active'))
          .as('sanctionedUntil'),
      ];
    })
    .where('classId', '=', $.classId)
    .where('status', '!=', 'deleted'),
);

export interface MembershipQuery {
  accountId: string;
  classId: string;
  /** The id of the anonymous persona. */
  memberId: string;
  /** The id of the staff persona. */
  staffId: string;
}

/** The settings of a class that restrict what its members may write. */
export interface Restrictions extends Pick<
  ClassSettings,
  'readOnly' | 'picturesOff' | 'slowModeSeconds'
> {
  quietTimes: readonly QuietTime[];
}

export interface FoundMembership {
  restrictions: Restrictions;
  /** The class's salt. */
  salt: string;
  /** The class's last seq. */
  seq: number;
  /** Null if the member has no persona yet. */
  persona: { anonymousName: string; icon: string } | null;
  /** The name in the account's role of staff; null if it does not have the role. */
  staffName: string | null;
  /** The name of the account's staff persona; null until the account has spoken as staff. */
  staffPersonaName: string | null;
  /** When the last of the member's sanctions ends; null if there is none. */
  sanctionedUntil: number | null;
}

/** @returns null if the class is missing or deleted, or if the account is not a member */
export async function findMembership(
  db: Database,
  registers: Registers,
  query: MembershipQuery,
): Promise<FoundMembership | null> {
  const [row] = await selectMembership(db, query);
  if (!row) return null;
  const { accountId, classId } = query;
  const members = await registers.get(db, 'members', classId, row.membersVersion);
  if (!members.has(accountId)) return null;
  const staff = await registers.get(db, 'staff', allClasses, row.staffVersion);
  const staffRole = staff
    .get(accountId)
    ?.find((held) => held.classId === classId && held.role === 'staff');
  const { salt, seq, anonymousName, icon, sanctionedUntil, staffPersonaName } = row;
  return {
    salt,
    seq,
    restrictions: parseRestrictions(row.restrictions),
    staffName: staffRole?.staffName ?? null,
    staffPersonaName,
    sanctionedUntil,
    persona: anonymousName !== null && icon !== null ? { anonymousName, icon } : null,
  };
}

const noRestrictions = '[0,0,0,[]]';

function parseRestrictions(packed: string | null): Restrictions {
  const [readOnly, picturesOff, slowModeSeconds, quietTimes] = JSON.parse(
    packed ?? noRestrictions,
  ) as [number, number, number, QuietTime[]];
  return { readOnly: readOnly === 1, picturesOff: picturesOff === 1, slowModeSeconds, quietTimes };
}

/** The classes with these ids, without the deleted ones. */
export async function listClassesByIds(
  db: Database,
  classIds: readonly string[],
): Promise<ClassRow[]> {
  if (classIds.length === 0) return [];
  return db
    .selectFrom('classes')
    .selectAll()
    .where('classId', 'in', classIds)
    .where('status', '!=', 'deleted')
    .execute();
}

/** The next page of all searchable classes, by id. */
export async function listFindableAfter(
  db: Database,
  classId: string,
  limit: number,
): Promise<ClassRow[]> {
  return db
    .selectFrom('classes')
    .selectAll()
    .where('classId', '>', classId)
    .where('status', '=', 'active')
    .orderBy('classId')
    .limit(limit)
    .execute();
}

/** The classes with these ids that are searchable. */
export async function listFindableByIds(
  db: Database,
  classIds: readonly string[],
): Promise<ClassRow[]> {
  return db
    .selectFrom('classes')
    .selectAll()
    .where('classId', 'in', classIds)
    .where('status', '=', 'active')
    .execute();
}

/**
 * Counts who joined or left. Late joins wait for `addLateJoins`, and who leaves meanwhile is taken from them.
 *
 * @returns the updated class; null if it is deleted
 */
export async function changeMemberCount(
  db: DatabaseTransaction,
  classId: string,
  difference: number,
): Promise<ClassRow | null> {
  const operator = difference > 0 ? '>=' : '>';
  return updateMemberCount(db, classId, (eb) => {
    const isLate = eb.case().when('lateJoins', operator, 0);
    return {
      memberCount: isLate
        .then(eb.ref('memberCount'))
        .else(eb('memberCount', '+', difference))
        .end(),
      lateJoins: isLate
        .then(eb('lateJoins', '+', difference))
        .else(eb.ref('lateJoins'))
        .end(),
    };
  });
}

/** @returns the updated class; null if it is deleted */
export async function addLateJoins(
  db: DatabaseTransaction,
  classId: string,
): Promise<ClassRow | null> {
  return updateMemberCount(db, classId, (eb) => ({
    memberCount: eb('memberCount', '+', eb.fn.coalesce('lateJoins', eb.lit(0))),
    lateJoins: eb('lateJoins', '*', 0),
  }));
}

async function updateMemberCount(
  db: DatabaseTransaction,
  classId: string,
  toCounts: (
    eb: ExpressionBuilder<Tables, 'classes'>,
  ) => Pick<UpdateObject<Tables, 'classes'>, 'memberCount' | 'lateJoins'>,
): Promise<ClassRow | null> {
  const row = await db
    .updateTable('classes')
    .set(toCounts)
    .where('classId', '=', classId)
    .returningAll()
    .executeTakeFirst();
  await enqueueClass(db, classId);
  return row && row.status !== 'deleted' ? row : null;
}

/** From now on, the member count of the class grows late. */
export async function delayJoins(db: DatabaseTransaction, classId: string): Promise<void> {
  await db
    .updateTable('classes')
    .set({ lateJoins: 0 })
    .where('classId', '=', classId)
    .where('lateJoins', 'is', null)
    .execute();
}

/** The classes whose member count will grow. */
export async function listClassesWithLateJoins(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('lateJoins', '>', 0)
    .where('status', '!=', 'deleted')
    .execute();
  return rows.map(({ classId }) => classId);
}

/** Hides the class from everyone. Its rows stay until they are erased. */
export async function markDeleted(
  db: DatabaseTransaction,
  { classId, status }: Pick<ClassRow, 'classId' | 'status'>,
  deletedDay: number,
): Promise<void> {
  await db
    .updateTable('classes')
    .set({
      status: 'deleted',
      statusBefore: status === 'archived' ? 'archived' : 'active',
      deletedDay,
    })
    .where('classId', '=', classId)
    .execute();
  await enqueueClass(db, classId);
}

/** Makes the class read-only. */
export async function markEnded(
  db: DatabaseTransaction,
  classId: string,
  days: Pick<ClassRow, 'endedDay' | 'reopenableUntil'>,
): Promise<void> {
  await db
    .updateTable('classes')
    .set({ status: 'archived', ...days })
    .where('classId', '=', classId)
    .execute();
  await enqueueClass(db, classId);
}

/** @returns the updated class */
export async function markReopened(db: DatabaseTransaction, classId: string): Promise<ClassRow> {
  const row = await db
    .updateTable('classes')
    .set({ status: 'active', endedDay: null, reopenableUntil: null, mergedInto: null })
    .where('classId', '=', classId)
    .returningAll()
    .executeTakeFirstOrThrow();
  await enqueueClass(db, classId);
  return row;
}

/**
 * Finds the last day on which a class, which may be deleted, can be reopened.
 *
 * @returns null if the class is missing, has not ended, or its links are removed
 */
export async function findReopenableUntil(db: Database, classId: string): Promise<number | null> {
  const row = await db
    .selectFrom('classes')
    .select('reopenableUntil')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row?.reopenableUntil ?? null;
}

/** The classes whose last day for reopening is this day or an earlier one, deleted classes included. */
export async function listReopenableUntil(db: Database, day: number): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('reopenableUntil', '<=', day)
    .orderBy('classId')
    .execute();
  return rows.map(({ classId }) => classId);
}

/** Stores the class that replaces an ended duplicate. */
export async function setMergedInto(
  db: DatabaseTransaction,
  classId: string,
  mergedInto: string,
): Promise<void> {
  await db.updateTable('classes').set({ mergedInto }).where('classId', '=', classId).execute();
}

/** The classes that ended on or before this day, cannot be reopened and still have messages. */
export async function listClassesEndedBy(db: Database, day: number): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('status', '=', 'archived')
    .where('endedDay', '<=', day)
    .where('reopenableUntil', 'is', null)
    .orderBy('classId')
    .execute();
  return rows.map(({ classId }) => classId);
}

/** The classes of this season that were created on or before this day, have no later year and have not ended. */
export async function listClassesOfTerm(
  db: Database,
  { season, year, createdUntil }: { season: string; year: number; createdUntil: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('classes')
    .select('classId')
    .where('status', '=', 'active')
    .where('semesterSeason', '=', season)
    .where('createdDay', '<=', createdUntil)
    .where((eb) => eb.or([eb('year', 'is', null), eb('year', '<=', year)]))
    .orderBy('classId')
    .execute();
  return rows.map(({ classId }) => classId);
}

/** Records that the messages of the ended class are deleted. */
export async function clearEndedDay(
  db: DatabaseTransaction,
  classId: string,
  day: number,
): Promise<void> {
  await db
    .updateTable('classes')
    .set({ endedDay: null })
    .where('classId', '=', classId)
    .where('status', '=', 'archived')
    .where('endedDay', '<=', day)
    .execute();
}

/** Locks the class, so that no other transaction can change its log before the commit. */
export async function lockClass(db: DatabaseTransaction, classId: string): Promise<void> {
  await db
    .updateTable('classes')
    .set((set) => ({ seq: set.ref('seq') }))
    .where('classId', '=', classId)
    .execute();
}

/** Permanently removes the link from the class's personas to accounts. Afterwards, an ended class cannot be reopened. */
export async function changeSalt(
  db: DatabaseTransaction,
  classId: string,
  salt: string,
): Promise<void> {
  await db
    .updateTable('classes')
    .set({ salt, reopenableUntil: null })
    .where('classId', '=', classId)
    .execute();
  await db.updateTable('personas').set({ unlinked: 1 }).where('classId', '=', classId).execute();
}

/** Empties every class, because no one can open the registers of a lost key. */
export async function deleteAllMembers(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('registers').execute();
  await db
    .updateTable('classes')
    .set((eb) => ({ memberCount: 0, lateJoins: eb('lateJoins', '*', 0) }))
    .execute();
}

/** The fields that every signed-in account may see. */
export function toClass(row: ClassRow): Class {
  return {
    classId: row.classId,
    name: row.name,
    courseName: row.courseName,
    subjectAbbreviation: row.subjectAbbreviation,
    courseNumber: row.courseNumber,
    sectionNumber: row.sectionNumber,
    semesterSeason: row.semesterSeason,
    classSchedule: parseTextList(row.classSchedule),
    beginClassTime: row.beginClassTime,
    endClassTime: row.endClassTime,
    memberCount: row.memberCount,
    ended: row.status === 'archived',
  };
}

function parseTextList(json: string | null): string[] | null {
  if (json === null) return null;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
  } catch {
    return null;
  }
}

/** @returns the label of each class by its id, also of deleted ones; erased classes are missing */
export async function listClassLabels(
  db: Database,
  classIds: readonly string[],
): Promise<Map<string, string>> {
  if (classIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('classes')
    .select(['classId', 'name', 'courseName', 'subjectAbbreviation', 'courseNumber'])
    .where('classId', 'in', [...new Set(classIds)])
    .execute();
  return new Map(rows.map((row) => [row.classId, toClassLabel(row)]));
}

/** `cs 046` and `CS 46` have the same key, as in the index classes_code and in `toCodeKey`. */
const toKeyExpression = (code: RawBuilder<unknown>) =>
  sql<string>`ltrim(replace(replace(replace(lower(${code}), ' ', ''), '.', ''), '-', ''), '0')`;

/** Lists the ids of the classes that are not deleted and have this code and term. */
export async function listSameClasses(
  db: Database,
  fields: { [Name in 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber']: string } & {
    semesterSeason: string;
    year: number;
  },
): Promise<string[]> {
  let query = db
    .selectFrom('classes')
    .select('classId')
    .where('status', '!=', 'deleted')
    .where('semesterSeason', '=', fields.semesterSeason)
    .where('year', '=', fields.year);
  for (const name of ['subjectAbbreviation', 'courseNumber', 'sectionNumber'] as const) {
    query = query.where(
      toKeyExpression(sql.ref(name)),
      '=',
      toKeyExpression(sql`cast(${fields[name]} as text)`),
    );
  }
  return (await query.limit(2).execute()).map(({ classId }) => classId);
}
