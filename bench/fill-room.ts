// Inserts millions of messages into one room, with the same rows that the chat writes. The members who have posted
// there are the authors, in turn.
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';

const perTransaction = 200_000;
/** Consecutive messages of one author. */
const perTurn = 3;

/** The running server must be idle, because this function does not wait for a database lock. */
export async function fillRoom(
  dataDir: string,
  classId: string,
  count: number,
  createText: (n: number, authors: readonly string[]) => string,
): Promise<void> {
  const database = new SQLite(join(dataDir, 'backchannel.sqlite'), { timeout: 10_000 });
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -2000000');
  const { seq, ordinal } = database
    .prepare('select seq, ordinal from classes where "classId" = ?')
    .get(classId) as { seq: number; ordinal: number };
  const authors = database
    .prepare('select distinct "memberId" from messages where "classId" = ?')
    .pluck()
    .all(classId) as string[];
  const message = database.prepare(
    `insert into messages ("classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted)
     values (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  );
  const entry = database.prepare(
    `insert into log ("classId", seq, id, kind, ref) values (?, ?, ?, 'posted', ?)`,
  );
  const head = database.prepare('update classes set seq = ?, ordinal = ? where "classId" = ?');
  const write = database.transaction((from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const id = randomUUID();
      const text = createText(n, authors);
      const author = authors[Math.floor(n / perTurn) % authors.length];
      const digest = createHash('sha256').update(`\n${text}`).digest('base64url');
      message.run(classId, seq + 1 + n, ordinal + 1 + n, id, author, text, digest, Date.now());
      // The server would have compacted older log entries.
      if (n >= count - 2000) entry.run(classId, seq + 1 + n, id.slice(0, 8), id);
    }
    head.run(seq + to, ordinal + to, classId);
  });
  for (let from = 0; from < count; from += perTransaction) {
    write(from, Math.min(count, from + perTransaction));
  }
  database.pragma('wal_checkpoint(truncate)');
  database.close();
}
