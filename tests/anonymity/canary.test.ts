// Searches every output that others can see for each private mark of one student.
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { clientFrame } from '#contract/socket.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { findMarks, listForms } from './marks.ts';
import { canarySettings, markedText, useEverything, type Observations } from './use-everything.ts';

const app = setUpApp(canarySettings);
let observations: Observations;
beforeAll(async () => {
  observations = await useEverything(app);
});

describe('a student’s marks', () => {
  test('a student’s marks are in nothing that reaches another student [PUSH-12, PUSH-37, ANON-1, ANON-3, ANON-15, PROFILE-5, AUTH-57, AUTH-60, PDF-4, MOD-4, MOD-8, UNMASK-11]', () => {
    const { marks, outputs } = observations;

    expect(Object.keys(marks)).toHaveLength(16);
    expect(outputs.get('socket')).toContain(markedText);
    expect(outputs.get('picture')).toContain('%PDF-1.4');
    expect(outputs.get('push')).toContain(markedText);
    expect(outputs.get('push')).toContain('An urgent report');
    expect(outputs.get('push')).not.toContain('A private reason');
    for (const channel of [
      'HTTP',
      'socket',
      'search',
      'error',
      'metric',
      'mail',
      'push',
    ] as const) {
      expect(outputs.get(channel)?.length, channel).toBeGreaterThan(100);
    }
    for (const [channel, content] of outputs) {
      expect(findMarks(marks, content), channel).toEqual([]);
    }
  });

  test('a student’s marks and texts are in no line of the server’s log [ANON-4, ANON-15]', () => {
    const { marks, outputs } = observations;
    const log = outputs.get('log') ?? '';

    expect(log.length).toBeGreaterThan(100);
    expect(findMarks({ ...marks, text: markedText }, log)).toEqual([]);
  });

  test('a student’s marks are only in the columns of the database that may have them [ANON-8, ANON-15]', async () => {
    const {
      'account id': _id,
      'mailbox key': _mailbox,
      'session id': _session,
      'session token': _token,
      ...otherMarks
    } = observations.marks;
    const { email: _address, ...nowhere } = otherMarks;

    expect(findMarks(nowhere, await app.database.content())).toEqual([]);
  });

  test('no mail has another mark of a student than the address [ANON-15]', () => {
    const { email: address, ...otherMarks } = observations.marks;

    for (const mail of app.mails()) {
      expect(findMarks(otherMarks, mail)).toEqual([]);
      const isOwnMail = mail.includes(`To: ${address}`);
      expect(findMarks({ address: address ?? '' }, mail).length > 0, mail).toBe(isOwnMail);
    }
  });
});

describe('the canary', () => {
  test('the canary uses every call and every frame of the contract [ANON-15]', () => {
    const { used, invalidInputs } = observations;
    expect(invalidInputs).toEqual([]);

    const frames = clientFrame.options.map(({ shape }) => shape.type.value);
    const all = [...Object.keys(routes), ...frames].filter((name) => name !== 'unsubscribe');
    expect(all.filter((name) => !used.has(name))).toEqual([]);
  });

  test('the canary finds a mark in each form that it knows, wherever it stands [ANON-22]', () => {
    const mark = 'canary0123';
    const hasMark = (text: string) => findMarks({ mark }, text).length > 0;

    for (const [form, text] of listForms(mark)) {
      expect(hasMark(`before${text}after`), form).toBe(true);
    }
    for (const prefix of ['', 'a', 'ab', 'abc']) {
      const text = `${prefix}${mark}@university.edu`;
      expect(hasMark(Buffer.from(text).toString('base64'))).toBe(true);
      expect(hasMark(Buffer.from(text).toString('base64url'))).toBe(true);
      expect(hasMark(Buffer.from(text).toString('hex'))).toBe(true);
    }
    expect(hasMark('nothing of it')).toBe(false);
  });

  test('the canary finds the marks in the student’s own row [ANON-22]', async () => {
    expect(findMarks(observations.marks, await app.database.content())).not.toEqual([]);
  });
});

describe('joining', () => {
  test('a join writes no persona [ANON-6, ANON-7, PERSONA-5]', async () => {
    const student = await app.createStudent();
    const classId = await student.createClass();
    const { me } = await student.snapshot(classId);

    const content = await app.database.content();

    expect(content).toContain(classId);
    expect(content).not.toContain(me.memberId);
  });

  test('a student has another memberId in each class [ANON-2, ANON-3]', async () => {
    const student = await app.createStudent();
    const socket = await student.connect();
    const firstRoom = await socket.subscribe(await student.createClass());
    const other = await socket.subscribe(await student.createClass());

    expect(firstRoom.me.memberId).not.toBe(other.me.memberId);
  });
});

describe('the database without its key', () => {
  test('a database without its key holds nothing that leads from a persona to an account [ANON-6, ANON-7, ANON-8]', async () => {
    const { query, tables } = app.database;
    const accountIds = (await query('select id from accounts')).map(({ id }) => String(id));

    const personas = await query('select "memberId" from personas');
    const memberIds = personas.map(({ memberId }) => String(memberId));
    expect(memberIds.length).toBeGreaterThan(0);

    const all = await tables();
    expect(Object.keys(all)).toContain('registers');

    for (const [name, rows] of Object.entries(all)) {
      const text = JSON.stringify(rows);
      const knowsAccounts = accountIds.some((accountId) => text.includes(accountId));
      const knowsMembers = memberIds.some((memberId) => text.includes(memberId));
      expect(knowsAccounts && knowsMembers, name).toBe(false);
    }
  });

  test('a database without its key holds no readable time of an account and no device [ANON-7, ANON-51]', async () => {
    const tables = await app.database.tables();

    const { accounts, credentials, sessions, verifications } = tables;
    const constants = { createdAt: new Date(0), updatedAt: new Date(0) };
    for (const row of [accounts, credentials, sessions, verifications].flat()) {
      expect(listDates(row!)).toMatchObject(constants);
    }
    for (const row of [sessions, verifications].flat()) {
      expect(listDates(row!)['expiresAt']).toEqual(new Date('9999-01-01T00:00:00.000Z'));
    }
    for (const { ipAddress, userAgent: device } of sessions!) {
      expect([ipAddress, device]).toEqual([null, null]);
    }
  });
});

/** The engines store dates differently. */
function listDates(row: Record<string, unknown>): Record<string, Date> {
  const dates = ['createdAt', 'updatedAt', 'expiresAt'].filter((column) => column in row);
  return Object.fromEntries(
    dates.map((column) => [column, new Date(row[column] as string | Date)]),
  );
}
