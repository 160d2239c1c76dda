// What moderators set for a class, and what it changes for its members.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { ClassSettings } from '#contract/entities.ts';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { SettingsChange } from '#contract/classes.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let kim: TestClient;
beforeAll(async () => {
  kim = await app.createStudent('kim');
  await runAdminCommand(app.database.settings, 'grant-operator', kim.email, 'Operator');
});

/** Ada and Ben in a class, and an operator who is no member of it. */
async function createModeratedClass() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const moderator = kim;
  const change = async (settings: Partial<SettingsChange>, by: TestClient = moderator) => {
    const { version } = await getSettings(ada, classId);
    const body = { version, ...settings };
    return (await by.call('changeClassSettings', { params: { classId }, body })).settings;
  };
  return { ada, ben, classId, moderator, change };
}

async function grant(student: TestClient, classId: string): Promise<void> {
  const done = await runAdminCommand(
    app.database.settings,
    'grant-moderator',
    student.email,
    classId,
    'Kim',
  );
  expect(done).toMatchObject({ code: 0, errors: [] });
}

async function getSettings(who: TestClient, classId: string): Promise<ClassSettings> {
  return (await who.call('readClassSettings', { params: { classId } })).settings;
}

describe('settings', () => {
  test('settings reach members live, after a reconnect and in a snapshot [CSET-1, CSET-2]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ben.connect();
    const before = await socket.subscribe(classId);
    expect(before.settings).toBeUndefined();
    expect(await getSettings(ben, classId)).toEqual(defaultClassSettings);
    await ada.post(classId, 'Hello');

    const settings = await change({
      slowModeSeconds: 30,
      picturesOff: true,
      description: '  For **questions** about the course.\n',
      rules: 'Be kind.',
    });
    expect(settings).toEqual({
      ...defaultClassSettings,
      version: 1,
      slowModeSeconds: 30,
      picturesOff: true,
      description: 'For **questions** about the course.',
      rules: 'Be kind.',
    });
    const live = await socket.waitFor('events', ({ to }) => to === 2);
    expect(live.items).toMatchObject([{ kind: 'settings', seq: 2, settings }]);

    const late = await ben.connect();
    const { epoch } = await late.waitFor('welcome');
    late.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
    expect((await late.waitFor('events')).items).toMatchObject([{ kind: 'settings', settings }]);
    expect((await ada.snapshot(classId)).settings).toEqual(settings);
    await app.restart();
    expect(await getSettings(ben, classId)).toEqual(settings);
  });

  test('cost a browser that was away little, however often they changed [CSET-2]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    await ada.post(classId, 'Hello');
    const rules = 'R'.repeat(2000);
    for (let n = 0; n < 60; n++) await change({ rules, slowModeSeconds: n });
    const late = await ben.connect();
    const { epoch } = await late.waitFor('welcome');
    late.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
    await late.waitFor('live');
    const events = late.frames.filter(({ type }) => type === 'events');
    expect(JSON.stringify(events).length).toBeLessThan(20_000);
    expect(events.at(-1)).toMatchObject({ to: 61, items: [{ settings: { slowModeSeconds: 59 } }] });
    late.close();
  });

  test('settings that a moderator changes after another one are rejected and not lost [CSET-3]', async () => {
    const { ada, classId, moderator, change } = await createModeratedClass();
    const other = await app.createStudent();
    await grant(other, classId);
    await change({ rules: 'First.' });
    const body = { version: 0, rules: 'Second.' };
    await expect(
      other.call('changeClassSettings', { params: { classId }, body }),
    ).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    expect(await getSettings(ada, classId)).toMatchObject({ version: 1, rules: 'First.' });
    // Two at the same moment: exactly one of them wins.
    const both = await Promise.allSettled(
      [moderator, other].map((by, n) =>
        by.call('changeClassSettings', {
          params: { classId },
          body: { version: 1, slowModeSeconds: n + 1 },
        }),
      ),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('settings are checked: lengths, characters, numbers and unknown fields [CSET-1]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    const wrong: object[] = [
      { description: 'x'.repeat(2001) },
      { rules: 'a\u202eb' },
      { slowModeSeconds: 3601 },
      { slowModeSeconds: 1.5 },
      { slowModeSeconds: -1 },
      { readOnly: 1 },
      { color: 'red' },
      { pins: ['no id'] },
      { pins: Array.from({ length: 11 }, () => randomUUID()) },
    ];
    for (const settings of wrong) {
      await expect(change(settings), JSON.stringify(settings)).rejects.toMatchObject({
        code: 'INVALID',
      });
    }
    expect(await getSettings(ada, classId)).toEqual(defaultClassSettings);
  });

  test('settings can be changed by moderators of this class and operators only [CSET-4]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const stranger = await app.createStudent();
    const elsewhere = await app.createStudent();
    const moderator = await app.createStudent();
    await grant(elsewhere, await ada.createClass());
    await grant(moderator, classId);
    for (const who of [ada, ben, stranger, elsewhere]) {
      await expect(change({ readOnly: true }, who)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    }
    await expect(getSettings(stranger, classId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await change({ readOnly: true }, moderator)).toMatchObject({ readOnly: true });
    expect(await change({ readOnly: false }, kim)).toMatchObject({ readOnly: false });
  });

  test('settings tell members nothing about who changed them, in no frame and no reply [CSET-5]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    // Ben becomes a moderator, too: a member with a role.
    const ben = await app.createStudent();
    await ben.join(classId);
    await grant(ben, classId);
    const benSocket = await ben.connect();
    const { me } = await benSocket.subscribe(classId);
    await benSocket.post(classId, 'I am here');
    const socket = await ada.connect();
    await socket.subscribe(classId);
    const from = socket.frames.length;
    await change({ rules: 'By one.' });
    await change({ rules: 'By another.' }, ben);
    await socket.waitFor('events', ({ to }) => to === 3);
    const [one, another] = socket.frames
      .slice(from)
      .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
      .map((item) => ({ ...item, id: '', seq: 0 }));
    const removeText = (item: object | undefined) =>
      JSON.stringify(item).replace(/"rules":"[^"]*"|"version":\d+/g, '');
    expect(removeText(one)).toBe(removeText(another));
    const reply = await ada.call('readClassSettings', { params: { classId } });
    expect(JSON.stringify([one, another, reply])).not.toContain(me.memberId);
    const rows = await app.database.query('select * from "classSettings"');
    expect(JSON.stringify(rows)).not.toContain('Kim');
  });

  test('settings that are replaced leave the disk, and the audit log names who changed which [CSET-6, CSET-26]', async () => {
    const { classId, change } = await createModeratedClass();
    await change({ rules: 'Xylophones are forbidden.' });
    await change({ rules: 'Be kind.', slowModeSeconds: 5 });
    await expect
      .poll(() => app.database.content(), { timeout: 80_000, interval: 500 })
      .not.toContain('Xylophones');
    const { entries } = await kim.call('listAuditLog', { query: {} });
    expect(
      entries.filter((entry) => entry.classId === classId && entry.act === 'settings'),
    ).toMatchObject([
      { staffName: 'Operator', reason: 'slowModeSeconds, rules', memberId: null },
      { staffName: 'Operator', reason: 'rules', memberId: null },
    ]);
  }, 90_000);

  test('settings stay when a class ends, and then no one can change them [CSET-6]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    await change({ rules: 'Be kind.' });
    await runAdminCommand(app.database.settings, 'archive-class', classId);
    await expect(change({ rules: 'Later.' })).rejects.toMatchObject({ code: 'CLASS_ENDED' });
    expect(await getSettings(ada, classId)).toMatchObject({ rules: 'Be kind.' });
  });

  test('settings show description and rules to students before they join [CSET-7]', async () => {
    const { classId, change } = await createModeratedClass();
    const stranger = await app.createStudent();
    const read = () => stranger.call('readClass', { params: { classId } });
    expect(await read()).toMatchObject({ description: '', rules: '', joined: false });
    await change({ description: 'About trees.', rules: 'No spoilers.' });
    expect(await read()).toMatchObject({ description: 'About trees.', rules: 'No spoilers.' });
  });
});

describe('a read-only class', () => {
  test('a read-only class accepts nothing new and no edit, and lets members delete and read [CSET-8]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id: mine } = await socket.post(classId, 'Before the exam');
    const { id: kept } = await socket.post(classId, 'Another');
    const { id: theirs } = await ben.post(classId, 'From Ben');
    await socket.request({ type: 'react', classId, messageId: theirs, emoji: '👍' });
    await change({ readOnly: true });

    for (const frame of [
      { type: 'post', id: randomUUID(), text: 'The answer is 4' },
      { type: 'edit', messageId: mine, text: 'The answer is 4' },
      { type: 'react', messageId: theirs, emoji: '💩' },
    ]) {
      expect(await socket.request({ classId, ...frame }), frame.type).toMatchObject({
        type: 'nack',
        code: 'READ_ONLY',
      });
    }
    const params = { classId };
    await expect(
      ada.call('changePersona', { params, body: { anonymousName: 'Four' } }),
    ).rejects.toMatchObject({ code: 'READ_ONLY' });
    await expect(upload(ada, classId, await createJpeg())).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
    for (const frame of [
      { type: 'delete', messageId: mine },
      { type: 'react', messageId: theirs, emoji: null },
    ]) {
      expect(await socket.request({ classId, ...frame }), frame.type).toMatchObject({
        type: 'ack',
      });
    }
    const { messages } = await ben.snapshot(classId);
    expect(messages.map(({ id }) => id)).toEqual([kept, theirs]);
    expect(messages[1]?.reactions).toEqual({});
    await change({ readOnly: false });
    expect(await socket.post(classId, 'After the exam')).toMatchObject({ type: 'ack' });
  });

  test('a read-only class binds a moderator who is a member, because a message would show the role [CSET-9]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    await grant(ada, classId);
    await change({ readOnly: true, slowModeSeconds: 60, picturesOff: true });
    expect(await ada.post(classId, 'I am the moderator')).toMatchObject({ code: 'READ_ONLY' });
    await change({ readOnly: false });
    expect(await ada.post(classId, 'One')).toMatchObject({ type: 'ack' });
    expect(await ada.post(classId, 'Two')).toMatchObject({ code: 'SLOW_MODE' });
  });

  test('still acknowledges the retry of a message from before [CSET-10]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const { id, seq } = (await ada.post(classId, 'In time')) as { id: string; seq: number };
    await change({ readOnly: true, slowModeSeconds: 3600, picturesOff: true });
    expect(await ada.post(classId, 'In time', id)).toMatchObject({ type: 'ack', seq });
    expect(await ben.post(classId, 'In time', id)).toMatchObject({ code: 'ID_CONFLICT' });
  });
});

describe('slow mode', () => {
  test('slow mode lets each member post once in its time, and says how long to wait [CSET-11]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id } = await socket.post(classId, 'From before');
    await change({ slowModeSeconds: 60 });
    const rejected = await socket.post(classId, 'Too early');
    expect(rejected).toMatchObject({ type: 'nack', code: 'SLOW_MODE' });
    const { retryAfterMs } = rejected as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    // Neither a deletion nor another device makes it shorter. Others, edits and reactions do not wait.
    await socket.request({ type: 'delete', classId, messageId: id });
    const phone = ada.newBrowser();
    await phone.signIn();
    expect(await phone.post(classId, 'From the phone')).toMatchObject({ code: 'SLOW_MODE' });
    const { id: theirs } = await ben.post(classId, 'From Ben');
    const react = { type: 'react', classId, messageId: theirs, emoji: '👍' };
    expect(await socket.request(react)).toMatchObject({ type: 'ack' });
    await change({ slowModeSeconds: 0 });
    expect(await socket.post(classId, 'At last')).toMatchObject({ type: 'ack' });
  });

  test('slow mode ends automatically, after a restart, too [CSET-11]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    await change({ slowModeSeconds: 3 });
    const socket = await ada.connectTo(classId);
    await socket.post(classId, 'First');
    const rejected = await socket.post(classId, 'Too early');
    expect(rejected).toMatchObject({ code: 'SLOW_MODE' });
    const { retryAfterMs = 0 } = rejected as { retryAfterMs?: number };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + retryAfterMs });
    expect(await socket.post(classId, 'Second')).toMatchObject({ type: 'ack' });
    vi.useRealTimers();
    await change({ slowModeSeconds: 600 });
    await app.restart();
    expect(await ada.post(classId, 'After the restart')).toMatchObject({ code: 'SLOW_MODE' });
  });

  test('slow mode does not wait for the time of a message that came while the clock was hours ahead [CSET-27]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60 * 60_000 });
    await socket.post(classId, 'From the future');
    vi.useRealTimers();
    await change({ slowModeSeconds: 60 });

    expect(await socket.post(classId, 'Now')).toMatchObject({ type: 'ack' });
    expect(await socket.post(classId, 'Too early')).toMatchObject({ code: 'SLOW_MODE' });
  });
});

describe('a class without pictures', () => {
  test('a class without pictures rejects uploads before they are read, and messages with pictures from before [CSET-12]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    const early = await upload(ada, classId, await createJpeg());
    await change({ picturesOff: true });
    const unread = Buffer.from('not read, so not found to be no picture');
    await expect(upload(ada, classId, unread)).rejects.toMatchObject({ code: 'PICTURES_OFF' });
    const socket = await ada.connectTo(classId);
    const images = [{ imageId: early.imageId }];
    const post = { type: 'post', classId, id: randomUUID(), text: 'Look', images };
    expect(await socket.request(post)).toMatchObject({ code: 'PICTURES_OFF' });
    expect(await socket.post(classId, 'Only words')).toMatchObject({ type: 'ack' });
    await change({ picturesOff: false });
    expect(await socket.request(post)).toMatchObject({ type: 'ack' });
  });
});

describe('pinned messages', () => {
  test('pinned messages keep the moderators’ order, and come with their personas [CSET-13]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const { id: first } = await ada.post(classId, 'First');
    const { id: second } = await ben.post(classId, 'Second');
    const { pins } = await change({ pins: [second, first] });
    expect(pins).toEqual([second, first]);
    const read = await ben.call('readClassSettings', { params: { classId } });
    expect(read.messages.map(({ text }) => text)).toEqual(['Second', 'First']);
    expect(read.personas.map(({ memberId }) => memberId).toSorted()).toEqual(
      read.messages.map(({ memberId }) => memberId).toSorted(),
    );
    await expect(change({ pins: [first, first] })).rejects.toMatchObject({ code: 'INVALID' });
    await expect(change({ pins: [randomUUID()] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { id: elsewhere } = await ada.post(await ada.createClass(), 'Elsewhere');
    await expect(change({ pins: [elsewhere] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('pinned messages leave the list when they are deleted, and that outdates no one’s change [CSET-14]', async () => {
    const { ada, ben, classId, moderator, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id: mine } = await socket.post(classId, 'Mine');
    const { id: theirs } = await ben.post(classId, 'Theirs');
    const { version } = await change({ pins: [mine, theirs] });
    await socket.request({ type: 'delete', classId, messageId: mine });
    const events = await socket.waitFor('events', ({ items }) => items[0]?.kind === 'deleted');
    expect(events.items[1]).toMatchObject({ kind: 'settings', settings: { pins: [theirs] } });
    // The moderator still looks at the list with both of them.
    const body = { version, pins: [theirs, mine], rules: 'Be kind.' };
    const { settings } = await moderator.call('changeClassSettings', { params: { classId }, body });
    expect(settings).toMatchObject({ pins: [theirs], rules: 'Be kind.' });
  });

  test('pinned messages leave the list when a moderator removes them [CSET-14]', async () => {
    const { ada, ben, classId, moderator, change } = await createModeratedClass();
    const { id } = await ada.post(classId, 'Not kind');
    await change({ pins: [id] });
    const params = { classId };
    await ben.call('reportMember', { params, body: { messageId: id, reason: 'harassment' } });
    const { cases } = await moderator.call('listCases', { query: { classId } });
    const { caseId = '', version = 0 } = cases[0] ?? {};
    const body = { version, decision: 'remove', reason: 'Not kind.' } as const;
    await moderator.call('decideCase', { params: { caseId }, body });
    await expect
      .poll(async () => (await getSettings(ben, classId)).pins, { timeout: 20_000 })
      .toEqual([]);
    // The moderator still has the old list.
    await expect(change({ pins: [id] })).resolves.toMatchObject({ pins: [] });
  }, 30_000);
});
