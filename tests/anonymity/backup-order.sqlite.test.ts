import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { fillSchool } from './school.ts';
import { listLeaves } from './sqlite-pages.ts';

const app = setUpApp();
const pageBytes = 4096;

test('a backup has its rows in the order of their keys, not of their insertion [ANON-6, ANON-23, ANON-28]', async () => {
  await fillSchool(app);
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-order-'));
  const copy = join(dir, 'copy');

  expect(await runCommand('backup', [copy], app.database.settings)).toMatchObject({ code: 0 });

  const content = readFileSync(copy, 'latin1');
  // SQLite writes a copy in the order of the keys. A copy of the copy has the same places only if no place
  // depends on anything else.
  const copyFile = join(dir, 'again');
  const database = new SQLite(copy);
  database.prepare('vacuum into ?').run(copyFile);
  database.close();
  expect(listLeaves(readFileSync(copy))).toEqual(listLeaves(readFileSync(copyFile)));

  rmSync(dir, { recursive: true });
  // SQLite fills a page from its end, so rows in insertion order have descending offsets.
  const rows = await app.database.query(
    'select "classId", "memberId", "anonymousName" from personas',
  );
  const places = rows.map((row) => {
    const columns = [row['classId'], row['memberId'], row['anonymousName']].join('');
    return { key: columns, at: content.indexOf(Buffer.from(columns).toString('latin1')) };
  });
  const keys = places
    .toSorted((place, otherPlace) => otherPlace.at - place.at)
    .map(({ key }) => key);
  expect(places.every(({ at }) => at > 0)).toBe(true);

  const pages = new Set(places.map(({ at }) => Math.floor(at / pageBytes)));
  expect(countDescents(keys)).toBeLessThan(pages.size);
});

/** How often the next value is smaller: once at the start of each page but the first. */
function countDescents(keys: readonly string[]): number {
  return keys.filter((key, n) => n > 0 && key < (keys[n - 1] ?? '')).length;
}
