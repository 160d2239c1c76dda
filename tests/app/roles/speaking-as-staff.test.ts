// Instructors and assistants who speak as staff, as other members see them.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { listStoredRoles } from '#tests/support/roles.ts';

const app = setUpApp();
afterEach(() => vi.useRealTimers());
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

interface Scene {
  lee: TestClient;
  ben: TestClient;
  classId: string;
  /** The socket of Lee, subscribed to the class. */
  leeSocket: TestSocket;
  /** The socket of another member. */
  benSocket: TestSocket;
  /** The memberIds of Lee. */
  anonymous: string;
  staff: string;
}

/** Creates a class with Lee, who is staff, and another member. */
async function setScene(name = 'Prof. Lee'): Promise<Scene> {
  const lee = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ben.createClass();
  await lee.join(classId);
  await grantStaff(app, lee, classId, name);
  const leeSocket = await lee.connect();
  const benSocket = await ben.connect();
  const { me } = await leeSocket.subscribe(classId);
  await benSocket.subscribe(classId);
  const { staff } = await leeSocket.waitFor('live');
  return {
    lee,
    ben,
    classId,
    leeSocket: leeSocket,
    benSocket: benSocket,
    anonymous: me.memberId,
    staff: staff!.persona.memberId,
  };
}

const getErrorCode = async (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: AppError) => error.code,
  );

async function speak({ leeSocket, classId }: Scene, text: string, fields: object = {}) {
  const id = randomUUID();
  const reply = await leeSocket.request({
    type: 'post',
    classId,
    id,
    text,
    staff: true,
    ...fields,
  });
  return { ...reply, id };
}

const send = async ({ leeSocket, classId }: Scene, frame: object) => {
  const reply = await leeSocket.request({ classId, ...frame });
  return reply.type === 'nack' ? reply.code : null;
};

describe('the role', () => {
  test('commands grant and revoke the role of staff, and the audit log has them [MOD-2]', async () => {
    const lee = await app.createStudent();
    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Sam');
    const classId = await operator.createClass();
    await grantStaff(app, lee, classId, '  Prof.  Lee ');
    await grantRole(app, lee, classId, 'Kim Lee');
    const listRoles = async () => (await lee.call('me', {})).account?.roles;

    expect(await listRoles()).toHaveLength(2);
    expect(await listRoles()).toContainEqual({ classId, role: 'staff' });
    expect((await run('revoke-role', lee.email, classId)).code).toBe(0);
    expect(await listRoles()).toEqual([]);

    const { entries } = await operator.call('listAuditLog', { query: {} });
    const acts = entries.filter((entry) => entry.classId === classId);
    expect(acts.map(({ act, reason, memberId }) => [act, reason, memberId]).toReversed()).toEqual(
      expect.arrayContaining([
        ['grant-staff', 'Prof. Lee', null],
        ['revoke-role', 'Prof. Lee', null],
        ['revoke-role', 'Kim Lee', null],
      ]),
    );
    expect((await run('verify-audit')).code).toBe(0);
  });

  test('the role of staff needs a name that is unique in the class and no address [STAFF-2, STAFF-3]', async () => {
    const { lee, ben, classId } = await setScene('Dr. Ada Moss');
    const rename = (student: TestClient, anonymousName: string) =>
      student.call('changePersona', { params: { classId }, body: { anonymousName } });
    await rename(ben, 'Blue Fox');
    const otherStudent = await app.createStudent();
    const names = ['', 'a'.repeat(31), 'lee@university.edu', 'Lee 🎓', 'Anonymous', 'blue  FOX'];

    // The last name belongs to other staff.
    for (const name of [...names, 'dr ada moss']) {
      expect([name, (await run('grant-staff', otherStudent.email, classId, name)).code]).toEqual([
        name,
        1,
      ]);
    }
    expect((await run('grant-staff', otherStudent.email, 'AAAAAAAAAAAAAAAA', 'Kim')).code).toBe(1);
    expect((await run('grant-staff', 'nobody@university.edu', classId, 'Kim')).code).toBe(1);
    expect((await run('grant-staff', lee.email, classId, 'Ada Moss')).code).toBe(0);
    // The name is taken before the first message as staff, even for their own anonymous persona.
    for (const person of [ben, lee]) {
      expect(await getErrorCode(rename(person, 'ADA-MOSS'))).toBe('NAME_TAKEN');
    }

    await rename(ben, 'Ada Mossy');
  });

  test('only the role of staff allows to speak as staff [STAFF-4, STAFF-5]', async () => {
    const scene = await setScene();
    const { classId } = scene;
    const speakers = {
      operator: null,
      moderator: classId,
      elsewhere: await scene.ben.createClass(),
    };

    for (const [role, roleClassId] of Object.entries(speakers)) {
      const speaker = await app.createStudent();
      await speaker.join(classId);
      if (role === 'elsewhere') await grantStaff(app, speaker, roleClassId!, 'Prof. Else');
      else await grantRole(app, speaker, roleClassId, 'Sam');
      const speakerSocket = await speaker.connectTo(classId);
      expect([role, await speak({ ...scene, leeSocket: speakerSocket }, 'as staff')]).toMatchObject(
        [role, { code: 'NOT_ALLOWED' }],
      );
      expect(
        await getErrorCode(upload(speaker, classId, await createJpeg(), { as: 'staff' })),
      ).toBe('NOT_ALLOWED');
    }

    // The role without the membership does not allow it either.
    await scene.lee.leave(classId);
    expect(await speak(scene, 'as staff')).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a message as staff', () => {
  test('a message as staff always has the name and the badge [STAFF-5, STAFF-6]', async () => {
    const scene = await setScene();
    const { ben, classId, leeSocket, benSocket, anonymous, staff } = scene;
    await leeSocket.post(classId, 'anonymous words');
    const { id } = await speak(scene, 'official words');
    const persona = { memberId: staff, anonymousName: 'Prof. Lee', icon: staff, staff: true };

    const { items } = await benSocket.waitFor('events', (frame) =>
      frame.items.some((item) => item.kind === 'posted' && item.message.id === id),
    );

    expect(items).toMatchObject([{ persona, message: { memberId: staff } }]);
    expect(staff).not.toBe(anonymous);

    const reply = await benSocket.request({
      type: 'post',
      classId,
      id: randomUUID(),
      text: 'An answer',
      replyTo: id,
    });
    expect(reply.type).toBe('ack');

    const { messages, personas, me } = await ben.snapshot(classId);
    expect(personas).toContainEqual(persona);
    expect(personas.filter((candidate) => candidate.staff)).toEqual([persona]);
    expect(messages.at(-1)?.quote).toMatchObject({ anonymousName: 'Prof. Lee', staff: true });

    const params = { classId };
    const members = await ben.call('listMembers', { params, query: {} });
    expect(members.personas).toContainEqual(persona);

    const searchReply = await ben.call('searchMessages', { params, query: { query: 'official' } });
    expect(searchReply.personas).toEqual([persona]);
    expect(me.staff).toBeUndefined();
  });

  test('no row stores the staff persona next to the anonymous one [STAFF-8]', async () => {
    const scene = await setScene();
    const { lee, classId, anonymous, staff } = scene;
    const { imageId } = await upload(lee, classId, await createJpeg(), { as: 'staff' });
    const image = await upload(lee, classId, await createJpeg(7));
    // A picture stays with the persona that it was uploaded for.
    const toImages = (id: string) => ({ images: [{ imageId: id }] });

    expect(await speak(scene, '', toImages(image.imageId))).toMatchObject({ code: 'IMAGE_GONE' });
    expect(await speak(scene, '', toImages(imageId))).toMatchObject({ type: 'ack' });
    const tables = ['personas', 'messages', 'images', 'log', 'mentions', 'auditLog'];
    for (const table of tables) {
      const condition =
        table === 'personas' || table === 'images' ? '' : ` where "classId" = '${classId}'`;
      const rows = await app.database.query(`select * from "${table}"${condition}`);
      const linkingRows = rows.filter((row) => {
        const text = JSON.stringify(row);
        return text.includes(anonymous) && text.includes(staff);
      });
      expect([table, linkingRows]).toEqual([table, []]);
    }

    const imageRows = await app.database.query(
      `select "memberId" from images where "imageId" = '${imageId}'`,
    );
    expect(imageRows).toEqual([{ memberId: staff }]);
  });

  test('a retry as staff is acknowledged after the role was revoked, and the other persona is a conflict [STAFF-9]', async () => {
    const scene = await setScene();
    const { lee, classId } = scene;
    const { id } = await speak(scene, 'official words');
    const samePost = { type: 'post', id, text: 'official words' };

    expect(await send(scene, samePost)).toBe('ID_CONFLICT');

    expect(await run('revoke-role', lee.email, classId)).toMatchObject({ code: 0 });
    expect(await send(scene, { ...samePost, staff: true })).toBeNull();
    expect(await speak(scene, 'more words')).toMatchObject({
      code: 'NOT_ALLOWED',
      message: 'You can no longer speak as staff in this class.',
    });
  });

  test('staff can edit and delete their message as staff, but not react to it or report it [STAFF-10]', async () => {
    const scene = await setScene();
    const { lee, ben, classId, leeSocket, staff } = scene;
    const { id } = await speak(scene, 'official words');
    const { id: anonymousId } = await leeSocket.post(classId, 'anonymous words');

    expect(await send(scene, { type: 'react', messageId: id, emoji: '👍' })).toBe('OWN_REACTION');
    expect(await getErrorCode(report(lee, classId, { messageId: id }))).toBe('OWN_REPORT');
    expect(await getErrorCode(report(lee, classId, { memberId: staff }))).toBe('OWN_REPORT');
    const ownPersona = { ignored: [staff], hidden: [], muted: false, version: 0 };
    const ignore = (student: TestClient) =>
      getErrorCode(student.call('savePreferences', { params: { classId }, body: ownPersona }));
    expect(await ignore(lee)).toBe('INVALID');
    for (const messageId of [id, anonymousId]) {
      expect(await send(scene, { type: 'edit', messageId, text: 'changed' })).toBeNull();
    }

    const { messages } = await ben.snapshot(classId);
    expect(messages.map(({ memberId, text }) => [memberId === staff, text])).toEqual([
      [true, 'changed'],
      [false, 'changed'],
    ]);
    for (const messageId of [id, anonymousId]) {
      expect(await send(scene, { type: 'delete', messageId })).toBeNull();
    }
    expect((await ben.snapshot(classId)).messages).toEqual([]);
    // Members can ignore staff like everyone else.
    expect(await ignore(ben)).toBeNull();
  });

  test('staff are notified of mentions of both personas, and not of their own messages [STAFF-11]', async () => {
    const scene = await setScene();
    const { lee, ben, classId, leeSocket, anonymous, staff } = scene;
    await leeSocket.post(classId, 'anonymous words');
    await speak(scene, `official words to ${toMentionToken(anonymous)}`);
    await ben.post(classId, 'neither');
    await ben.post(classId, `to ${toMentionToken(staff)}`);

    await ben.post(classId, `to ${toMentionToken(anonymous)} and ${toMentionToken(staff)}`);

    const count = async (client: TestClient, from: number) => {
      const socket = await client.connect();
      await socket.subscribe(classId);
      socket.send({ type: 'read', classId, seq: from, back: true });
      await socket.request({ type: 'edit', classId, messageId: randomUUID(), text: 'x' });
      const lightSocket = await client.connect();
      lightSocket.send({ type: 'subscribe', rid: 9, classId, light: true });
      return { light: lightSocket, ...(await lightSocket.waitFor('unread')) };
    };
    const counts = await count(lee, 0);
    expect(counts).toMatchObject({ unread: 3, mentions: 2 });

    await speak(scene, 'more official words');
    await ben.post(classId, `again to ${toMentionToken(staff)}`);
    const { posted, mentions } = await counts.light.waitFor('activity');
    expect([posted, mentions]).toEqual([1, 1]);

    // A member who ignores people gets the count from another query.
    const body = { ignored: ['AAAAAAAAAAAAAAAA'], hidden: [], muted: false, version: 0 };
    await lee.call('savePreferences', { params: { classId }, body });
    expect(await count(lee, 0)).toMatchObject({ unread: 4, mentions: 3 });
    expect(await count(ben, 0)).toMatchObject({ unread: 3, mentions: 0 });
  });

  test('slow mode counts the two personas of staff separately [STAFF-12]', async () => {
    const scene = await setScene();
    const { ben, lee, classId, leeSocket } = scene;
    await grantRole(app, ben, classId, 'Sam');
    const set = (body: object) =>
      ben.call('changeClassSettings', { params: { classId }, body: { version: 0, ...body } });
    await set({ slowModeSeconds: 600 });

    expect(await leeSocket.post(classId, 'one')).toMatchObject({ type: 'ack' });
    expect(await speak(scene, 'two')).toMatchObject({ type: 'ack' });
    expect(await leeSocket.post(classId, 'three')).toMatchObject({ code: 'SLOW_MODE' });
    expect(await speak(scene, 'four')).toMatchObject({ code: 'SLOW_MODE' });

    await set({ version: 1, picturesOff: true });
    expect(await getErrorCode(upload(lee, classId, await createJpeg(), { as: 'staff' }))).toBe(
      'PICTURES_OFF',
    );

    await set({ version: 2, readOnly: true });
    expect(await speak(scene, 'five')).toMatchObject({ code: 'READ_ONLY' });
  });
});

test('a new staff name applies with the next message, and a revoked role keeps its messages [STAFF-2, STAFF-14]', async () => {
  const scene = await setScene('Prof. Lee');
  const { lee, ben, classId, leeSocket, staff } = scene;
  const { id } = await speak(scene, 'official words');
  await grantStaff(app, lee, classId, 'Prof. Lee-Moss');
  await leeSocket.waitFor(
    'staff',
    (frame) => frame.staff?.persona.anonymousName === 'Prof. Lee-Moss',
  );
  await speak(scene, 'more words');
  const listNames = async () => {
    const { personas } = await ben.snapshot(classId);
    return personas.map(({ anonymousName, staff: badge }) => [anonymousName, badge]);
  };

  expect(await listNames()).toEqual([['Prof. Lee-Moss', true]]);

  expect(await run('revoke-role', lee.email, classId)).toMatchObject({ code: 0 });
  const { staff: revoked } = await leeSocket.waitFor('staff', ({ staff: now }) => !now?.maySpeak);
  expect(revoked).toMatchObject({ maySpeak: false, persona: { memberId: staff } });
  expect(await listNames()).toEqual([['Prof. Lee-Moss', true]]);
  expect(await send(scene, { type: 'edit', messageId: id, text: 'x' })).toBe('NOT_ALLOWED');

  const rename = ben.call('changePersona', {
    params: { classId },
    body: { anonymousName: 'prof lee moss' },
  });
  expect(await getErrorCode(rename)).toMatch(/NAME_/);
  expect(await send(scene, { type: 'delete', messageId: id })).toBeNull();

  // A revoked role without a message leaves nothing.
  const { lee: other, classId: second, leeSocket: socket } = await setScene();
  expect(await run('revoke-role', other.email, second)).toMatchObject({ code: 0 });
  await socket.waitFor('staff', (frame) => frame.staff === null);
});

describe('a sanction', () => {
  async function setSanctionedScene(
    scene: Scene,
    as: 'anonymous' | 'staff',
    kind: 'mute' | 'remove',
  ) {
    const { ben, leeSocket, classId } = scene;
    const operator = await app.createStudent();
    await grantRole(app, operator, null, 'Sam');
    const { id } =
      as === 'staff' ? await speak(scene, 'bad words') : await leeSocket.post(classId, 'bad words');
    await report(ben, classId, { messageId: id });
    const [openCase] = await listCases(operator, { classId });
    expect(openCase?.persona.staff).toBe(as === 'staff' ? true : undefined);
    await decide(operator, id, {
      sanction: kind === 'mute' ? { kind, hours: 24 } : { kind },
      reason: 'Three warnings',
    });
    await applyDecisions(app);
    return { ...scene, leeSocket: await scene.lee.connect() };
  }

  for (const kind of ['mute', 'remove'] as const) {
    for (const as of ['anonymous', 'staff'] as const) {
      test(`(${kind}) of the ${as} persona leaves the other one as it was [STAFF-15]`, async () => {
        const scene = await setSanctionedScene(await setScene(), as, kind);
        const { lee, leeSocket, classId } = scene;

        await leeSocket.subscribe(classId);

        const { sanction, staff } = await leeSocket.waitFor('live');
        const reason = { kind: 'mute', reason: 'Three warnings' };
        expect(as === 'staff' ? staff?.sanction : sanction).toMatchObject(reason);
        expect(as === 'staff' ? sanction : staff?.sanction).toBeUndefined();

        const anonymous = await leeSocket.post(classId, 'words');
        const official = await speak(scene, 'official words');
        const [muted, free] = as === 'staff' ? [official, anonymous] : [anonymous, official];
        expect(muted).toMatchObject({ code: 'MUTED', sanction: reason });
        expect(free).toMatchObject({ type: 'ack' });

        const { classes } = await lee.call('listClasses', {});
        expect(classes.map((item) => item.classId)).toContain(classId);

        await lee.leave(classId);
        await lee.join(classId);
      });
    }
  }

  test('a sanction of a removed persona ends the membership when the role ends [STAFF-15]', async () => {
    const scene = await setSanctionedScene(await setScene(), 'anonymous', 'remove');
    const { lee, leeSocket, classId } = scene;
    await leeSocket.subscribe(classId);

    expect(await run('revoke-role', lee.email, classId)).toMatchObject({ code: 0 });

    expect(await leeSocket.waitFor('reset')).toMatchObject({ classId, reason: 'removed' });

    const history = lee.call('listMessages', { params: { classId }, query: {} });
    expect(await getErrorCode(history)).toBe('REMOVED_FROM_CLASS');
  });
});

describe('at the end', () => {
  test('no one can link the messages of staff to an account after the class has ended [MOD-32]', async () => {
    const scene = await setScene();
    const { lee, ben, classId, staff } = scene;
    await speak(scene, 'official words');

    expect((await run('archive-class', classId)).errors).toEqual([]);

    const { personas } = await ben.snapshot(classId);
    expect(personas).toMatchObject([{ memberId: staff, staff: true }]);
    expect(await speak(scene, 'more')).toMatchObject({ code: 'CLASS_ENDED' });

    const socket = await lee.connect();
    await socket.subscribe(classId);
    expect((await socket.waitFor('live')).staff?.persona.memberId).not.toBe(staff);
  });

  test('the messages as staff stay when their account is deleted [STAFF-17]', async () => {
    const scene = await setScene();
    const { lee, ben, classId, leeSocket, anonymous, staff } = scene;
    await leeSocket.post(classId, 'anonymous words');
    await speak(scene, 'official words');
    await lee.call('deleteAccount', { body: { password, messages: 'delete' } });
    // All removals of the account are due.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
    const listTexts = async () => {
      const { personas } = await ben.call('listMembers', { params: { classId }, query: {} });
      return personas.map(({ memberId }) => memberId);
    };

    expect(await listTexts()).toContain(anonymous);
    await expect.poll(listTexts, { timeout: 40_000, interval: 200 }).toEqual([staff]);

    const { messages } = await ben.snapshot(classId);
    expect(messages.map(({ text }) => text)).toEqual(['official words']);

    const roles = await listStoredRoles(app.database);
    expect(roles.filter((role) => role.classId === classId)).toEqual([]);
  });

  test('the export has both personas and marks the messages as staff [PROFILE-18]', async () => {
    const scene = await setScene();
    const { lee, classId, leeSocket, anonymous, staff } = scene;
    await leeSocket.post(classId, 'anonymous words');

    await speak(scene, 'official words');

    const { classes } = await lee.call('exportAccount', {});
    expect(classes).toMatchObject([
      {
        persona: { memberId: anonymous },
        staffPersona: { memberId: staff, anonymousName: 'Prof. Lee', staff: true },
        messages: [{ text: 'anonymous words' }, { text: 'official words', staff: true }],
      },
    ]);
    expect(classes[0]?.messages[0]).not.toHaveProperty('staff');
  });
});
