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

/** Counts links and codes. @param letters the hash of the letters, which are no link */
export async function countPresenterLinks(
  db: Database,
  classId: string,
  letters: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('presenterLinks')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('classId', '=', classId)
    .where('token', '!=', letters)
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

/** Lists the rows of all classes with this code, or with these letters. @param token its hash */
export async function listLinksWithToken(
  db: Database,
  token: string,
): Promise<readonly { classId: string; expiresAt: number | null }[]> {
  return db
    .selectFrom('presenterLinks')
    .select(['classId', 'expiresAt'])
    .where('token', '=', token)
    .execute();
}

/** @returns false if the code has been used or has expired */
export async function turnCodeIntoLink(
  db: DatabaseTransaction,
  { classId, code, token, now }: { classId: string; code: string; token: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('presenterLinks')
    .set({ token, expiresAt: null })
    .where('classId', '=', classId)
    .where('token', '=', code)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteHallCode(db: DatabaseTransaction, classId: string): Promise<void> {
  await db
    .deleteFrom('presenterLinks')
    .where('classId', '=', classId)
    .where('expiresAt', 'is not', null)
    .execute();
}
