// The scrubber zeroes unused bytes in the database's file. It must never change a used byte, during any
// write, read or checkpoint, and wherever the process is killed.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createSqliteDialect, openSqlite } from '#server/store/dialects/sqlite.ts';
import { PageScrubber } from '#server/store/erasure/page-scrubber.ts';
import { WalFile } from '#server/store/erasure/wal-file.ts';
import type { Tables } from '#server/store/tables.ts';
import { listFilledSpans, listUnusedSpans } from '#server/store/erasure/unused-bytes.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-scrub-'));
  file = join(dir, 'scrubbed.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const script = fileURLToPath(new URL('scrubbing-process.ts', import.meta.url));

/** Checks that every row is complete and the file is intact. */
function check(database: SQLite.Database): number {
  expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const rows = database.prepare('select text, digest from scrubbed').all() as Record<
    string,
    string
  >[];
  for (const { text, digest } of rows) {
    expect(createHash('sha256').update(text!).digest('hex')).toBe(digest);
  }
  return rows.length;
}

test('a killed process leaves an intact file while others read it [DELETE-18]', async () => {
  let rows = 0;
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, [script, file]);
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    const processEnd = new Promise((resolve) => child.once('close', resolve));
    await Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), processEnd]);
    expect(errors).toEqual([]);
    const other = new SQLite(file, { timeout: 2000 });
    const endsAt = performance.now() + 300 + 700 * Math.random();
    for (let n = 0; performance.now() < endsAt; n++) {
      other.pragma('wal_checkpoint(passive)');
      const copy = join(dir, `copy-${round}-${n}`);
      other.prepare('vacuum into ?').run(copy);
      const copied = new SQLite(copy);
      check(copied);
      copied.close();
      rmSync(copy);
      await sleep(20);
    }
    child.kill('SIGKILL');
    await processEnd;
    rows = check(other);
    other.close();
  }

  expect(rows).toBeGreaterThan(500);
}, 180_000);

test('the unused bytes of a page are exactly those that SQLite does not need [DELETE-18]', () => {
  const database = new SQLite(file);
  database.exec(
    'create table scrubbed (id text primary key, text text, digest text) without rowid',
  );
  const insert = database.prepare('insert into scrubbed values (?, ?, ?)');
  database.exec('begin');
  for (let n = 0; n < 3000; n++) {
    const text = randomBytes(Math.floor(Math.random() * 1500)).toString('hex');
    const digest = createHash('sha256').update(text).digest('hex');
    insert.run(randomBytes(8).toString('hex'), text, digest);
    if (n % 10 === 0) database.exec('delete from scrubbed where abs(random()) % 50 = 0');
  }
  database.exec('commit');
  database.close();
  const bytes = readFileSync(file);
  let filled = 0;
  for (let offset = 4096; offset < bytes.length; offset += 4096) {
    const page = bytes.subarray(offset, offset + 4096);
    const spans = listUnusedSpans(page, 4096, bytes.length / 4096);
    filled += listFilledSpans(page, spans).length;
    for (const { from, to } of spans) randomBytes(to - from).copy(page, from);
  }

  expect(filled).toBeGreaterThan(10);

  const noisy = new SQLite(bytes);
  const { length } = noisy.prepare('select id from scrubbed').all();
  expect(length).toBeGreaterThan(100);
  expect(check(noisy)).toBe(length);

  noisy.close();
});

describe('remains in the unused bytes of pages', () => {
  const pageSize = 4096;
  const rowCount = 300;
  const changedRow = 150;
  const changeRow = `update scrubbed set text = 'changed' || substr(text, 8) where id = ${changedRow}`;

  interface Server {
    database: SQLite.Database;
    walFile: WalFile;
    scrubber: PageScrubber;
    stop(): Promise<void>;
  }

  function createRows(): void {
    const database = openSqlite(file);
    database.exec('create table scrubbed (id integer primary key, text text)');
    const insert = database.prepare('insert into scrubbed values (?, ?)');
    for (let id = 0; id < rowCount; id++) insert.run(id, `row ${id} `.padEnd(1200, 'x'));
    database.close();
  }

  function startServer(intervalMs = 10): Server {
    const database = openSqlite(file);
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(database) });
    const walFile = new WalFile(file);
    const scrubber = new PageScrubber({ file, database, db, walFile }, createLog(), intervalMs);
    let isRunning = true;
    const stop = async () => {
      if (!isRunning) return;
      isRunning = false;
      await scrubber.stop();
      database.close();
      scrubber.closeFile();
    };
    onTestFinished(stop);
    return { database, walFile, scrubber, stop };
  }

  /** Writes a mark into the unused bytes of each page, as page splits leave them. */
  function plantMarks(): void {
    const bytes = readFileSync(file);
    const descriptor = openSync(file, 'r+');
    for (let page = 1; page < bytes.length / pageSize; page++) {
      const content = bytes.subarray(page * pageSize, (page + 1) * pageSize);
      const [span] = listUnusedSpans(content, pageSize, bytes.length / pageSize);
      if (span && span.to - span.from > 20) {
        writeSync(descriptor, `mark ${page}.`, page * pageSize + span.from);
      }
    }
    closeSync(descriptor);
  }

  const countMarks = () => readFileSync(file, 'latin1').match(/mark \d+\./g)?.length ?? 0;
  const patience = { timeout: 20_000, interval: 20 };

  /** Whether the page of the changed row has a mark. */
  function isMarked(): boolean {
    const bytes = readFileSync(file, 'latin1');
    const place = bytes.search(new RegExp(`(row ${changedRow} |changed).{4}x`));
    const start = Math.floor(place / pageSize) * pageSize;
    return /mark \d+\./.test(bytes.slice(start, start + pageSize));
  }

  /** Starts a server whose first pass is over, then plants the marks. */
  async function startAndPlant(): Promise<Server> {
    createRows();
    plantMarks();
    const server = startServer();
    await expect.poll(countMarks, patience).toBe(0);
    // Otherwise SQLite would write the pages of its cache, without the marks.
    server.database.pragma('shrink_memory');
    plantMarks();
    expect(isMarked()).toBe(true);
    return server;
  }

  const openOther = () => {
    const other = new SQLite(file, { timeout: 2000 });
    onTestFinished(() => void other.close());
    return other;
  };

  test('the -wal file is emptied also while no pass starts [ANON-28]', async () => {
    createRows();
    const { database, walFile } = startServer(1_000_000);
    await expect.poll(() => walFile.isEmpty(), patience).toBe(true);

    database.exec(changeRow);
    expect(walFile.isEmpty()).toBe(false);

    await expect.poll(() => walFile.isEmpty(), patience).toBe(true);
  });

  test('a pass covers only the pages that have changed [DELETE-18]', async () => {
    const { database } = await startAndPlant();
    const marksBefore = countMarks();
    expect(marksBefore).toBeGreaterThan(90);

    database.exec(changeRow);

    await expect.poll(isMarked, patience).toBe(false);
    expect(countMarks()).toBeGreaterThanOrEqual(marksBefore - 3);
  });

  const changes: [name: string, change: (server: Server) => void][] = [
    ['of a commit', ({ database }) => database.exec(changeRow)],
    ['of a command', () => openOther().exec(changeRow)],
    [
      'that a checkpoint of another handle has moved to the file',
      ({ database, walFile }) => {
        database.exec(changeRow);
        walFile.empty(openOther());
        database.exec('update scrubbed set id = id where id = 1');
        walFile.empty(openOther());
      },
    ],
    [
      'of a command that commits just before a checkpoint',
      ({ database, walFile }) => {
        const other = openOther();
        const handle = new Proxy(database, {
          get: () => (statement: string, options: SQLite.PragmaOptions) => {
            if (statement.startsWith('wal_checkpoint')) other.exec(changeRow);
            return database.pragma(statement, options);
          },
        });
        walFile.empty(handle);
      },
    ],
    [
      'in the place of frames that were rolled back, while a reader blocks the checkpoint',
      ({ database, walFile }) => {
        const reader = openOther();
        reader.exec('begin; select count(*) from scrubbed');
        reader.prepare('select count(*) from scrubbed').get();
        database.exec('update scrubbed set id = id where id = 1');
        expect(walFile.empty(database)).toBe(false);
        // A small cache writes frames before the commit.
        database.pragma('cache_size = 1');
        database.exec(`begin; update scrubbed set text = 'y' || text where id < 100`);
        expect(walFile.empty.bind(walFile, database)).toThrow('locked');
        database.exec('rollback');
        database.exec(changeRow);
        reader.exec('commit');
      },
    ],
  ];

  test.each(changes)('zeroed are those in pages %s [DELETE-18]', async (_, change) => {
    const server = await startAndPlant();

    change(server);

    await expect.poll(isMarked, patience).toBe(false);
  });

  test('a server zeroes at its start what the last one left [DELETE-18]', async () => {
    const server = await startAndPlant();
    await server.stop();

    startServer();

    await expect.poll(countMarks, patience).toBe(0);
  });
});
