import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';
import type { Preferences, SavedPreferences } from '#contract/preferences.ts';
import { applyDecisions, decide, grantRole, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
const emptyPreferences: SavedPreferences = { ignored: [], hidden: [], muted: false, version: 0 };
let rid = 8_000_000;

const getPreferences = (student: TestClient, classId: string) =>
  student.call('readPreferences', { params: { classId } });

function save(student: TestClient, classId: string, change: Partial<Preferences>, version = 0) {
  return student.call('savePreferences', {
    params: { classId },
    body: { ...emptyPreferences, ...change, version },
  });
}

async function getMemberId(student: TestClient, classId: string): Promise<string> {
  return (await student.snapshot(classId)).me.memberId;
}

/** @returns the frame with the count, and the types of all frames up to it */
async function subscribeLightly(socket: TestSocket, classId: string) {
  const ownRid = ++rid;
  const from = socket.frames.length;
  socket.send({ type: 'subscribe', rid: ownRid, classId, light: true });
  const unread = await socket.waitFor('unread', (frame) => frame.rid === ownRid);
  return { unread, types: socket.frames.slice(from).map(({ type }) => type) };
}

const listRows = async (classId: string) =>
  (await app.database.tables())['registers']!.filter(
    (row) => row['classId'] === classId && row['kind'] === 'preferences',
  );

/** Creates a class of Ada, Ben and Cem, in which Ben ignores Ada. */
async function createClassWithIgnoredAda() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cem = await app.createStudent();
  await cem.join(classId);
  const adaId = await getMemberId(ada, classId);
  await save(ben, classId, { ignored: [adaId] });
  return { ada, ben, cem, classId, adaId };
}

describe('preferences', () => {
  test('each member has separate preferences in each class [SELF-1, SELF-2]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const otherClassId = await ben.createClass();

    expect(await getPreferences(ben, classId)).toEqual(emptyPreferences);

    const change = {
      ignored: [await getMemberId(ada, classId)],
      hidden: [randomUUID()],
      muted: true,
    };
    expect(await save(ben, classId, change)).toEqual({ ...change, version: 1 });
    expect(await getPreferences(ben, classId)).toEqual({ ...change, version: 1 });
    expect(await getPreferences(ben, otherClassId)).toEqual(emptyPreferences);
    expect(await getPreferences(ada, classId)).toEqual(emptyPreferences);
    expect(await save(ben, classId, {}, 1)).toEqual({ ...emptyPreferences, version: 2 });
  });

  test('a change of preferences that does not name the stored version is rejected [SELF-2]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    await save(ben, classId, { muted: true });

    await expect(save(ben, classId, {}, 0)).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
    await expect(save(ben, classId, {}, 2)).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
  });

  test('preferences have at most 100 ignored members and 500 hidden messages [SELF-5, SELF-6]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    const ids = Array.from({ length: 101 }, (_, n) => String(n).padStart(16, 'A'));
    const hiddenIds = Array.from({ length: limits.hiddenMessages + 1 }, () => randomUUID());

    await expect(save(ben, classId, { ignored: ids })).rejects.toThrow(
      errors.TOO_MANY_IGNORED.message,
    );
    await expect(save(ben, classId, { hidden: hiddenIds })).rejects.toMatchObject({
      code: 'INVALID',
    });

    const ownId = await getMemberId(ben, classId);
    await expect(save(ben, classId, { ignored: [ownId] })).rejects.toThrow(
      'You cannot ignore yourself.',
    );
    await expect(save(ben, classId, { ignored: [ids[0]!, ids[0]!] })).rejects.toMatchObject({
      code: 'INVALID',
    });
    expect(await getPreferences(ben, classId)).toEqual(emptyPreferences);
    const fullLists = { ignored: ids.slice(1), hidden: hiddenIds.slice(1) };
    expect(await save(ben, classId, fullLists)).toMatchObject({ version: 1, ...fullLists });
  });

  test('changed preferences reach all devices of the member and no one else [SELF-4]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const laptop = await ben.connectTo(classId);
    const phone = ben.newBrowser();
    await phone.signIn();
    const idle = await phone.connect();
    const adaSocket = await ada.connectTo(classId);
    const adaId = await getMemberId(ada, classId);
    await save(ben, classId, { ignored: [adaId] });

    for (const socket of [laptop, idle]) {
      expect(await socket.waitFor('preferences')).toEqual({
        type: 'preferences',
        classId,
        ...emptyPreferences,
        ignored: [adaId],
        version: 1,
      });
    }

    await adaSocket.request({});
    expect(adaSocket.frames.some(({ type }) => type === 'preferences')).toBe(false);
  });

  test('a subscription begins with the preferences if there are any, in a frame of fixed size [SELF-4, SELF-24]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ben.connect();

    expect((await subscribeLightly(socket, classId)).types).toEqual(['unread']);

    await save(ben, classId, { muted: true });
    expect((await subscribeLightly(socket, classId)).types.slice(-2)).toEqual([
      'preferences',
      'unread',
    ]);

    const newSocket = await ben.connectTo(classId);
    expect(newSocket.frames.map(({ type }) => type)).toEqual([
      'welcome',
      'preferences',
      'snapshot',
      'live',
    ]);

    await save(ben, classId, { ignored: [await getMemberId(ada, classId)] }, 1);
    await newSocket.waitFor('preferences', ({ version }) => version === 2);
    const sizes = newSocket.frames.flatMap(({ type }, n) =>
      type === 'preferences' ? [newSocket.frameSizes[n]] : [],
    );
    expect(sizes).toHaveLength(2);
    expect(sizes[0]).toBe(sizes[1]);
  });
});

describe('messages of an ignored member', () => {
  test('messages and mentions of an ignored member are not counted as unread [SELF-10]', async () => {
    const { ada, ben, cem, classId } = await createClassWithIgnoredAda();
    const benSocket = await ben.connect();
    await ben.post(classId, 'so that they can mention me');
    await subscribeLightly(benSocket, classId);
    const mention = toMentionToken(await getMemberId(ben, classId));
    await ada.post(classId, `one ${mention}`);
    await cem.post(classId, `two ${mention}`);
    await ada.post(classId, 'three');

    const { unread } = await subscribeLightly(benSocket, classId);

    expect(unread).toMatchObject({ unread: 1, mentions: 1 });

    await save(ben, classId, {}, 1);
    const nextCount = await subscribeLightly(benSocket, classId);
    expect(nextCount.unread).toMatchObject({ unread: 3, mentions: 2 });
  });

  test('removed messages are not counted as unread [SELF-10, MOD-18]', async () => {
    const { ada, ben, cem, classId } = await createClassWithIgnoredAda();
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
});

describe('saved preferences', () => {
  test('saved preferences end with the term [ADMIN-41]', async () => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    await save(ben, classId, { muted: true });

    expect(await runAdminCommand(app.database.settings, 'archive-class', classId)).toMatchObject({
      code: 0,
    });
    expect(await listRows(classId)).toEqual([]);
    expect(await getPreferences(ben, classId)).toEqual(emptyPreferences);
    expect(await save(ben, classId, { muted: true })).toMatchObject({ version: 1 });
  });

  test('saved preferences are in the export of their owner [PROFILE-18]', async () => {
    const { ben, classId, adaId } = await createClassWithIgnoredAda();

    const file = accountExportSchema.parse(await ben.call('exportAccount', {}));

    const classExport = file.classes.find((classItem) => classItem.classId === classId);
    expect(classExport!.preferences).toEqual({ ignored: [adaId], hidden: [], muted: false });
  });
});
