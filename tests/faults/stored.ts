// The tables on disk after the server exited.
import SQLite from 'better-sqlite3';
import { join } from 'node:path';
import type { TestDatabase } from '#tests/support/test-database.ts';
import type { Stored } from './history.ts';

/** The same of PostgreSQL. */
export async function readStoredOnPostgres({ query }: TestDatabase): Promise<Stored[]> {
  const classes = await query('select "classId", seq from classes');
  return Promise.all(
    classes.map(async ({ classId, seq: head }) => {
      const rows = (sql: string) => query(sql.replaceAll('?', `'${String(classId)}'`));
      const log = await rows('select seq from log where "classId" = ? order by seq');
      const messages = await rows(
        'select id, seq, "memberId" from messages where "classId" = ? and deleted = 0 order by seq',
      );
      const reactions = await rows(
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

export const databaseFile = (dataDir: string) => join(dataDir, 'backchannel.sqlite');

/** @throws {Error} if SQLite finds the file damaged */
export function readStored(file: string): Stored[] {
  const database = new SQLite(file);
  try {
    const [check] = database.pragma('integrity_check', { simple: false }) as unknown[];
    const said = JSON.stringify(check);
    if (!said.includes('"ok"')) throw new Error(`The database is damaged: ${said}`);
    const rows = <Row>(sql: string, classId: string) => database.prepare(sql).all(classId) as Row[];
    const classes = database.prepare('select classId, seq from classes').all() as {
      classId: string;
      seq: number;
    }[];
    return classes.map(({ classId, seq: head }) => ({
      classId,
      head,
      log: rows<{ seq: number }>('select seq from log where classId = ? order by seq', classId).map(
        ({ seq }) => seq,
      ),
      messages: rows(
        `select id, seq, memberId from messages where classId = ? and deleted = 0 order by seq`,
        classId,
      ),
      reactions: rows(
        `select coalesce(messages.id, 'none') as messageId, reactions.memberId, emoji from reactions
         left join messages using (classId, seq) where reactions.classId = ?`,
        classId,
      ),
    }));
  } finally {
    database.close();
  }
}
