import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

export type ReadMarkRow = Tables['readMarks'];

const selectReadMark = prepareQuery((db, $: Pick<ReadMarkRow, 'classId' | 'reader'>) =>
  db
    .selectFrom('readMarks')
    .select('position')
    .where('classId', '=', $.classId)
    .where('reader', '=', $.reader),
);

/** @returns the sealed position, or null */
export async function findReadMark(
  db: Database,
  classId: string,
  reader: string,
): Promise<string | null> {
  return (await selectReadMark(db, { classId, reader }))[0]?.position ?? null;
}

const upsertReadMark = prepareQuery((db, $: ReadMarkRow) =>
  db
    .insertInto('readMarks')
    .values({ classId: $.classId, reader: $.reader, position: $.position })
    .onConflict((conflict) =>
      conflict.columns(['classId', 'reader']).doUpdateSet({ position: $.position }),
    ),
);

export async function saveReadMark(db: DatabaseTransaction, row: ReadMarkRow): Promise<void> {
  await upsertReadMark(db, row);
}

export async function deleteAllReadMarks(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('readMarks').execute();
}
