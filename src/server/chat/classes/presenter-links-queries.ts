import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

const selectLink = prepareQuery((db, $: { classId: string; token: string }) =>
  db
    .selectFrom('presenterLinks')
    .select('lectureId')
    .where('classId', '=', $.classId)
    .where('token', '=', $.token),
);

/** Finds the lecture of the link. @param link with the hash of its token */
export async function findPresentedLecture(
  db: Database,
  link: { classId: string; token: string },
): Promise<string | null> {
  return (await selectLink(db, link))[0]?.lectureId ?? null;
}

export async function countPresenterLinks(db: Database, classId: string): Promise<number> {
  const { count } = await db
    .selectFrom('presenterLinks')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('classId', '=', classId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** @param classId null for the links of all classes */
export async function deletePresenterLinks(
  db: DatabaseTransaction,
  classId: string | null,
): Promise<void> {
  await db
    .deleteFrom('presenterLinks')
    .$if(classId !== null, (query) => query.where('classId', '=', classId))
    .execute();
}
