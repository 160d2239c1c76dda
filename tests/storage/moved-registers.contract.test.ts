// Accounts, sessions, roles, read positions and preferences of version 0.3.0 are encrypted with the key of the server, in one
// piece.
import { createSecretKey, hkdfSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SavedPreferences } from '#contract/preferences.ts';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { seal } from '#server/base/seal.ts';
import { computeKeyCheck, deriveServerKeys } from '#server/base/server-keys.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { listRoles } from '#server/chat/staff/stored-roles.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { ReadMarks } from '#server/chat/members/read-marks.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import { openMigrated } from '#server/store/open-database.ts';
import { Registers } from '#server/store/registers.ts';
import type * as written from '#server/store/written.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { createEarlierVersion } from './earlier-version.ts';
import { openStorage, sessionRecords, testKeys } from './opened-storage.ts';

const killer = vi.hoisted(() => ({ statementsLeft: Infinity }));
vi.mock('#server/store/written.ts', async (importOriginal) => {
  const original = await importOriginal<typeof written>();
  return {
    ...original,
    noteStatement(text: string) {
      killer.statementsLeft -= 1;
      if (killer.statementsLeft === 0) throw new Error('killed');
      original.noteStatement(text);
    },
  };
});

const classId = 'c';
const salt = 's';
const muted: SavedPreferences = { ignored: ['m'], hidden: ['h'], muted: true, version: 3 };
const noPreferences: SavedPreferences = { ignored: [], hidden: [], muted: false, version: 0 };

const toReadMarkSql = (accountId: string, position: string): string => {
  const { ids, positions } = testKeys.readMarks;
  const reader = computeId(ids, salt, accountId);
  const sealed = seal(positions, position, { context: `${classId} ${reader}`, padTo: 16 });
  return `insert into "readMarks" values ('${classId}', '${reader}', '${sealed}')`;
};

const toOwner = (accountId: string) => ({
  classId,
  id: computeId(testKeys.preferences.ids, salt, accountId),
});

const toPreferencesSql = (accountId: string, preferences: SavedPreferences): string => {
  const { id } = toOwner(accountId);
  const options = { context: `${classId} ${id}`, padTo: 4096 };
  const content = seal(testKeys.preferences.contents, JSON.stringify(preferences), options);
  return `insert into preferences values ('${classId}', '${id}', '${content}')`;
};

/** The changes that no server has written to their rows yet. */
const toJournalSql = (changes: Record<string, SavedPreferences | null>): string => {
  const { contents } = testKeys.preferences;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
  const pending = Object.entries(changes).map(([accountId, preferences]) => ({
    owner: toOwner(accountId),
    preferences,
  }));
  const sealed = seal(key, JSON.stringify({ writeAt: 0, pending }));
  return `insert into "serverMetadata" values ('pendingPreferences', '${sealed}')`;
};

const toAccountSql = (id: string): string =>
  `insert into accounts (id, email, name, "emailVerified", "createdAt", "updatedAt")
   values ('${id}', '${id}@university.edu', '', ${emailVerified}, '2030-01-01', '2030-01-01')`;
const emailVerified = process.env['BACKCHANNEL_TEST_DATABASE'] ? 'false' : '0';

const dates = `'2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'`;
const toSignInSql = (id: string): string[] => [
  `insert into credentials (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
   values ('${id}', '${id}', 'credential', '${id}', '$argon2id$${id}', ${dates})`,
  `insert into sessions (id, token, "userId", "createdAt", "updatedAt", "expiresAt")
   values ('${id}', 'hash of ${id}', '${id}', ${dates}, '2096-10-02T00:00:00.000Z')`,
];

const accountIds = ['reader', 'unwritten', 'rejoined', 'newcomer'];
const rows = [
  `insert into "serverMetadata" values ('keyCheck', '${computeKeyCheck(testKeys)}')`,
  `insert into classes ("classId", seq, ordinal, salt, status, "memberCount", "createdDay")
   values ('${classId}', 9, 9, '${salt}', 'active', 4, 20000)`,
  ...accountIds.flatMap((id) => [
    toAccountSql(id),
    ...toSignInSql(id),
    `insert into enrollments ("accountId", "classId", "joinedDay") values ('${id}', '${classId}', 20000)`,
  ]),
  `insert into roles values ('reader', '${classId}', 'staff', 'Prof. Lee'), ('reader', '', 'operator', 'Lee'), ('rejoined', '${classId}', 'moderator', 'Sam')`,
  toReadMarkSql('reader', '7'),
  // An account that left and came back has a mark and preferences without content until it chooses again.
  toReadMarkSql('rejoined', 'none'),
  toReadMarkSql('departed', '4'),
  toPreferencesSql('reader', muted),
  toPreferencesSql('unwritten', noPreferences),
  toPreferencesSql('rejoined', muted),
  toPreferencesSql('departed', muted),
  toJournalSql({ unwritten: { ...muted, version: 4 }, rejoined: null }),
];

let database: TestDatabase;
beforeEach(async () => {
  killer.statementsLeft = Infinity;
  database = await createTestDatabase();
  await createEarlierVersion(database, '0089', rows);
});
afterEach(() => database.drop());

const log = createLog({ write: () => {} });

/** @returns how many statements the start could run */
async function openUntilKilled(statements = Infinity, keys = testKeys): Promise<void> {
  killer.statementsLeft = statements;
  try {
    const db = await openMigrated(loadConfig({ ...database.settings }).database, keys, log);
    await db.destroy();
  } finally {
    killer.statementsLeft = Infinity;
  }
}

/** What the server of this version finds for each account. */
async function listStored(keys = testKeys) {
  const storage = await openStorage(database, keys);
  const { db, commits } = storage;
  const registers = new Registers(keys.registers);
  const readMarks = new ReadMarks(db, commits, registers);
  const preferences = new PreferenceStore(db, registers);
  const stored: Record<string, unknown> = {};
  for (const accountId of [...accountIds, 'departed']) {
    const { version } = await preferences.get({ classId, accountId });
    const heldRoles = await listRoles(storage, accountId);
    const roles = heldRoles
      .map(({ role, staffName, ...held }) => `${role} ${staffName} ${held.classId}`)
      .toSorted();
    stored[accountId] = { seq: await readMarks.find({ classId, accountId }), version, roles };
  }
  await storage.close();
  return stored;
}

/** The accounts of the sessions, with their password hashes. */
async function listSignIns(): Promise<unknown[]> {
  const { db, close } = await openStorage(database);
  const sessions = await Promise.all(
    accountIds.map((id) => sessionRecords.find(db, `hash of ${id}`)),
  );
  await close();
  return sessions.map((session) => [session?.account.id, session?.account.passwordHash]);
}

const expectedValues = {
  reader: { seq: 7, version: 3, roles: ['operator Lee null', `staff Prof. Lee ${classId}`] },
  unwritten: { seq: null, version: 4, roles: [] },
  rejoined: { seq: null, version: 0, roles: [`moderator Sam ${classId}`] },
  newcomer: { seq: null, version: 0, roles: [] },
  departed: { seq: null, version: 0, roles: [] },
};

test('an upgrade keeps roles, and read positions and preferences, also those that were not written yet [UPGRADE-4]', async () => {
  expect(await listStored()).toEqual(expectedValues);

  const tables = await database.tables();
  expect(tables).not.toHaveProperty('readMarks');
  expect(tables).not.toHaveProperty('preferences');
  expect(tables).not.toHaveProperty('roles');
  expect(JSON.stringify(tables['serverMetadata'])).not.toContain('pendingPreferences');
});

test('a start with another server key changes nothing, and the right key then finds everything [UPGRADE-4]', async () => {
  const tablesBefore = await database.tables();

  await expect(openUntilKilled(Infinity, deriveServerKeys('another key'))).rejects.toThrow(
    'belongs to another server key',
  );

  expect(await database.tables()).toEqual(tablesBefore);
  expect(await listStored()).toEqual(expectedValues);
});

test('a change of the key right after an upgrade keeps read positions and preferences [UPGRADE-4, ADMIN-7]', async () => {
  const config = loadConfig({ ...database.settings });
  const newSecretKey = 'another key';

  await replaceKey({ ...config, secretKey: 'key', newSecretKey }, true, log);

  expect(await listStored(deriveServerKeys(newSecretKey))).toEqual(expectedValues);
});

test('an upgrade that is killed at any statement goes on at the next start, and loses nothing [UPGRADE-4]', async () => {
  let kills = 0;
  for (let statements = 1; ; statements++) {
    try {
      await openUntilKilled(statements);
      break;
    } catch (error) {
      expect(error).toMatchObject({ message: 'killed' });
      kills += 1;
    }
    const tables = await database.tables();
    const isMigrated = tables['readMarks'] === undefined;
    // The old rows and the registers are never both there, and never both missing.
    expect(tables['preferences'] === undefined).toBe(isMigrated);
    expect([tables['accounts']!.length, tables['sessions']!.length]).toEqual([4, 4]);
    const kinds = new Set((tables['registers'] ?? []).map(({ kind }) => kind));
    expect(kinds.has('readMarks')).toBe(isMigrated);
    expect(kinds.has('staff')).toBe(tables['roles'] === undefined);
  }

  expect(kills).toBeGreaterThan(20);
  expect(await listStored()).toEqual(expectedValues);
  expect(await listSignIns()).toEqual(accountIds.map((id) => [id, `$argon2id$${id}`]));
  expect(JSON.stringify(await database.tables())).not.toContain('droppedTables');
}, 120_000);
