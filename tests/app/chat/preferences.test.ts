import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';
import type { Preferences, SavedPreferences } from '#contract/preferences.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { unsealPreferences } from '#server/chat/members/preferences.ts';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  password,
  createClassWithTwoMembers,
  type TestClient,
} from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
const none: SavedPreferences = { ignored: [], hidden: [], muted: false, version: 0 };
let rid = 8_000_000;

const read = (who: TestClient, classId: string) =>
  who.call('readPreferences', { params: { classId } });

function save(who: TestClient, classId: string, change: Partial<Preferences>, version = 0) {
  return who.call('savePreferences', {
    params: { classId },
    body: { ...none, ...change, version },
  });
}

async function getMemberId(who: TestClient, classId: string): Promise<string> {
  return (await who.snapshot(classId)).me.memberId;
}

/** @returns the frames up to the count, and the size of the one with the count */
async function subscribeLightly(socket: TestSocket, classId: string) {
  const own = ++rid;
  const from = socket.frames.length;
  socket.send({ type: 'subscribe', rid: own, classId, light: true });
  const unread = await socket.waitFor('unread', (one) => one.rid === own);
  return { unread, types: socket.frames.slice(from).map(({ type }) => type) };
}

const listRows = async (classId: string) =>
  (await app.database.tables())['preferences']!.filter((row) => row['classId'] === classId);

/** What the server key opens. */
async function listSavedPreferences(classId: string): Promise<SavedPreferences[]> {
  const { SECRET_KEY = null, DATA_DIR } = app.database.settings;
  const keys = loadServerKeys(SECRET_KEY, DATA_DIR).preferences;
  return (await listRows(classId)).map(({ owner, content }) =>
    unsealPreferences(keys, { classId, id: String(owner) }, String(content)),
  );
}

/** The values that wait to be written as rows. */
const journal = () =>
  app.database.query(`select value from "serverMetadata" where name = 'pendingPreferences'`);

/** Ada, Ben and Cem are members, and Ben ignores Ada. */
async function benIgnoresAda() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent();
  await cem.join(classId);
  const adaId = await getMemberId(ada, classId);
  await save(ben, classId, { ignored: [adaId] });
  return { ada, ben, cem, classId, adaId };
}

describe('preferences', () => {
  test('preferences at their limits keep the value that waits small [SELF-51]', async () => {
    const { classId } = await createClassWithTwoMembers(app);
    const hidden = () => Array.from({ length: limits.hiddenMessages }, () => randomUUID());
    let largest = 0;
    for (let n = 0; n < 12; n++) {
      const member = await app.createStudent();
      await member.join(classId);
      await save(member, classId, { hidden: hidden() });
      largest = Math.max(largest, String((await journal())[0]?.['value'] ?? '').length);
    }
    expect(largest).toBeGreaterThan(0);
    expect(largest).toBeLessThan(230_000);
    expect((await listRows(classId)).length).toBeGreaterThan(0);
  });

  test('preferences are the member’s own, per class, and the whole value is saved [SELF-1, SELF-2]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const other = await ben.createClass();
    expect(await read(ben, classId)).toEqual(none);
    const change = {
      ignored: [await getMemberId(ada, classId)],
      hidden: [randomUUID()],
      muted: true,
    };
    expect(await save(ben, classId, change)).toEqual({ ...change, version: 1 });
    expect(await read(ben, classId)).toEqual({ ...change, version: 1 });
    expect(await read(ben, other)).toEqual(none);
    expect(await read(ada, classId)).toEqual(none);
    expect(await save(ben, classId, {}, 1)).toEqual({ ...none, version: 2 });
  });

  test('preferences of a class are for its members alone [SELF-1, HTTP-3]', async () => {
    const { classId } = await createClassWithTwoMembers(app);
    const stranger = await app.createStudent();
    await expect(read(stranger, classId)).rejects.toThrow(errors.NOT_FOUND.message);
    await expect(save(stranger, classId, {})).rejects.toThrow(errors.NOT_FOUND.message);
  });

  test('preferences that two devices change at the same time: one change wins, the other is told [SELF-3]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    const results = await Promise.allSettled([
      save(ben, classId, { muted: true }),
      save(ben, classId, { hidden: [randomUUID()] }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const rejected = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(rejected.reason).toMatchObject({ code: 'PREFERENCES_CHANGED' });
    expect((await read(ben, classId)).version).toBe(1);
    await expect(save(ben, classId, {}, 0)).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
    await expect(save(ben, classId, {}, 2)).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
  });

  test('name at most 100 people, not oneself, and at most 500 messages [SELF-5, SELF-6]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    const ids = Array.from({ length: 101 }, (_, n) => String(n).padStart(16, 'A'));
    const hidden = Array.from({ length: limits.hiddenMessages + 1 }, () => randomUUID());
    await expect(save(ben, classId, { ignored: ids })).rejects.toThrow(
      errors.TOO_MANY_IGNORED.message,
    );
    await expect(save(ben, classId, { hidden })).rejects.toMatchObject({ code: 'INVALID' });
    const own = await getMemberId(ben, classId);
    await expect(save(ben, classId, { ignored: [own] })).rejects.toThrow(
      'You cannot ignore yourself.',
    );
    await expect(save(ben, classId, { ignored: [ids[0]!, ids[0]!] })).rejects.toMatchObject({
      code: 'INVALID',
    });
    expect(await read(ben, classId)).toEqual(none);
    const full = { ignored: ids.slice(1), hidden: hidden.slice(1) };
    expect(await save(ben, classId, full)).toMatchObject({ version: 1, ...full });
  });

  test('preferences reach all devices of the member immediately, and no one else [SELF-4]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const laptop = await ben.connectTo(classId);
    const phone = ben.newBrowser();
    await phone.signIn();
    const idle = await phone.connect();
    const others = await ada.connectTo(classId);
    const adaId = await getMemberId(ada, classId);
    await save(ben, classId, { ignored: [adaId] });
    for (const socket of [laptop, idle]) {
      expect(await socket.waitFor('preferences')).toEqual({
        type: 'preferences',
        classId,
        ...none,
        ignored: [adaId],
        version: 1,
      });
    }
    await others.request({});
    expect(others.frames.some(({ type }) => type === 'preferences')).toBe(false);
  });

  test('come before the messages and the counts of a subscription, padded, and only if there are any [SELF-4, SELF-13]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ben.connect();
    expect((await subscribeLightly(socket, classId)).types).toEqual(['unread']);
    await save(ben, classId, { muted: true });
    expect((await subscribeLightly(socket, classId)).types.slice(-2)).toEqual([
      'preferences',
      'unread',
    ]);
    const fresh = await ben.connectTo(classId);
    expect(fresh.frames.map(({ type }) => type)).toEqual([
      'welcome',
      'preferences',
      'snapshot',
      'live',
    ]);
    await save(ben, classId, { ignored: [await getMemberId(ada, classId)] }, 1);
    await fresh.waitFor('preferences', ({ version }) => version === 2);
    const sizes = fresh.frames.flatMap(({ type }, n) =>
      type === 'preferences' ? [fresh.frameSizes[n]] : [],
    );
    expect(sizes).toEqual([1024, 1024]);
  });
});

describe('messages of an ignored member', () => {
  test('messages of an ignored member are not counted as unread, and neither are their mentions [SELF-10]', async () => {
    const { ada, ben, cem, classId } = await benIgnoresAda();
    const watching = await ben.connect();
    await ben.post(classId, 'so that they can mention me');
    await subscribeLightly(watching, classId);
    const mention = toMentionToken(await getMemberId(ben, classId));
    await ada.post(classId, `one ${mention}`);
    await cem.post(classId, `two ${mention}`);
    await ada.post(classId, 'three');
    const { unread } = await subscribeLightly(watching, classId);
    expect(unread).toMatchObject({ unread: 1, mentions: 1 });
    await save(ben, classId, {}, 1);
    const again = await subscribeLightly(watching, classId);
    expect(again.unread).toMatchObject({ unread: 3, mentions: 2 });
  });

  test('messages of an ignored member are not counted, and neither are removed messages of others [SELF-10, MOD-18]', async () => {
    const { ada, ben, cem, classId } = await benIgnoresAda();
    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Sam');
    await subscribeLightly(await ben.connect(), classId);
    await cem.post(classId, 'good words');
    const { id } = await cem.post(classId, 'bad words');
    await report(ada, classId, { messageId: id });
    await decide(operator, id, { decision: 'remove' });
    await applyDecisions(app);
    const { unread } = await subscribeLightly(await ben.connect(), classId);
    expect(unread).toMatchObject({ unread: 1 });
  });

  test('cause the same notices of the same size for everyone, with another number in it [SELF-11, WIRE-44]', async () => {
    const { ada, ben, cem, classId } = await benIgnoresAda();
    const watching = await ben.connect();
    const others = await cem.connect();
    for (const socket of [watching, others]) await subscribeLightly(socket, classId);
    const writing = await ada.connect();
    const mention = toMentionToken(await getMemberId(ben, classId));
    for (const text of ['hello', `hello ${mention}`]) await writing.post(classId, text);
    // Several messages of one commit are one notice.
    await Promise.all(Array.from({ length: 12 }, (_, n) => writing.post(classId, `more ${n}`)));
    const last = (await writing.post(classId, 'the last one')) as unknown as { seq: number };
    const notices = [];
    for (const socket of [watching, others]) {
      await socket.waitFor('activity', ({ seq }) => seq === last.seq);
      notices.push(
        socket.frames.flatMap((frame, n) => {
          if (frame.type !== 'activity') return [];
          return [{ ...frame, size: socket.frameSizes[n] }];
        }),
      );
    }
    const [toBen, toCem] = notices as [(typeof notices)[0], (typeof notices)[0]];
    const sizes = (list: typeof toBen) => list.map(({ seq, size }) => [seq, size]);
    expect(sizes(toBen)).toEqual(sizes(toCem));
    expect(toBen.every(({ posted, mentions }) => posted === 0 && mentions === 0)).toBe(true);
    expect(toCem.reduce((sum, { posted }) => sum + posted, 0)).toBe(15);
  });
});

describe('saved preferences', () => {
  test('survive a crash from the moment of the answer, and become a row later [SELF-51]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    // No earlier change waits, so the next batch is at least 20 seconds away.
    await app.restart();
    await save(ben, classId, { muted: true });
    expect(await listRows(classId)).toEqual([]);
    const [waiting] = await journal();
    expect(String(waiting!['value'])).not.toContain(classId);
    await app.restart();
    expect(await read(ben, classId)).toEqual({ ...none, muted: true, version: 1 });
    const [row, ...others] = await listRows(classId);
    expect(others).toEqual([]);
    expect(Object.keys(row!).toSorted()).toEqual(['classId', 'content', 'owner']);
    expect(await journal()).toEqual([]);
    // As after a crash: the row is gone, and the sealed value is there.
    await save(ben, classId, { muted: false }, 1);
    const [crashed] = await journal();
    await app.restart(async () => {
      await app.database.query(`delete from preferences`);
      await app.database.query(
        `insert into "serverMetadata" values ('pendingPreferences', '${String(crashed!['value'])}')`,
      );
    });
    expect(await read(ben, classId)).toEqual({ ...none, version: 2 });
  });

  test('saved preferences end with the membership [SELF-21]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    await save(ben, classId, { muted: true });
    await app.restart();
    await ben.leave(classId);
    await ben.join(classId);
    expect(await read(ben, classId)).toEqual(none);
    await app.restart();
    expect(await listSavedPreferences(classId)).toEqual([none]);
    expect(await read(ben, classId)).toEqual(none);
  });

  test('saved preferences end with the account [SELF-21]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    await save(ben, classId, { muted: true });
    await app.restart();
    expect(await listRows(classId)).toHaveLength(1);
    await ben.call('deleteAccount', { body: { password, messages: 'keep' } });
    await app.restart();
    expect(await listSavedPreferences(classId)).toEqual([none]);
  });

  test('saved preferences end with the term [SELF-22]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    await save(ben, classId, { muted: true });
    await app.restart();
    expect(await runAdminCommand(app.database.settings, 'archive-class', classId)).toMatchObject({
      code: 0,
    });
    expect(await listRows(classId)).toEqual([]);
    expect(await read(ben, classId)).toEqual(none);
    expect(await save(ben, classId, { muted: true })).toMatchObject({ version: 1 });
  });

  test('saved preferences are in the export of their owner [SELF-23, PROFILE-18]', async () => {
    const { ben, classId, adaId } = await benIgnoresAda();
    const file = accountExportSchema.parse(await ben.call('exportAccount', {}));
    const own = file.classes.find((one) => one.classId === classId);
    expect(own!.preferences).toEqual({ ignored: [adaId], hidden: [], muted: false });
  });

  test('saved preferences of all sizes up to a step have one size, and nothing of them is readable [SELF-24]', async () => {
    const { ada, ben, cem, classId, adaId } = await benIgnoresAda();
    const hidden = Array.from({ length: 60 }, () => randomUUID());
    await save(cem, classId, { hidden });
    await save(ada, classId, { muted: true });
    await app.restart();
    const rows = await listRows(classId);
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map(({ content }) => String(content).length)).size).toBe(1);
    const { preferences, ...others } = await app.database.tables();
    for (const secret of [adaId, hidden[0]!, 'muted', 'version']) {
      expect(JSON.stringify(preferences)).not.toContain(secret);
    }
    for (const { owner, content } of rows) {
      expect(JSON.stringify(others)).not.toContain(owner);
      expect(JSON.stringify(others)).not.toContain(content);
    }
    expect(await read(ben, classId)).toMatchObject({ ignored: [adaId] });
  });
});
