// Announcements of operators, as other programs, servers and browsers see them.
import { describe, expect, test } from 'vitest';
import type { AnnouncementBody } from '#contract/announcements.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { parseEnd } from '#server/features/announcements/commands.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
const hourMs = 3_600_000;
const minuteMs = 60_000;
const patience = { timeout: 10_000 };

async function createOperator(): Promise<TestClient> {
  const operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
  return operator;
}

const announce = (operator: TestClient, body: Partial<AnnouncementBody>) =>
  operator.call('announce', {
    body: { text: 'Hello', classId: null, endsAt: Date.now() + hourMs, ...body },
  });
const withdraw = (operator: TestClient, announcementId: string) =>
  operator.call('withdrawAnnouncement', { params: { announcementId } });
const list = async (operator: TestClient) =>
  (await operator.call('listAnnouncements', {})).announcements;

/** What a browser shows after these frames: those for everyone, or of the class. */
function listShown({ frames }: TestSocket, classId: string | null = null) {
  let current: readonly { text: string; endsInMs: number }[] = [];
  for (const frame of frames) {
    const isIt =
      (frame.type === 'welcome' && classId === null) ||
      (frame.type === 'live' && frame.classId === classId) ||
      (frame.type === 'announcements' && frame.classId === classId);
    if (isIt) current = frame.announcements ?? [];
  }
  return current;
}
const listTexts = (socket: TestSocket, classId: string | null = null) =>
  listShown(socket, classId).map(({ text }) => text);

async function withdrawAll(operator: TestClient): Promise<void> {
  for (const { announcementId } of await list(operator)) await withdraw(operator, announcementId);
}

describe('an announcement', () => {
  test('an announcement reaches open and later connections until it is withdrawn [ADMIN-35, ADMIN-37]', async () => {
    const operator = await createOperator();
    const ada = await app.createStudent();
    const open = await ada.connect();
    const first = await announce(operator, { text: ' Exams begin.\nGood luck! ' });

    await announce(operator, { text: 'The second' });
    await expect
      .poll(() => listTexts(open), patience)
      .toEqual(['The second', 'Exams begin.\nGood luck!']);

    const { endsInMs } = listShown(open)[0]!;
    expect(endsInMs).toBeGreaterThan(hourMs - 2 * minuteMs);
    expect(endsInMs).toBeLessThanOrEqual(hourMs);

    const laterSocket = await app.createStudent().then((ben) => ben.connect());
    expect(listTexts(laterSocket)).toEqual(['The second', 'Exams begin.\nGood luck!']);

    await withdraw(operator, first.announcementId);
    for (const socket of [open, laterSocket]) {
      await expect.poll(() => listTexts(socket), patience).toEqual(['The second']);
    }

    await withdrawAll(operator);
    await expect.poll(() => listTexts(open), patience).toEqual([]);

    const { frames } = await ada.connect();
    expect(frames[0]).not.toHaveProperty('announcements');
  });

  test('an announcement ends at its time without another call [ADMIN-37]', async () => {
    const operator = await createOperator();
    const socket = await operator.connect();

    await announce(operator, { text: 'Ends soon' });
    await expect.poll(() => listTexts(socket), patience).toEqual(['Ends soon']);

    // The ends that people choose are full minutes. The server reads it again because of the second one.
    await app.database.query(
      `update announcements set "endsAt" = ${Date.now() + 3000} where text = 'Ends soon'`,
    );
    await announce(operator, { text: 'Stays' });
    await expect.poll(() => listTexts(socket), patience).toEqual(['Stays', 'Ends soon']);
    await expect.poll(() => listTexts(socket), patience).toEqual(['Stays']);
    expect((await list(operator)).find(({ text }) => text === 'Ends soon')?.phase).toBe('ended');

    await withdrawAll(operator);
  });

  test('an announcement for a class is sent only to members who have it open [ADMIN-38]', async () => {
    const operator = await createOperator();
    const ada = await app.createStudent();
    const classId = await ada.createClass();
    const other = await ada.createClass();
    const ben = await app.createStudent();
    await ben.join(classId);
    const inRoom = await ben.connectTo(classId);
    const inOther = await ada.connectTo(other);
    const light = await ada.connect();
    light.send({ type: 'subscribe', rid: 1, classId, light: true });
    await light.waitFor('unread');
    const stranger = await app.createStudent().then((cleo) => cleo.connect());
    stranger.send({ type: 'subscribe', rid: 1, classId });

    await announce(operator, { text: 'Room 12 today', classId });
    await expect.poll(() => listTexts(inRoom, classId), patience).toEqual(['Room 12 today']);

    // A later announcement for everyone shows that none was on its way.
    await announce(operator, { text: 'For everyone' });
    for (const socket of [inOther, light, stranger]) {
      await expect.poll(() => listTexts(socket), patience).toEqual(['For everyone']);
      expect(JSON.stringify(socket.frames)).not.toContain('Room 12');
    }

    const lateSocket = await ada.connectTo(classId);
    expect(listTexts(lateSocket, classId)).toEqual(['Room 12 today']);
    expect(listTexts(lateSocket)).toEqual(['For everyone']);

    // A member who has left gets no further ones.
    await ben.leave(classId);
    await announce(operator, { text: 'Room 13 tomorrow', classId });
    await expect
      .poll(() => listTexts(lateSocket, classId), patience)
      .toEqual(['Room 13 tomorrow', 'Room 12 today']);
    expect(JSON.stringify(inRoom.frames)).not.toContain('Room 13');

    await withdrawAll(operator);
  });

  test('while the site is read-only, members read, and what they write waits until the end [ADMIN-90]', async () => {
    const operator = await createOperator();
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    await ada.post(classId, 'Before');
    const socket = await ada.connectTo(classId);
    const rename = () =>
      ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Teal Fox' } });
    const atEight = ['announce', 'We move the server.', '--end', '2h', '--read-only'];

    expect(await run(...atEight, '--class', classId)).toMatchObject({ code: 1 });
    const { out } = await run(...atEight);
    expect(out).toContain('Until then, members can read and not write.');
    await expect
      .poll(() => listShown(socket), patience)
      .toMatchObject([{ text: 'We move the server.', isMaintenance: true }]);

    const { type, ...rejection } = await socket.post(classId, 'Meanwhile');
    expect(type).toBe('nack');
    expect(rejection).toMatchObject({ code: 'MAINTENANCE', retryAfterMs: expect.any(Number) });
    await expect(rename()).rejects.toMatchObject({ code: 'MAINTENANCE' });
    expect((await ben.snapshot(classId)).messages.map(({ text }) => text)).toEqual(['Before']);
    await expect(ben.call('signOut', {})).resolves.toBeDefined();

    await withdrawAll(operator);
    await expect.poll(() => listShown(socket), patience).toEqual([]);
    expect(await socket.post(classId, 'Meanwhile')).toMatchObject({ type: 'ack' });
    await rename();
  });

  test('an announcement does not say who wrote it [ADMIN-39]', async () => {
    const operator = await createOperator();
    const socket = await app.createStudent().then((ada) => ada.connect());
    await announce(operator, { text: 'By whom?' });

    const { announcements } = await socket.waitFor('announcements', (frame) =>
      JSON.stringify(frame).includes('By whom?'),
    );
    expect(Object.keys(announcements[0]!).toSorted()).toEqual([
      'announcementId',
      'endsInMs',
      'text',
    ]);

    const [row] = await app.database.query(`select * from announcements where text = 'By whom?'`);
    expect(Number(row!['announcedAt']) % minuteMs).toBe(0);
    expect(Number(row!['endsAt']) % minuteMs).toBe(0);

    const columns = ['announcedAt', 'announcementId', 'classId', 'endsAt', 'number', 'status'];
    expect(Object.keys(row!).toSorted()).toEqual([...columns, 'text']);

    await withdrawAll(operator);
  });

  test('an invalid announcement and the sixth one of a class are rejected [ADMIN-35]', async () => {
    const operator = await createOperator();
    const classId = await operator.createClass();
    const deletedId = await operator.createClass();

    await operator.call('deleteClass', { params: { classId: deletedId } });
    const inFuture = 'The end must be in the future, and at most 366 days away.';
    for (const [body, message] of [
      [{ text: ' \u200b\n ' }, 'Please write the text of the announcement.'],
      [{ text: 'x'.repeat(501) }, 'An announcement can have at most 500 characters. (text)'],
      [{ text: 'turned \u202e around' }, 'The text contains a character that is not allowed.'],
      [{ endsAt: Date.now() - 1 }, inFuture],
      [{ endsAt: Date.now() + 367 * 24 * hourMs }, inFuture],
      [{ endsAt: 1.5 }, 'Please enter the end as a date with a time. (endsAt)'],
      [{ classId: deletedId }, 'Not found, or you don’t have access.'],
      [{ classId: 'AAAAAAAAAAAAAAAA' }, 'Not found, or you don’t have access.'],
    ] as const) {
      await expect(announce(operator, body)).rejects.toMatchObject({
        message: expect.stringContaining(message),
      });
    }

    const endsAt = Date.now() + hourMs;
    const announcementIds: string[] = [];
    for (let n = 0; n < 5; n++) {
      announcementIds.push(
        (await announce(operator, { text: `Number ${n}`, classId, endsAt })).announcementId,
      );
    }
    const announceSixth = () => announce(operator, { text: 'Number 6', classId, endsAt });
    await expect(announceSixth()).rejects.toMatchObject({
      message: 'Five announcements are already shown there. Please withdraw one first.',
    });
    // The same call again, because its answer was lost.
    expect(await announce(operator, { text: 'Number 4', classId, endsAt })).toEqual({
      announcementId: announcementIds[4],
    });

    await withdraw(operator, announcementIds[0]!);
    await announceSixth();
    // Also if they come together.
    const otherClassId = await operator.createClass();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        announce(operator, { text: `Together ${n}`, classId: otherClassId, endsAt }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);

    await announce(operator, { text: 'Elsewhere' });
    await withdrawAll(operator);
  });

  test('operators see the list of announcements, and the audit log has each one and its withdrawal [ADMIN-36]', async () => {
    const operator = await createOperator();
    const classId = await operator.createClass({ subjectAbbreviation: 'zoo', courseNumber: '9' });

    const { announcementId } = await announce(operator, { text: 'Feeding at noon', classId });
    const entry = { announcementId, classId, label: 'ZOO 9', text: 'Feeding at noon' };
    expect((await list(operator))[0]).toMatchObject({ ...entry, phase: 'shown' });

    await withdraw(operator, announcementId);
    // Again: it has ended, so nothing changes.
    await withdraw(operator, announcementId);
    const [withdrawnItem] = await list(operator);
    expect(withdrawnItem).toMatchObject({ ...entry, phase: 'withdrawn' });
    expect(withdrawnItem!.endsAt).toBeLessThanOrEqual(Date.now());

    const { entries } = await operator.call('listAuditLog', { query: {} });
    expect(
      entries
        .filter((auditEntry) => auditEntry.classId === classId)
        .map(({ act, staffName, reason }) => [act, staffName, reason]),
    ).toEqual([
      ['withdraw-announcement', 'Kim', 'Feeding at noon'],
      ['announce', 'Kim', 'Feeding at noon'],
    ]);
    await expect(withdraw(operator, 'AAAAAAAAAAAAAAAA')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('the server erases an announcement 30 days after its end, or with its class [ADMIN-39, ADMIN-12]', async () => {
    const operator = await createOperator();
    const classId = await operator.createClass();
    await announce(operator, { text: 'Of an erased class', classId });
    for (const text of ['Old', 'Young']) await announce(operator, { text });
    const toTimeDaysAgo = (days: number) => Date.now() - days * 24 * hourMs;
    await app.database.query(
      `update announcements set "endsAt" = ${toTimeDaysAgo(30.1)} where text = 'Old'`,
    );
    await app.database.query(
      `update announcements set "endsAt" = ${toTimeDaysAgo(29.9)} where text = 'Young'`,
    );
    await operator.call('deleteClass', { params: { classId } });
    const day = Math.floor(toTimeDaysAgo(31) / 86_400_000);
    await app.database.query(
      `update classes set "deletedDay" = ${day} where "classId" = '${classId}'`,
    );

    await app.restart();
    const listStoredTexts = async () =>
      (await app.database.query('select text from announcements')).map(({ text }) => text);
    await expect.poll(listStoredTexts, patience).not.toContain('Old');
    await expect.poll(listStoredTexts, patience).not.toContain('Of an erased class');
    expect(await listStoredTexts()).toContain('Young');

    const listClassRows = () =>
      app.database.query(`select 1 from classes where "classId" = '${classId}'`);
    await expect.poll(listClassRows, patience).toEqual([]);
  });
});

describe('the commands', () => {
  test('the commands announce, list and withdraw while the server runs or is stopped [ADMIN-35, ADMIN-36]', async () => {
    const operator = await createOperator();
    const classId = await operator.createClass({ subjectAbbreviation: 'zoo', courseNumber: '7' });
    const socket = await operator.connectTo(classId);

    const announcement = await run(
      'announce',
      'Bring boots',
      '--end',
      '90m',
      '--class',
      classId,
      '--json',
    );
    expect(announcement).toMatchObject({ code: 0, errors: [] });

    const { announcementId, endsAt, message } = JSON.parse(announcement.out) as Record<
      string,
      string
    >;
    expect(message).toContain('Announced to the members of the class until ');

    const inMinutes = (Date.parse(endsAt!) - Date.now()) / minuteMs;
    expect(inMinutes).toBeGreaterThan(89);
    expect(inMinutes).toBeLessThanOrEqual(91);
    await expect.poll(() => listTexts(socket, classId), patience).toEqual(['Bring boots']);

    const listing = await run('list-announcements');
    expect(listing.out).toContain(`${announcementId}  shown until `);
    expect(listing.out).toContain('for ZOO 7');
    expect(listing.out).toContain('Bring boots');
    expect(await run('withdraw-announcement', announcementId!)).toMatchObject({ code: 0 });
    await expect.poll(() => listTexts(socket, classId), patience).toEqual([]);

    const { announcements } = JSON.parse((await run('list-announcements', '--json')).out) as {
      announcements: { announcementId: string; phase: string }[];
    };
    expect(announcements.find((item) => item.announcementId === announcementId)?.phase).toBe(
      'withdrawn',
    );

    await app.restart(async () => {
      expect(await run('announce', 'Back at six', '--end', '1d')).toMatchObject({ code: 0 });
    });
    const { frames } = await operator.connect();
    expect(frames[0]).toMatchObject({ announcements: [{ text: 'Back at six' }] });

    await withdrawAll(operator);
  });

  test('the command reads the end of an announcement in TIME_ZONE, unless it has an offset [ADMIN-35]', async () => {
    const operator = await createOperator();
    const year = new Date().getUTCFullYear();
    // Midsummer in at most a year: in New York, four hours behind UTC.
    const summer = Date.UTC(year, 6, 1, 16) > Date.now() + 24 * hourMs ? year : year + 1;
    const settings = { ...app.database.settings, TIME_ZONE: 'America/New_York' };
    for (const [end, expected] of [
      [`${summer}-07-01T12:00`, `${summer}-07-01T16:00:00.000Z`],
      [`${summer}-07-01 12:00`, `${summer}-07-01T16:00:00.000Z`],
      [`${summer}-07-01T12:00Z`, `${summer}-07-01T12:00:00.000Z`],
      [`${summer}-07-01T12:00+02:00`, `${summer}-07-01T10:00:00.000Z`],
    ] as const) {
      const { out } = await runAdminCommand(
        settings,
        'announce',
        `Until ${end}`,
        '--end',
        end,
        '--json',
      );
      expect(JSON.parse(out)).toMatchObject({ endsAt: expected });
      await withdrawAll(operator);
    }
  });

  test.each([
    ['Pacific/Honolulu', '2026-03-08T02:30', '2026-03-08T12:30:00Z'],
    ['Pacific/Auckland', '2026-04-05T01:30', '2026-04-04T12:30:00Z'],
    ['America/Los_Angeles', '2026-11-01T02:30', '2026-11-01T10:30:00Z'],
    // Times that come twice.
    ['Pacific/Auckland', '2026-04-05T02:30', '2026-04-04T14:30:00Z'],
    ['America/Los_Angeles', '2026-11-01T01:30', '2026-11-01T09:30:00Z'],
    // Times that do not come.
    ['Pacific/Auckland', '2026-09-27T02:30', '2026-09-26T14:30:00Z'],
    ['America/Los_Angeles', '2026-03-08T02:30', '2026-03-08T10:30:00Z'],
    ['America/Santiago', '2026-09-06T00:30', '2026-09-06T04:30:00Z'],
  ])(
    'the end in %s at %s is %s, although clocks change [ADMIN-71]',
    (timeZone, endText, expected) => {
      expect(new Date(parseEnd(endText, timeZone))).toEqual(new Date(expected));
    },
  );
});
