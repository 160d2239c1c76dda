// PostgreSQL numbers each row's transaction and keeps rows in the order of their coming. In account
// tables both would pair accounts with personas, whose messages have times. So seconds after a change
// all rows of its table are written again, shuffled, in one transaction.
import { randomInt } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Log } from '../../log.ts';
import type { Tables } from '../database.ts';
import { accountTables, type RowOrderEraser } from '../row-order.ts';

type AccountTable = (typeof accountTables)[number];

/** A column of each that is neither a key nor indexed: to set it to its own value changes nothing. */
const idleColumns: Record<AccountTable, string> = {
  accounts: 'updatedAt',
  credentials: 'updatedAt',
  sessions: 'updatedAt',
  verifications: 'updatedAt',
  enrolments: 'joinedDay',
};
const earliestMs = 2_000;
const latestMs = 8_000;
/** At most a twentieth of the time is spent on it. */
const pauseFactor = 20;

/** Begins with what an earlier server has left. */
export function createRowOrderEraser(db: Kysely<Tables>, log: Log): RowOrderEraser {
  let timer: NodeJS.Timeout | null = null;
  let failing = false;
  let stopped = false;
  let running = run();

  async function run(): Promise<void> {
    const began = performance.now();
    await eraseAll();
    if (stopped) return;
    const pauseMs = (performance.now() - began) * pauseFactor;
    timer = setTimeout(
      () => {
        running = run();
      },
      Math.max(pauseMs, randomInt(earliestMs, latestMs)),
    );
  }

  async function eraseAll(): Promise<void> {
    try {
      for (const table of accountTables) if (await hasOrder(db, table)) await erase(db, table);
      failing = false;
    } catch (error) {
      if (!failing) log.warn('order.failed', { error });
      failing = true;
    }
  }

  return {
    async stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
      await running;
      await eraseAll();
    },
  };
}

/** Rows of one transaction have none, as long as they came shuffled. */
async function hasOrder(db: Kysely<Tables>, table: AccountTable): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} group by xmin::text limit 2`.execute(
    db,
  );
  return rows.length > 1;
}

async function erase(db: Kysely<Tables>, table: AccountTable): Promise<void> {
  const name = sql.table(table);
  const column = sql.ref(idleColumns[table]);
  // Row by row, since a join may take them in the table's order. Twice, because a new version of a row
  // stays on the page of the old one while there is room. Rows that somebody else is changing are left
  // out: this waits for nobody, so it is part of no deadlock.
  await sql`
    do $$
    declare place tid;
    begin
      for round in 1..2 loop
        for place in
          select free.ctid from (select ctid from ${name} for no key update skip locked) as free
          order by random()
        loop
          update ${name} set ${column} = ${column} where ctid = place;
        end loop;
      end loop;
    end $$`.execute(db);
  // The older versions go, as far as nobody reads them any more.
  await sql`vacuum ${name}`.execute(db);
}
