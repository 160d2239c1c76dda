// Read positions and preferences move from rows, whose ids were derived from the account, the class and the server key, into the
// registers of their classes.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { SavedPreferences } from '#contract/preferences.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { openRecord, sealRecord, unseal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { computeId } from './0018-read-marks.ts';

/** The tables as they are before this migration. */
interface Tables {
  classes: { classId: string; salt: string };
  readMarks: { classId: string; reader: string; position: string };
  preferences: { classId: string; owner: string; content: string };
  serverMetadata: { name: string; value: string };
  registers: { classId: string; kind: string; version: string; content: Buffer };
}

const journalName = 'pendingPreferences';
const steps = { readMarks: 1024, preferences: 4096 };
const positionLength = 10;

export async function up(untypedDb: Kysely<unknown>, _types: unknown, keys: ServerKeys | null) {
  const db = untypedDb as Kysely<Tables>;
  if (keys) {
    const pending = await readJournal(db, keys.preferences.contents);
    for (const row of await db.selectFrom('classes').select(['classId', 'salt']).execute()) {
      const accountIds = await listMembers(db, keys, row.classId);
      await moveReadMarks(db, keys, row, accountIds);
      await movePreferences(db, keys, row, accountIds, pending);
    }
  }
  await db.deleteFrom('serverMetadata').where('name', '=', journalName).execute();
  await db.schema.dropTable('readMarks').execute();
  await db.schema.dropTable('preferences').execute();
}

async function listMembers(
  db: Kysely<Tables>,
  keys: ServerKeys,
  classId: string,
): Promise<string[]> {
  const row = await db
    .selectFrom('registers')
    .select('content')
    .where('classId', '=', classId)
    .where('kind', '=', 'members')
    .executeTakeFirst();
  if (!row) return [];
  const context = `register members ${classId}`;
  const members = openRecord(keys.registers.members, row.content, context) as [string, unknown][];
  return members.map(([accountId]) => accountId);
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
  const positions = new Map(rows.map(({ reader, position }) => [reader, position]));
  const entries = accountIds.map((accountId) => {
    const reader = computeId(keys.readMarks.ids, salt, accountId);
    const sealed = positions.get(reader);
    const text = sealed && open(keys.readMarks.positions, sealed, `${classId} ${reader}`)?.trim();
    // The position of an account that has left and joined again was 'none' until its next visit.
    return [accountId, (text && text !== 'none' ? text : '').padStart(positionLength)] as const;
  });
  if (rows.length > 0) await insertRegister(db, keys, 'readMarks', classId, entries);
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
    const sealed = contents.get(owner);
    const text = sealed === undefined ? null : open(keys.preferences.contents, sealed, context);
    const stored = text === null ? null : (JSON.parse(text) as SavedPreferences);
    const preferences = pending.has(context) ? pending.get(context) : stored;
    // Version 0 stood for preferences that were erased.
    return preferences && preferences.version > 0 ? [[accountId, preferences] as const] : [];
  });
  if (entries.length > 0) await insertRegister(db, keys, 'preferences', classId, entries);
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

interface PendingPreferences {
  owner: { classId: string; id: string };
  preferences: SavedPreferences | null;
}

async function insertRegister(
  db: Kysely<Tables>,
  keys: ServerKeys,
  kind: 'readMarks' | 'preferences',
  classId: string,
  entries: readonly (readonly [accountId: string, value: unknown])[],
): Promise<void> {
  const options = { step: steps[kind], context: `register ${kind} ${classId}` };
  const content = sealRecord(keys.registers[kind], entries, options);
  await db
    .insertInto('registers')
    .values({ classId, kind, version: createRandomId(), content })
    .execute();
}

/** @returns null if the row was damaged: no server could open it */
function open(key: KeyObject, sealed: string, context: string): string | null {
  try {
    return unseal(key, sealed, context);
  } catch {
    return null;
  }
}
