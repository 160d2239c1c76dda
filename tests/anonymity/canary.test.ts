// Searches every output that others can see for each private mark of one student.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { clientFrame } from '#contract/socket.ts';
import { enter, newClass, startApp, type RunningApp } from '../app/running-app.ts';
import { findMarks, formsOf } from './marks.ts';
import { markedHost, saidText, useEverything, type Overheard } from './use-everything.ts';

let app: RunningApp;
let overheard: Overheard;
beforeAll(async () => {
  app = await startApp({ ALLOWED_HOSTS: markedHost });
  overheard = await useEverything(app);
});
afterAll(() => app.stop());

describe('a student’s marks', () => {
  test('are in nothing that reaches another one, by call, socket, search, picture, metric, mail or error [ANON-1, ANON-3, ANON-15, PROFILE-5, AUTH-57, AUTH-60]', () => {
    const { marks, heard } = overheard;
    expect(Object.keys(marks)).toHaveLength(12);
    expect(heard.get('socket')).toContain(saidText);
    for (const channel of ['HTTP', 'socket', 'search', 'error', 'metric', 'mail'] as const) {
      expect(heard.get(channel)?.length, channel).toBeGreaterThan(100);
    }
    for (const [channel, content] of heard) expect(findMarks(marks, content), channel).toEqual([]);
  });

  test('are in no line of the server’s log, and no text is [ANON-4, ANON-15]', () => {
    const { marks, heard } = overheard;
    const log = heard.get('log') ?? '';
    expect(log.length).toBeGreaterThan(100);
    expect(findMarks({ ...marks, text: saidText }, log)).toEqual([]);
  });

  test('are in the database where they belong, and in no other form [ANON-8, ANON-15]', async () => {
    const {
      'account id': _id,
      'mailbox key': _mailbox,
      'session id': _session,
      'session token': _token,
      ...others
    } = overheard.marks;
    const { 'e-mail': _address, ...nowhere } = others;
    expect(findMarks(nowhere, await app.database.content())).toEqual([]);
  });

  test('are in a mail to the student alone, and no mail has another mark than the address [ANON-15]', () => {
    const { 'e-mail': address, ...others } = overheard.marks;
    for (const mail of app.mails()) {
      expect(findMarks(others, mail)).toEqual([]);
      const own = mail.includes(`To: ${address}`);
      expect(findMarks({ address: address ?? '' }, mail).length > 0, mail).toBe(own);
    }
  });
});

describe('the canary', () => {
  test('uses every call and every frame of the contract, and each is understood [ANON-15]', () => {
    const { used, misunderstood } = overheard;
    expect(misunderstood).toEqual([]);
    const frames = clientFrame.options.map(({ shape }) => shape.type.value);
    const all = [...Object.keys(routes), ...frames].filter((name) => name !== 'unsubscribe');
    expect(all.filter((name) => !used.has(name))).toEqual([]);
  });

  test('finds a mark in each form that it knows, wherever it stands [ANON-22]', () => {
    const mark = 'canary0123';
    const found = (text: string) => findMarks({ mark }, text).length > 0;
    for (const [form, text] of formsOf(mark)) expect(found(`before${text}after`), form).toBe(true);
    for (const before of ['', 'a', 'ab', 'abc']) {
      const text = `${before}${mark}@university.edu`;
      expect(found(Buffer.from(text).toString('base64'))).toBe(true);
      expect(found(Buffer.from(text).toString('base64url'))).toBe(true);
      expect(found(Buffer.from(text).toString('hex'))).toBe(true);
    }
    expect(found('nothing of it')).toBe(false);
  });

  test('would find them: the marked student’s own row holds one [ANON-22]', async () => {
    expect(findMarks(overheard.marks, await app.database.content())).not.toEqual([]);
  });
});

describe('joining', () => {
  test('writes nothing of who one will be, so that no order or time of rows can tell [ANON-6, ANON-7, PERSONA-5]', async () => {
    const student = await app.newStudent();
    const classId = await newClass(student);
    const { me } = await enter(await student.connect(), classId);
    const content = await app.database.content();
    expect(content).toContain(classId);
    expect(content).not.toContain(me.memberId);
  });

  test('makes another member of the same student in each class [ANON-2, ANON-3]', async () => {
    const student = await app.newStudent();
    const live = await student.connect();
    const one = await enter(live, await newClass(student));
    const other = await enter(live, await newClass(student));
    expect(one.me.memberId).not.toBe(other.me.memberId);
  });
});

describe('the database without its key', () => {
  test('holds nothing that leads from a persona to an account [ANON-6, ANON-7, ANON-8]', async () => {
    const { query, tables } = app.database;
    const accountIds = (await query('select id from accounts')).map(({ id }) => String(id));
    const personas = await query('select "memberId" from personas');
    const memberIds = personas.map(({ memberId }) => String(memberId));
    expect(memberIds.length).toBeGreaterThan(0);
    const all = await tables();
    expect(Object.keys(all)).toContain('enrolments');
    for (const [name, rows] of Object.entries(all)) {
      const text = JSON.stringify(rows);
      const knowsAccounts = accountIds.some((accountId) => text.includes(accountId));
      const knowsMembers = memberIds.some((memberId) => text.includes(memberId));
      expect(knowsAccounts && knowsMembers, name).toBe(false);
    }
  });

  test('holds no account’s or session’s time finer than a day, and no device [ANON-7, ANON-8]', async () => {
    const { accounts, sessions } = await app.database.tables();
    for (const { createdAt, updatedAt } of [...accounts!, ...sessions!]) {
      const times = JSON.stringify([createdAt, updatedAt]);
      expect(times.match(/T00:00:00.000Z/g), times).toHaveLength(2);
    }
    for (const { expiresAt, ipAddress, userAgent: device } of sessions!) {
      expect(JSON.stringify(expiresAt)).toContain('T00:00:00.000Z');
      expect([ipAddress, device]).toEqual([null, null]);
    }
  });
});
