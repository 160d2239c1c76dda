import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type PlannedClass = Selectable<Tables['classes']> &
  Pick<Selectable<Tables['classSettings']>, 'lectureZone' | 'lectureStartedAt'>;

/** The time zone of the hours at which lectures start. Null: staff start them. */
export async function findLectureZone(db: Database, classId: string): Promise<string | null> {
  const row = await db
    .selectFrom('classSettings')
    .select('lectureZone')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row?.lectureZone ?? null;
}

export async function savePlan(
  db: DatabaseTransaction,
  classId: string,
  plan: { lectureZone?: string | null; lectureStartedAt: number | null },
): Promise<void> {
  await db.updateTable('classSettings').set(plan).where('classId', '=', classId).execute();
}

/** The classes whose lectures start at their hours. */
function selectPlanned(db: Database) {
  return db
    .selectFrom('classSettings')
    .innerJoin('classes', 'classes.classId', 'classSettings.classId')
    .selectAll('classes')
    .select(['lectureZone', 'lectureStartedAt'])
    .where('lectureZone', 'is not', null)
    .where('classes.status', '=', 'active');
}

export function listPlannedClasses(db: Database): Promise<PlannedClass[]> {
  return selectPlanned(db).execute();
}

export async function findPlannedClass(
  db: Database,
  classId: string,
): Promise<PlannedClass | null> {
  const row = await selectPlanned(db).where('classes.classId', '=', classId).executeTakeFirst();
  return row ?? null;
}
