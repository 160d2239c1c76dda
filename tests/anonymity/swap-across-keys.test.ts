// Two accounts exchange their personas. Anyone who has everything but the new server key, or but the salt of an ended class, must
// not notice a difference in the database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { loadConfig } from '#server/config/config.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import { loadSecret, replaceServerKey } from '#tests/support/change-key.ts';
import { grantRole, report, suspend } from '#tests/support/moderation.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { startApp } from '#tests/support/running-app.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { writeChange } from '#tests/support/write-change.ts';
import { watchKeys, type KeyWatch, type Output } from './key-watch.ts';
import { waitUntilResealed } from './settled.ts';
import { listStoredAccounts } from '#tests/support/stored-accounts.ts';

type Settings = TestDatabase['settings'];

let watch: KeyWatch;

/** A database in which the early account is the first persona, and one in which the late one is. */
let worlds: TestDatabase[] = [];
/** The same bytes in both. */
let picture: Uint8Array;

beforeAll(async () => {
  watch = watchKeys();
  picture = await createJpeg(8, 8);
  worlds = [await play(false), await play(true)];
});
afterAll(async () => {
  watch.stop();
  for (const world of worlds) await world.drop();
});

/** The persona of each of these messages. */
const voices: Readonly<Record<string, string>> = {
  'First words': 'FIRST',
  'Second words': 'SECOND',
  'Words of the owner': 'OWNER',
};

async function play(isSwapped: boolean): Promise<TestDatabase> {
  const app = await startApp();
  // On a slow machine, it would otherwise seal some of the accounts of one world only.
  await waitUntilResealed(app);
  const owner = await app.createStudent('owner');
  const early = await app.createStudent('early');
  const lateStudent = await app.createStudent('zoe.a.much.longer.name');
  await grantRole(app, owner, null, 'Olga');
  const classId = await owner.createClass();
  for (const student of [early, lateStudent]) await student.join(classId);
  const [first, second] = isSwapped ? [lateStudent, early] : [early, lateStudent];
  const params = { classId };
  await owner.post(classId, 'Words of the owner');
  const socket = await first.connectTo(classId);
  const { id } = await socket.post(classId, 'First words');
  await postPictures(socket, classId, [await upload(first, classId, picture)]);
  const { memberId } = (await first.snapshot(classId)).me;
  await second.post(classId, 'Second words');
  await second.post(classId, `I mean ${toMentionToken(memberId)}`);
  await first.call('changePersona', { params, body: { icon: `${memberId}.3` } });
  await second.call('changePersona', { params, body: { anonymousName: 'Otter' } });
  const preferences = { ignored: [memberId], hidden: [id], muted: true, version: 0 };
  await second.call('savePreferences', { params, body: preferences });
  await report(second, classId, { messageId: id, text: 'Him again' });
  await suspend(app, owner, id);
  const { sanctions } = await first.call('listOwnSanctions', {});
  const { sanctionId } = sanctions[0]!;
  await first.call('appeal', { params: { sanctionId }, body: { text: 'I object' } });
  await app.close();
  return app.database;
}

/**
 * Changes a copy of each world, and returns what someone sees in them afterwards.
 *
 * @param change returns the settings that the copy has then
 */
async function getViewsAfter(
  change: (copy: TestDatabase) => Promise<Settings>,
  canCompute: (settings: Settings) => (output: Output) => boolean,
): Promise<Record<string, string[]>[]> {
  const views = [];
  for (const world of worlds) {
    const copy = await world.copy();
    const settings = await change(copy);
    views.push(await getView({ ...copy, settings }, canCompute(settings)));
    await copy.drop();
  }
  return views;
}

/** All rows in no order. Outputs that someone can compute have what they are computed from in their place. */
async function getView(database: TestDatabase, canCompute: (output: Output) => boolean) {
  const { kysely_migration: _, ...tables } = await database.tables();
  const names = new Map<string, string>();
  for (const { id, email } of await listStoredAccounts(database)) names.set(id, `ID of ${email}`);
  for (const { text, memberId } of tables['messages']!) {
    const voice = voices[String(text)];
    if (voice) names.set(String(memberId), voice);
  }
  const describe = (text: string): string => {
    const named = [...names].reduce((rest, [id, name]) => rest.replaceAll(id, name), text);
    return watch.replaceIn(named, (output, length) => {
      if (canCompute(output)) return `(${output.key}: ${describe(output.input)})`;
      return output.kind === 'encrypted' ? `(${output.key}, ${length})` : 'RANDOM';
    });
  };
  const rows = Object.entries(tables).map(([table, all]) => {
    const described = all.map((row) =>
      describe(JSON.stringify(encodeBytes(row)))
        .replaceAll(/\b\d{13}\b/g, 'TIME')
        // Which icon of a member is free depends on random ids (PERSONA-30).
        .replaceAll(/(?<="icon":"[A-Z]+)\.[12](?=")/g, '')
        .replaceAll(/[$]argon2id[^"]+/g, 'PASSWORD')
        // Ids of the log have eight characters.
        .replaceAll(/[\w-]{16,}|(?<="id":")[\w-]{8}(?=")/g, 'RANDOM'),
    );
    return [table, described.toSorted()] as const;
  });
  return Object.fromEntries(rows) as Record<string, string[]>;
}

/** As text, in which outputs of keys are found. */
const encodeBytes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]: [string, unknown]) => [
      column,
      Buffer.isBuffer(value) ? value.toString('base64url') : value,
    ]),
  );

const changeKey = ({ settings }: TestDatabase) => replaceServerKey(settings);

async function removeLinks({ settings, query }: TestDatabase): Promise<Settings> {
  const [row] = await query('select "classId" from classes');
  await writeChange(loadConfig(settings).database, (unitOfWork) =>
    endClass(unitOfWork, String(row!['classId']), '', 0),
  );
  return settings;
}

test('the old key does not show which account is behind which persona [ADMIN-73, ANON-20]', async () => {
  const [firstView, secondView] = await getViewsAfter(changeKey, (settings) => ({ secret }) => {
    return secret !== loadSecret(settings);
  });

  expect(JSON.stringify(firstView)).toContain('FIRST');
  expect(firstView).toEqual(secondView);
});

test('the server key shows only suspensions of a class after the links of a class are removed [ADMIN-73, ANON-20, ANON-26]', async () => {
  const salts = await Promise.all(
    worlds.map(async (world) => {
      const [row] = await world.query('select salt from classes');
      return String(row!['salt']);
    }),
  );

  const [firstView, secondView] = await getViewsAfter(removeLinks, () => ({ kind, input }) => {
    return kind !== 'hash' && !salts.some((salt) => input.includes(salt));
  });

  expect(JSON.stringify(firstView)).toContain('FIRST');
  expect({ ...firstView, suspensions: [] }).toEqual({ ...secondView, suspensions: [] });
  expect(firstView!['suspensions']).not.toEqual(secondView!['suspensions']);
});

test('the new key shows which account is behind which persona [ADMIN-73]', async () => {
  const [firstView, secondView] = await getViewsAfter(changeKey, () => () => true);

  expect(firstView).not.toEqual(secondView);
});
