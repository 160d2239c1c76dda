// Searches every output that others can see for each private mark of one student.
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { clientFrame } from '#contract/socket.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { findSecrets } from './find-secrets.ts';
import { findMarks, listForms } from './marks.ts';
import { steal } from './steal.ts';
import { canarySettings, markedText, useEverything, type Observations } from './use-everything.ts';

const app = setUpApp(canarySettings);
let observations: Observations;
beforeAll(async () => {
  observations = await useEverything(app);
});

describe('a student’s marks', () => {
  test('a student’s marks are in nothing that reaches another student [PUSH-12, PUSH-37, ANON-1, ANON-3, PROFILE-5, AUTH-57, AUTH-60, PDF-4, MOD-4, MOD-8, UNMASK-11]', () => {
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

  test('a student’s marks and texts are in no line of the server’s log [ANON-3]', () => {
    const { marks, outputs } = observations;
    const log = outputs.get('log') ?? '';

    expect(log.length).toBeGreaterThan(100);
    expect(findMarks({ ...marks, text: markedText }, log)).toEqual([]);
  });

  test('a student’s marks are only in the columns of the database that may have them [AUTH-47, ANON-3]', async () => {
    const {
      'account id': _id,
      'mailbox key': _mailbox,
      'session group': _group,
      'session id': _session,
      'session token': _token,
      ...otherMarks
    } = observations.marks;
    const { email: _address, ...nowhere } = otherMarks;

    const secrets = Object.fromEntries(
      Object.entries(nowhere).map(([name, mark]) => [name, [mark]]),
    );
    expect(findSecrets(await steal(app.database), secrets)).toEqual([]);
  });

  test('no mail has another mark of a student than the address [ANON-3]', () => {
    const { email: address, ...otherMarks } = observations.marks;

    for (const mail of app.mails()) {
      expect(findMarks(otherMarks, mail)).toEqual([]);
      const isOwnMail = mail.includes(`To: ${address}`);
      expect(findMarks({ address: address ?? '' }, mail).length > 0, mail).toBe(isOwnMail);
    }
  });
});

describe('the canary', () => {
  test('the canary uses every call and every frame of the contract [ANON-3]', () => {
    const { used, invalidInputs } = observations;
    expect(invalidInputs).toEqual([]);

    const frames = clientFrame.options.map(({ shape }) => shape.type.value);
    const all = [...Object.keys(routes), ...frames].filter((name) => name !== 'unsubscribe');
    expect(all.filter((name) => !used.has(name))).toEqual([]);
  });

  test('the canary finds a mark in each form that it knows, wherever it stands [ANON-3]', () => {
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
});

describe('joining', () => {
  test('a join writes no persona [ANON-6, PERSONA-5]', async () => {
    const student = await app.createStudent();
    const classId = await student.createClass();
    const { me } = await student.snapshot(classId);

    const content = await app.database.content();

    expect(content).toContain(classId);
    expect(content).not.toContain(me.memberId);
  });
});
