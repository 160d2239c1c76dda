import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../app/run-command.ts';
import { startApp, type RunningApp } from '../app/running-app.ts';
import { fillSchool } from './school.ts';
import { leavesOf } from './sqlite-pages.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a backup has its rows in the order of their keys, not of their coming [ANON-7, ANON-23, ANON-28]', async () => {
  const classes = await fillSchool(app);
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-order-'));
  const copy = join(dir, 'copy');
  expect(await runCommand('backup', [copy], app.database.settings)).toMatchObject({ code: 0 });
  const content = readFileSync(copy, 'latin1');
  for (const cells of leavesOf(readFileSync(copy)).values()) {
    const offsets = cells.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((one, other) => other - one));
  }
  rmSync(dir, { recursive: true });
  // SQLite fills a page from its end, so rows in insertion order have descending offsets.
  const places = classes.flatMap(({ classId, truth }) =>
    [...truth.keys()].map((id) => ({ key: id + classId, at: content.lastIndexOf(id + classId) })),
  );
  const keys = places.toSorted((one, other) => other.at - one.at).map(({ key }) => key);
  expect(places.every(({ at }) => at > 0)).toBe(true);
  expect(descents(keys)).toBeLessThanOrEqual(1);
});

/** How often the next value is smaller: once at the start of each page. */
function descents(keys: readonly string[]): number {
  return keys.filter((key, n) => n > 0 && key < (keys[n - 1] ?? '')).length;
}
