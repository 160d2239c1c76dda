// The tables on disk after the server exited.
import SQLite from 'better-sqlite3';
import { join } from 'node:path';
import type { TestDatabase } from '#tests/support/test-database.ts';
import type { Stored } from './history.ts';

/** The same of PostgreSQL. */
export async function loadStoredOnPostgres({ query }: TestDatabase): Promise<Stored[]> {
  const classes = await query('select "classId", seq from classes');
  return Promise.all(
    classes.map(async ({ classId, seq: head }) => {
      const queryRows = (sql: string) => query(sql.replaceAll('?', `'${String(classId)}'`));
      const log = await queryRows('select seq from log where "classId" = ? order by seq');
      const messages = await queryRows(
        'select id, seq, "memberId" from messages where "classId" = ? and deleted = 0 order by seq',
      );
      const reactions = await queryRows(
        `select coalesce(messages.id, 'none') as "messageId", reactions."memberId", emoji from reactions
         left join messages using ("classId", seq) where reactions."classId" = ?`,
      );
      return {
        classId: String(classId),
        head: Number(head),
        log: log.map(({ seq }) => Number(seq)),
        messages: messages.map((row) => ({ ...row, seq: Number(row['seq']) })),
        reactions,
      } as Stored;
    }),
  );
}

export const toDatabaseFile = (dataDir: string) => join(dataDir, 'backchannel.sqlite');

/** @throws {Error} if SQLite finds the file damaged */
export function loadStored(file: string): Stored[] {
  const database = new SQLite(file);
  try {
    const [check] = database.pragma('integrity_check', { simple: false }) as unknown[];
    const checkText = JSON.stringify(check);
    if (!checkText.includes('"ok"')) throw new Error(`The database is damaged: ${checkText}`);
    const queryRows = <Row>(sql: string, classId: string) =>
      database.prepare(sql).all(classId) as Row[];
    const classes = database.prepare('select classId, seq from classes').all() as {
      classId: string;
      seq: number;
    }[];
    return classes.map(({ classId, seq: head }) => ({
      classId,
      head,
      log: queryRows<{ seq: number }>(
        'select seq from log where classId = ? order by seq',
        classId,
      ).map(({ seq }) => seq),
      messages: queryRows(
        `select id, seq, memberId from messages where classId = ? and deleted = 0 order by seq`,
        classId,
      ),
      reactions: queryRows(
        `select coalesce(messages.id, 'none') as messageId, reactions.memberId, emoji from reactions
         left join messages using (classId, seq) where reactions.classId = ?`,
        classId,
      ),
    }));
  } finally {
    database.close();
  }
}
