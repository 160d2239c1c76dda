// The scrubber zeroes unused bytes in the database's file. It must never change a used byte, during any
// write, read or checkpoint, and wherever the process is killed.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
    const spans = listUnusedSpans(page, 4096);
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
