// Members, read positions, preferences and roles move from rows into registers. The rows of read positions and preferences had ids
// that were derived from the account, the class and the server key.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { SavedPreferences } from '#contract/preferences.ts';
import { startOfDay, toDay } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { sealRecord, unseal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { computeId } from './0018-read-marks.ts';
import type { EngineTypes } from './engine-types.ts';

/** The tables that this migration reads and writes. */
interface Tables {
  classes: { classId: string; salt: string };
  enrollments: EarlierMember & { classId: string };
  readMarks: { classId: string; reader: string; position: string };
  preferences: { classId: string; owner: string; content: string };
  roles: { accountId: string; classId: string; role: string; staffName: string };
  serverMetadata: { name: string; value: string };
  registers: { classId: string; kind: string; version: string; content: Buffer };
}

interface EarlierMember {
  accountId: string;
  content: string | null;
  joinedDay: number;
  notify: string | null;
}

interface PendingPreferences {
  owner: { classId: string; id: string };
  preferences: SavedPreferences | null;
}

const journalName = 'pendingPreferences';
const steps = { members: 1024, readMarks: 1024, preferences: 4096, staff: 4096 };
const positionLength = 10;

/** @param keys null if the key is lost: classes are then empty and roles end, as after any loss of the key */
export async function up(
  untypedDb: Kysely<unknown>,
  { binary, unordered }: EngineTypes,
  keys: ServerKeys | null,
): Promise<void> {
  const db = untypedDb as Kysely<Tables>;
  await db.schema
    .createTable('registers')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('content', binary, (c) => c.notNull())
    .addPrimaryKeyConstraint('registers_key', ['classId', 'kind'])
    .modifyEnd(unordered)
    .execute();
  if (keys) {
    await moveClasses(db, keys);
    await moveRoles(db, keys);
  }
  await db.deleteFrom('serverMetadata').where('name', '=', journalName).execute();
  for (const table of ['enrollments', 'readMarks', 'preferences', 'roles']) {
    await db.schema.dropTable(table).execute();
  }
}

async function moveClasses(db: Kysely<Tables>, keys: ServerKeys): Promise<void> {
  const pending = await readJournal(db, keys.preferences.contents);
  await db.schema.createIndex('enrollments_class').on('enrollments').column('classId').execute();
  const classes = db.selectFrom('classes').select(['classId', 'salt']).orderBy('classId');
  for (const row of await classes.execute()) {
    const { classId } = row;
    const enrollments = db.selectFrom('enrollments').selectAll().where('classId', '=', classId);
    const members = await enrollments.execute();
    const entries = members.map((member) => [
      member.accountId,
      decryptMembership(keys, classId, member),
    ]);
    await insertRegister(db, keys, 'members', classId, entries);
    const accountIds = members.map(({ accountId }) => accountId);
    await moveReadMarks(db, keys, row, accountIds);
    await movePreferences(db, keys, row, accountIds, pending);
  }
}

/** If the content cannot be decrypted, the day of joining becomes the day of the migration. */
function decryptMembership(
  keys: ServerKeys,
  classId: string,
  { accountId, content, joinedDay, notify }: EarlierMember,
): { joinedDay: number; notify?: string } {
  if (content === null) return { joinedDay, ...(notify !== null && { notify }) };
  const text = unsealText(keys.times, content, `enrolment ${accountId} ${classId}`);
  if (text === null) return { joinedDay: toDay(startOfDay()) };
  const { createdAt, ...choice } = JSON.parse(text) as { createdAt: number; notify?: string };
  return {
    joinedDay: toDay(new Date(createdAt)),
    ...(choice.notify && { notify: choice.notify }),
  };
}

async function moveReadMarks(
  db: Kysely<Tables>,
  keys: ServerKeys,
  { classId, salt }: Tables['classes'],
  accountIds: readonly string[],
): Promise<void> {
  const rows = await db
    .selectFrom('readMarks')
    .select(['reader', 'position'])
    .where('classId', '=', classId)
    .execute();
  if (rows.length === 0) return;
  const positions = new Map(rows.map(({ reader, position }) => [reader, position]));
  const entries = accountIds.map((accountId) => {
    const reader = computeId(keys.readMarks.ids, salt, accountId);
    const context = `${classId} ${reader}`;
    const text = unsealText(keys.readMarks.positions, positions.get(reader), context)?.trim();
    // The position of an account that has left and joined again was 'none' until its next visit.
    return [accountId, (text && text !== 'none' ? text : '').padStart(positionLength)];
  });
  await insertRegister(db, keys, 'readMarks', classId, entries);
}

async function movePreferences(
  db: Kysely<Tables>,
  keys: ServerKeys,
  { classId, salt }: Tables['classes'],
  accountIds: readonly string[],
  pending: ReadonlyMap<string, SavedPreferences | null>,
): Promise<void> {
  const rows = await db
    .selectFrom('preferences')
    .select(['owner', 'content'])
    .where('classId', '=', classId)
    .execute();
  const contents = new Map(rows.map(({ owner, content }) => [owner, content]));
  const entries = accountIds.flatMap((accountId) => {
    const owner = computeId(keys.preferences.ids, salt, accountId);
    const context = `${classId} ${owner}`;
    const text = unsealText(keys.preferences.contents, contents.get(owner), context);
    const stored = text === null ? null : (JSON.parse(text) as SavedPreferences);
    const preferences = pending.has(context) ? pending.get(context) : stored;
    // Version 0 stood for preferences that were erased.
    return preferences && preferences.version > 0 ? [[accountId, preferences]] : [];
  });
  await insertRegister(db, keys, 'preferences', classId, entries);
}

/** Reads the changes that were accepted and not yet written, by the context of their rows; null erases a row. */
async function readJournal(
  db: Kysely<Tables>,
  contents: KeyObject,
): Promise<Map<string, SavedPreferences | null>> {
  const row = await db
    .selectFrom('serverMetadata')
    .select('value')
    .where('name', '=', journalName)
    .executeTakeFirst();
  if (!row) return new Map();
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', contents, '', 'pending', 32)));
  const journal = JSON.parse(unseal(key, row.value)) as
    | PendingPreferences[]
    | { pending: PendingPreferences[] };
  // An earlier version stored only the list.
  const changes = Array.isArray(journal) ? journal : journal.pending;
  return new Map(
    changes.map(({ owner, preferences }) => [`${owner.classId} ${owner.id}`, preferences]),
  );
}

async function moveRoles(db: Kysely<Tables>, keys: ServerKeys): Promise<void> {
  const rows = await db.selectFrom('roles').selectAll().execute();
  const roles = Map.groupBy(rows, ({ accountId }) => accountId);
  const entries = [...roles].map(([accountId, ofAccount]) => [
    accountId,
    ofAccount.map(({ classId, role, staffName }) => ({
      classId: classId || null,
      role,
      staffName,
    })),
  ]);
  await insertRegister(db, keys, 'staff', '', entries);
}

async function insertRegister(
  db: Kysely<Tables>,
  keys: ServerKeys,
  kind: keyof typeof steps,
  classId: string,
  entries: readonly unknown[],
): Promise<void> {
  if (entries.length === 0) return;
  const options = { step: steps[kind], context: `register ${kind} ${classId}` };
  const content = sealRecord(keys.registers[kind], entries, options);
  await db
    .insertInto('registers')
    .values({ classId, kind, version: createRandomId(), content })
    .execute();
}

/** @returns null if there is no value, or if the key did not seal it: no server could open it */
export function unsealText(
  key: KeyObject,
  sealed: string | null | undefined,
  context: string,
): string | null {
  try {
    return sealed ? unseal(key, sealed, context) : null;
  } catch {
    return null;
  }
}
