// An attacker has daily copies of the database, or our own backups. A day on which a member reads and chooses must look like a day on
// which no one does. A new table is covered: what changes with a member stands out in any table.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import SQLite from 'better-sqlite3';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { backUp } from '#server/features/backups/back-up.ts';
import { chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { waitUntilResealed } from './days.ts';

type Tables = Record<string, Record<string, unknown>[]>;

const secret = 'a secret for this test alone, of 32 characters';
const dayMs = 24 * 60 * 60_000;
const firstDay = Math.floor(Date.now() / dayMs);
const doNothing = () => {};

let app: RunningApp;
let dir: string;
/** The tables of each day: the member reads and chooses on day 1, and no one uses the app on day 2. */
const copies: Tables[] = [];
const backups: Tables[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(firstDay * dayMs);
  dir = mkdtempSync(join(tmpdir(), 'backchannel-quiet-'));
  app = await startApp({ SECRET_KEY: secret, EMAIL_VERIFICATION: 'off', DIGEST_TIME: 'off' });
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classIds = [await ada.createClass(), await ada.createClass({ courseNumber: '7' })];
  for (const classId of classIds) {
    await ben.join(classId);
    for (const student of [ada, ben]) await useClass(student, classId, 0);
    await ben.post(classId, 'To be read later');
  }
  for (let day = 1; day <= 3; day++) {
    await app.restart(async () => void vi.setSystemTime((firstDay + day) * dayMs));
    await waitUntilResealed(app, firstDay + day);
    copies.push(await app.database.tables());
    backups.push(await loadBackup(day));
    if (day === 1) for (const classId of classIds) await useClass(ada, classId, 1);
  }
});
afterAll(async () => {
  await app.stop();
  rmSync(dir, { recursive: true, force: true });
  vi.useRealTimers();
});

/** Everything that others do not see. The rows are written when the server stops. */
async function useClass(member: TestClient, classId: string, version: number): Promise<void> {
  await member.call('me', {});
  const socket = await member.connectTo(classId);
  if (version === 0) await socket.post(classId, 'A first message');
  const { seq } = await member.snapshot(classId);
  socket.send({ type: 'read', classId, seq });
  const body = { ignored: [], hidden: [], muted: true, version };
  await member.call('savePreferences', { params: { classId }, body });
  await chooseNotifications(member, classId, version === 0 ? 'all' : 'mentions');
  await saveSettings(member, { showText: version === 0 });
  socket.close();
}

async function loadBackup(day: number): Promise<Tables> {
  const file = join(dir, `${day}.sqlite`);
  const { database } = loadConfig(app.database.settings);
  await backUp(database, file, createLog({ write: doNothing }), doNothing, doNothing);
  const backup = new SQLite(file, { readonly: true });
  const names = backup
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    .pluck()
    .all() as string[];
  const tables = names.map((name) => [name, backup.prepare(`select * from "${name}"`).all()]);
  backup.close();
  return Object.fromEntries(tables) as Tables;
}

/** Counts the new values of each column and the new rows of each table. */
function describeChanges(tablesBefore: Tables, tablesAfter: Tables): Record<string, number> {
  const changes: Record<string, number> = {};
  for (const [table, rows] of Object.entries(tablesAfter)) {
    // They tell only that a queue of the server has committed something.
    if (table === 'commitReceipts') continue;
    changes[table] = rows.length - tablesBefore[table]!.length;
    for (const column of Object.keys(rows[0] ?? {})) {
      const knownValues = tablesBefore[table]!.map((row) => String(row[column]));
      const news = rows.filter((row) => !knownValues.includes(String(row[column])));
      changes[`${table}.${column}`] = news.length;
    }
  }
  return changes;
}

test.each(Object.entries({ copies, backups }))(
  'daily %s do not show on which day a member reads or saves preferences [ANON-52]',
  (_, series) => {
    const [first, second, third] = series as [Tables, Tables, Tables];

    const changes = describeChanges(first, second);

    expect(changes).toEqual(describeChanges(second, third));
    expect(changes).toMatchObject({ 'registers.content': 6 });
  },
);
