// The settings of a class, which moderators change, and their effects on its members.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ClassSettings } from '#contract/entities.ts';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { SettingsChange } from '#contract/classes.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { askPoll } from '#tests/support/polls.ts';
import { ask } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let kim: TestClient;
beforeAll(async () => {
  kim = await app.createStudent('kim');
  await runAdminCommand(app.database.settings, 'grant-operator', kim.email, 'Operator');
});

/** Creates a class with Ada and Ben, and an operator who is not a member. */
async function createModeratedClass() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const moderator = kim;
  const change = async (settings: Partial<SettingsChange>, client: TestClient = moderator) => {
    const { version } = await getSettings(ada, classId);
    const body = { version, ...settings };
    return (await client.call('changeClassSettings', { params: { classId }, body })).settings;
  };
  return { ada, ben, classId, moderator, change };
}

async function grant(student: TestClient, classId: string): Promise<void> {
  const result = await runAdminCommand(
    app.database.settings,
    'grant-moderator',
    student.email,
    classId,
    'Kim',
  );
  expect(result).toMatchObject({ code: 0, errors: [] });
}

async function getSettings(client: TestClient, classId: string): Promise<ClassSettings> {
  return (await client.call('readClassSettings', { params: { classId } })).settings;
}

describe('settings', () => {
  test('settings reach online and returning members [CSET-1, CSET-2]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ben.connect();

    const firstSnapshot = await socket.subscribe(classId);

    expect(firstSnapshot.settings).toBeUndefined();
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

    const lateSocket = await ben.connect();
    const { epoch } = await lateSocket.waitFor('welcome');
    lateSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });

    expect((await lateSocket.waitFor('events')).items).toMatchObject([
      { kind: 'settings', settings },
    ]);
    expect((await ada.snapshot(classId)).settings).toEqual(settings);

    await app.restart();
    expect(await getSettings(ben, classId)).toEqual(settings);
  });

  test('a returning browser gets only the newest settings [CSET-2]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    await ada.post(classId, 'Hello');
    const rules = 'R'.repeat(2000);
    for (let n = 0; n < 60; n++) await change({ rules, slowModeSeconds: n });
    const lateSocket = await ben.connect();
    const { epoch } = await lateSocket.waitFor('welcome');

    lateSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: 1 });
    await lateSocket.waitFor('live');

    const events = lateSocket.frames.filter(({ type }) => type === 'events');
    expect(JSON.stringify(events).length).toBeLessThan(20_000);
    expect(events.at(-1)).toMatchObject({ to: 61, items: [{ settings: { slowModeSeconds: 59 } }] });

    lateSocket.close();
  });

  test('the server rejects a change of settings that another moderator has changed since [CSET-3]', async () => {
    const { ada, classId, moderator, change } = await createModeratedClass();
    const otherModerator = await app.createStudent();
    await grant(otherModerator, classId);
    await change({ rules: 'First.' });
    const body = { version: 0, rules: 'Second.' };

    await expect(
      otherModerator.call('changeClassSettings', { params: { classId }, body }),
    ).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
    expect(await getSettings(ada, classId)).toMatchObject({ version: 1, rules: 'First.' });

    // Exactly one of two simultaneous changes wins.
    const results = await Promise.allSettled(
      [moderator, otherModerator].map((client, n) =>
        client.call('changeClassSettings', {
          params: { classId },
          body: { version: 1, slowModeSeconds: n + 1 },
        }),
      ),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('the server rejects invalid settings [CSET-1]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    const invalidSettings: object[] = [
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

    for (const settings of invalidSettings) {
      await expect(change(settings), JSON.stringify(settings)).rejects.toMatchObject({
        code: 'INVALID',
      });
    }
    expect(await getSettings(ada, classId)).toEqual(defaultClassSettings);
  });

  test('settings do not tell members who changed them [CSET-5]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    // Ben is a member who is also a moderator.
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
    const [firstItem, secondItem] = socket.frames
      .slice(from)
      .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
      .map((item) => ({ ...item, id: '', seq: 0 }));
    const removeText = (item: object | undefined) =>
      JSON.stringify(item).replace(/"rules":"[^"]*"|"version":\d+/g, '');

    expect(removeText(firstItem)).toBe(removeText(secondItem));

    const reply = await ada.call('readClassSettings', { params: { classId } });
    expect(JSON.stringify([firstItem, secondItem, reply])).not.toContain(me.memberId);

    const rows = await app.database.query('select * from "classSettings"');
    expect(JSON.stringify(rows)).not.toContain('Kim');
  });

  test('replaced settings are erased, and the audit log names who changed which [CSET-6, MOD-25]', async () => {
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

  test('students see the description and the rules of a class before they join [CSET-4]', async () => {
    const { classId, change } = await createModeratedClass();
    const stranger = await app.createStudent();
    const getClass = () => stranger.call('readClass', { params: { classId } });

    expect(await getClass()).toMatchObject({ description: '', rules: '', joined: false });

    await change({ description: 'About trees.', rules: 'No spoilers.' });
    expect(await getClass()).toMatchObject({ description: 'About trees.', rules: 'No spoilers.' });
  });
});

describe('a read-only class', () => {
  test('members of a read-only class can only read and delete [CSET-8, POLL-2]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id: adaMessageId } = await socket.post(classId, 'Before the exam');
    const { id: keptMessageId } = await socket.post(classId, 'Another');
    const { id: benMessageId } = await ben.post(classId, 'From Ben');
    const benSocket = await ben.connect();
    const questionId = await ask(benSocket, classId);
    const pollId = await askPoll(benSocket, classId);
    benSocket.close();
    await socket.request({ type: 'react', classId, messageId: benMessageId, emoji: '👍' });
    await change({ readOnly: true });

    for (const frame of [
      { type: 'post', id: randomUUID(), text: 'The answer is 4' },
      { type: 'edit', messageId: adaMessageId, text: 'The answer is 4' },
      { type: 'react', messageId: benMessageId, emoji: '💩' },
      { type: 'vote', messageId: questionId, voted: true },
      { type: 'choose', messageId: pollId, choices: [0] },
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
      { type: 'delete', messageId: adaMessageId },
      { type: 'react', messageId: benMessageId, emoji: null },
      { type: 'vote', messageId: questionId, voted: false },
      { type: 'choose', messageId: pollId, choices: [] },
    ]) {
      expect(await socket.request({ classId, ...frame }), frame.type).toMatchObject({
        type: 'ack',
      });
    }

    const { messages } = await ben.snapshot(classId);
    expect(messages.map(({ id }) => id)).toEqual([keptMessageId, benMessageId, questionId, pollId]);
    expect(messages[1]?.reactions).toEqual({});

    await change({ readOnly: false });
    expect(await socket.post(classId, 'After the exam')).toMatchObject({ type: 'ack' });
  });

  test('the limits of a class bind its moderators, too, because a message would reveal the role [CSET-9]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    await grant(ada, classId);
    await change({ readOnly: true, slowModeSeconds: 60, picturesOff: true });

    expect(await ada.post(classId, 'I am the moderator')).toMatchObject({ code: 'READ_ONLY' });

    await change({ readOnly: false });
    expect(await ada.post(classId, 'One')).toMatchObject({ type: 'ack' });
    expect(await ada.post(classId, 'Two')).toMatchObject({ code: 'SLOW_MODE' });
  });

  test('a read-only class acknowledges the retry of an earlier message [CSET-10]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const { id, seq } = (await ada.post(classId, 'In time')) as { id: string; seq: number };
    await change({ readOnly: true, slowModeSeconds: 3600, picturesOff: true });

    expect(await ada.post(classId, 'In time', id)).toMatchObject({ type: 'ack', seq });
    expect(await ben.post(classId, 'In time', id)).toMatchObject({ code: 'ID_CONFLICT' });
  });
});

describe('quiet times', () => {
  const minuteMs = 60_000;
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const toMinute = (time: number) => new Date(time).toISOString().slice(0, 16);
  const exam = {
    begins: toMinute(now + 60 * minuteMs),
    ends: toMinute(now + 120 * minuteMs),
    zone: 'UTC',
    weekly: false,
    sentence: 'The exam is running',
  };
  const setTime = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time });
  afterEach(() => void vi.useRealTimers());

  test('members of a class can only read from the begin of a quiet time until its end, and learn why [CSET-29, CSET-30]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id: benMessageId } = await ben.post(classId, 'From Ben');
    const observer = await ben.connectTo(classId);
    await change({ quietTimes: [exam] });
    const post = () => socket.post(classId, 'The answer is 4');

    setTime(now + 60 * minuteMs - 1);
    expect(await post()).toMatchObject({ type: 'ack' });
    setTime(now + 60 * minuteMs);
    socket.send({ type: 'typing', classId });
    const message = 'This class is read-only for now: “The exam is running”';
    expect(await post()).toMatchObject({ type: 'nack', code: 'READ_ONLY', message });
    expect(
      await socket.request({ type: 'react', classId, messageId: benMessageId, emoji: '💩' }),
    ).toMatchObject({ code: 'READ_ONLY', message });
    await expect(upload(ada, classId, await createJpeg())).rejects.toMatchObject({
      code: 'READ_ONLY',
    });
    setTime(now + 120 * minuteMs - 1);
    expect(await post()).toMatchObject({ code: 'READ_ONLY' });
    setTime(now + 120 * minuteMs);
    expect(await post()).toMatchObject({ type: 'ack' });
    await observer.waitFor('events');
    expect(observer.frames.filter(({ type }) => type === 'typing')).toEqual([]);
  });

  test('members read the quiet times of their class until they are over, and a later change erases those [CSET-33]', async () => {
    const { ben, classId, change } = await createModeratedClass();
    const weekly = { ...exam, weekly: true, sentence: ' Please listen ' };
    const longExam = { ...exam, ends: toMinute(now + 180 * minuteMs) };
    const tidyWeekly = { ...weekly, sentence: 'Please listen' };

    expect((await change({ quietTimes: [exam, weekly, longExam] })).quietTimes).toEqual([
      exam,
      tidyWeekly,
      longExam,
    ]);
    const { settings } = await ben.snapshot(classId);
    expect(settings?.quietTimes).toEqual([exam, tidyWeekly, longExam]);

    setTime(now + 120 * minuteMs);
    expect((await getSettings(ben, classId)).quietTimes).toEqual([tidyWeekly, longExam]);
    await change({ rules: 'Be kind.' });
    const [row] = await app.database.query(
      `select "quietTimes" from "classSettings" where "classId" = '${classId}'`,
    );
    expect(JSON.parse(String(row?.['quietTimes']))).toEqual([tidyWeekly, longExam]);

    expect((await change({ quietTimes: [exam] })).quietTimes).toEqual([]);
  });
});

describe('slow mode', () => {
  test('slow mode lets each member post once per interval, and says how long to wait [CSET-11]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id } = await socket.post(classId, 'From before');
    await change({ slowModeSeconds: 60 });

    const nack = await socket.post(classId, 'Too early');

    expect(nack).toMatchObject({ type: 'nack', code: 'SLOW_MODE' });
    const { retryAfterMs } = nack as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);

    // Neither a deletion nor another device shortens the wait. Other members and reactions do not wait.
    await socket.request({ type: 'delete', classId, messageId: id });
    const phone = ada.newBrowser();
    await phone.signIn();
    expect(await phone.post(classId, 'From the phone')).toMatchObject({ code: 'SLOW_MODE' });

    const { id: benMessageId } = await ben.post(classId, 'From Ben');
    const react = { type: 'react', classId, messageId: benMessageId, emoji: '👍' };
    expect(await socket.request(react)).toMatchObject({ type: 'ack' });

    await change({ slowModeSeconds: 0 });
    expect(await socket.post(classId, 'At last')).toMatchObject({ type: 'ack' });
  });

  test('slow mode ends automatically and survives a restart [CSET-11]', async () => {
    const { ada, classId, change } = await createModeratedClass();
    await change({ slowModeSeconds: 3 });
    const socket = await ada.connectTo(classId);
    await socket.post(classId, 'First');

    const nack = await socket.post(classId, 'Too early');

    expect(nack).toMatchObject({ code: 'SLOW_MODE' });

    const { retryAfterMs = 0 } = nack as { retryAfterMs?: number };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + retryAfterMs });
    expect(await socket.post(classId, 'Second')).toMatchObject({ type: 'ack' });

    vi.useRealTimers();
    await change({ slowModeSeconds: 600 });
    await app.restart();
    expect(await ada.post(classId, 'After the restart')).toMatchObject({ code: 'SLOW_MODE' });
  });

  test('slow mode ignores a message that was posted while the server’s clock was ahead [CSET-27]', async () => {
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
  test('a class without pictures rejects new uploads and messages with earlier uploads [CSET-12]', async () => {
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
  test('pinned messages keep the moderators’ order and come with their personas [CSET-13]', async () => {
    const { ada, ben, classId, change } = await createModeratedClass();
    const { id: first } = await ada.post(classId, 'First');
    const { id: second } = await ben.post(classId, 'Second');

    const { pins } = await change({ pins: [second, first] });

    expect(pins).toEqual([second, first]);

    const pinned = await ben.call('readClassSettings', { params: { classId } });
    expect(pinned.messages.map(({ text }) => text)).toEqual(['Second', 'First']);
    expect(pinned.personas.map(({ memberId }) => memberId).toSorted()).toEqual(
      pinned.messages.map(({ memberId }) => memberId).toSorted(),
    );
    await expect(change({ pins: [first, first] })).rejects.toMatchObject({ code: 'INVALID' });
    await expect(change({ pins: [randomUUID()] })).rejects.toMatchObject({ code: 'NOT_FOUND' });

    const { id: foreignMessageId } = await ada.post(await ada.createClass(), 'Elsewhere');
    await expect(change({ pins: [foreignMessageId] })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a deleted message leaves the pinned ones without outdating a moderator’s change [CSET-13]', async () => {
    const { ada, ben, classId, moderator, change } = await createModeratedClass();
    const socket = await ada.connectTo(classId);
    const { id: adaMessageId } = await socket.post(classId, 'Mine');
    const { id: benMessageId } = await ben.post(classId, 'Theirs');
    const { version } = await change({ pins: [adaMessageId, benMessageId] });

    await socket.request({ type: 'delete', classId, messageId: adaMessageId });

    const events = await socket.waitFor('events', ({ items }) => items[0]?.kind === 'deleted');
    expect(events.items[1]).toMatchObject({ kind: 'settings', settings: { pins: [benMessageId] } });

    // The moderator still looks at the list with both of them.
    const body = { version, pins: [benMessageId, adaMessageId], rules: 'Be kind.' };
    const { settings } = await moderator.call('changeClassSettings', { params: { classId }, body });
    expect(settings).toMatchObject({ pins: [benMessageId], rules: 'Be kind.' });
  });

  test('a removed message leaves the pinned ones [CSET-13]', async () => {
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
