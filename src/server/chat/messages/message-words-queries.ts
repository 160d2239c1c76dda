// The word index of each class: see chat/messages/word-index.ts.
import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { planOnce, prepareQuery, prepareListQuery } from '#server/store/prepare-query.ts';

export type WordsRow = Selectable<Tables['messageWords']>;

/** The parts of a message that a search reads. */
export interface SearchedText {
  seq: number;
  text: string;
}

const selectTexts = prepareQuery((db, $: { classId: string; from: number; to: number }) =>
  db
    .selectFrom('messages')
    .select(['seq', 'text'])
    .where('classId', '=', planOnce($.classId))
    .where('seq', '>=', $.from)
    .where('seq', '<=', $.to)
    .where('deleted', '=', 0)
    .orderBy('seq', 'desc'),
);

/** The texts with `from <= seq <= to`, newest first, without deleted messages. */
export async function listTexts(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<SearchedText[]> {
  return selectTexts(db, { classId, from, to });
}

const selectTextsBySeq = prepareListQuery((db, $: { classId: string }, seqs: number[]) =>
  db
    .selectFrom('messages')
    .select(['seq', 'text'])
    .where('classId', '=', $.classId)
    .where('seq', 'in', seqs)
    .where('deleted', '=', 0),
);

/** The texts with these seqs, newest first, without deleted messages. */
export async function listTextsBySeq(
  db: Database,
  classId: string,
  seqs: readonly number[],
): Promise<SearchedText[]> {
  const rows = await selectTextsBySeq(db, { classId }, seqs);
  return rows.toSorted((first, second) => second.seq - first.seq);
}

const selectBuckets = prepareListQuery(
  (db, $: { classId: string; from: number; to: number }, buckets: number[]) =>
    db
      .selectFrom('messageWords')
      .select(['bucket', 'block', 'entries'])
      .where('classId', '=', $.classId)
      .where('bucket', 'in', buckets)
      .where('block', '>=', $.from)
      .where('block', '<=', $.to),
);

/** The entries of each block with `from <= block <= to`, by bucket. */
export async function listEntriesByBucket(
  db: Database,
  classId: string,
  buckets: readonly number[],
  { from, to }: { from: number; to: number },
): Promise<Map<number, Map<number, string>>> {
  const entriesByBucket = new Map(buckets.map((bucket) => [bucket, new Map<number, string>()]));
  for (const { bucket, block, entries } of await selectBuckets(
    db,
    { classId, from, to },
    buckets,
  )) {
    entriesByBucket.get(bucket)?.set(block, entries);
  }
  return entriesByBucket;
}

/** Tells whether a message with `from <= seq <= to` was edited, deleted or removed since the log had this head. */
export async function hasChanged(
  db: Database,
  { classId, from, to, head }: { classId: string; from: number; to: number; head: number },
): Promise<boolean> {
  const change = await db
    .selectFrom('log')
    .innerJoin('messages', (join) =>
      join.onRef('messages.classId', '=', 'log.classId').onRef('messages.id', '=', 'log.ref'),
    )
    .select('log.seq')
    .where('log.classId', '=', classId)
    .where('log.seq', '>', head)
    .where('log.kind', 'in', ['edited', 'deleted', 'moderated'])
    .where('messages.seq', '>=', from)
    .where('messages.seq', '<=', to)
    .limit(1)
    .executeTakeFirst();
  return change !== undefined;
}

/** Inserts the rows that do not exist yet. */
export async function insertWords(
  db: DatabaseTransaction,
  rows: readonly WordsRow[],
): Promise<void> {
  await db
    .insertInto('messageWords')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @param buckets all buckets, because the primary key has the bucket before the block */
export async function deleteWordsOfBlock(
  db: DatabaseTransaction,
  classId: string,
  block: number,
  buckets: readonly number[],
): Promise<void> {
  await db
    .deleteFrom('messageWords')
    .where('classId', '=', classId)
    .where('bucket', 'in', buckets)
    .where('block', '=', block)
    .execute();
}

export async function deleteWords(db: DatabaseTransaction, classId: string): Promise<void> {
  await db.deleteFrom('messageWords').where('classId', '=', classId).execute();
}

/** The blocks that have rows, in order. Each indexed block has a row of each bucket. */
export async function listIndexedBlocks(db: Database, classId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('messageWords')
    .select('block')
    .where('classId', '=', classId)
    .where('bucket', '=', 0)
    .orderBy('block')
    .execute();
  return rows.map(({ block }) => block);
}
