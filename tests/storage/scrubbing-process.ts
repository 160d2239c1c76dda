// Changes rows of a database without a pause while the scrubber passes over its file, until the process is
// killed. Each row of `scrubbed` has the digest of its text next to it.
import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { createLog } from '#server/base/log.ts';
import type { Tables } from '#server/store/tables.ts';
import { openSqlite, createSqliteDialect } from '#server/store/dialects/sqlite.ts';
import { PageScrubber } from '#server/store/erasure/page-scrubber.ts';
import { WalFile } from '#server/store/erasure/wal-file.ts';

const file = process.argv[2]!;
const database = openSqlite(file, 2000);
const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) });
await sql`create table if not exists scrubbed
  (id text primary key not null, text text not null, digest text not null) without rowid`.execute(
  db,
);
const startScrubber = () =>
  new PageScrubber({ file, database, db, walFile: new WalFile(file) }, createLog(), 1);
startScrubber();

const ids: string[] = [];
for (let n = 0; ; n++) {
  await db.transaction().execute(async (transaction) => {
    for (let row = 0; row < 20; row++) {
      const id = randomBytes(8).toString('hex');
      const text = randomBytes(Math.floor(Math.random() * 900)).toString('hex');
      const digest = createHash('sha256').update(text).digest('hex');
      await sql`insert into scrubbed values (${id}, ${text}, ${digest})`.execute(transaction);
      ids.push(id);
      const deletedId = ids[Math.floor(Math.random() * ids.length * 1.4)];
      await sql`delete from scrubbed where id = ${deletedId ?? ''}`.execute(transaction);
    }
  });
  if (n === 20) console.log('working');
  await setImmediate();
}
