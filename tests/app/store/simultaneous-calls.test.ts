// Calls that race. On PostgreSQL each commit reads what others have committed, so this file runs on both engines.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { grantRole } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, password } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import {
  confirmUnmasking,
  createReportedAuthor,
  createTwoOperators,
  requestUnmasking,
} from '#tests/support/unmasking.ts';

const app = setUpApp({ UNMASKING: 'on' });
let operators: Awaited<ReturnType<typeof createTwoOperators>>;
beforeAll(async () => {
  operators = await createTwoOperators(app);
});

async function sendFrame(socket: TestSocket, frame: object) {
  const answer = await socket.request(frame);
  return answer.type === 'ack' ? 'ack' : answer.code;
}

/** @returns the error codes of the calls, and undefined for each call that succeeds */
async function listErrorCodes(calls: readonly Promise<unknown>[]) {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : undefined,
  );
}

test('simultaneous sign-ups for one mailbox make one account [AUTH-60]', async () => {
  const name = randomUUID();
  const signUps = Array.from({ length: 9 }, (_, n) => {
    const email = [`${name}@university.edu`, `${name.toUpperCase()}@university.edu`][n % 3];
    const body = { email: email ?? `${name}+${n}@university.edu`, password };
    return app.visitor().call('signUp', { body });
  });

  const codes = await listErrorCodes(signUps);

  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect(codes.filter((code) => code === 'EMAIL_TAKEN')).toHaveLength(8);
});

test('simultaneous sign-ins leave an account with fifty sessions [AUTH-59]', async () => {
  const ada = await app.createStudent();

  // At most ten sign-ins of an account wait for their turn.
  for (let round = 0; round < 6; round++) {
    await Promise.all(Array.from({ length: 10 }, () => ada.newBrowser().signIn()));
  }
  const newest = ada.newBrowser();
  await newest.signIn();

  expect((await newest.call('listDevices', {})).devices).toHaveLength(50);
});

test('simultaneous posts with the same id make one message, and a deleted message stays deleted [LOG-4, LOG-86]', async () => {
  const { ada, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connect();
  const other = await ada.connect();
  for (let round = 0; round < 10; round++) {
    const id = randomUUID();
    const frame = { type: 'post', classId, id, text: `round ${round}` };
    const deletion = { type: 'delete', classId, messageId: id };
    const edit = { type: 'edit', classId, messageId: id, text: 'edited meanwhile' };
    const outcomes = await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => sendFrame(n % 2 ? socket : other, frame)),
      sendFrame(other, deletion),
      sendFrame(socket, edit),
      sendFrame(other, deletion),
      ...Array.from({ length: 10 }, (_, n) => sendFrame(n % 2 ? socket : other, frame)),
    ]);
    for (const outcome of outcomes) expect(['ack', 'NOT_FOUND', 'ID_CONFLICT']).toContain(outcome);
    expect(await sendFrame(other, deletion)).toBe('ack');
  }

  expect((await socket.subscribe(classId)).messages).toEqual([]);

  const rows = await app.database.query(`select text from messages where "classId" = '${classId}'`);
  expect(rows.map(({ text }) => text).join('')).toBe('');
});

test.each([
  ['leaveClass', 'joinClass'],
  ['joinClass', 'leaveClass'],
] as const)(
  'after a simultaneous %s and %s, every device and the member count show what the database says [LEAVE-11, LIST-11, JOIN-26]',
  async (first, second) => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const devices = [await ben.connect(), await ben.connect()];
    const params = { classId };
    const listEnrollments = ({ frames }: TestSocket) =>
      frames.flatMap((frame) => (frame.type === 'enrolment' ? frame.joined : []));

    for (let round = 1; round <= 5; round++) {
      await Promise.all([ben.call(first, { params }), ben.call(second, { params })]);

      const isMember = (await ben.call('listClasses', {})).classes.length === 1;
      for (const device of devices) {
        await expect.poll(() => listEnrollments(device)).toHaveLength(2 * round);
        expect(listEnrollments(device).at(-1)).toBe(isMember);
      }
      const { memberCount } = (await ada.call('readClass', { params })).class;
      expect(memberCount).toBe(isMember ? 2 : 1);
    }
  },
);

test('simultaneous joins of a member count once, as do leaves [JOIN-5, JOIN-26, LEAVE-1]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const cleo = await app.createStudent();
  const count = async () =>
    (await ada.call('readClass', { params: { classId } })).class.memberCount;

  await Promise.all([cleo, ben, cleo, cleo].map((student) => student.join(classId)));
  expect(await count()).toBe(3);

  await Promise.all([ben.leave(classId), ben.leave(classId)]);
  await ben.leave(classId);
  expect(await count()).toBe(2);
  expect(await ben.call('listClasses', {})).toEqual({ classes: [] });
});

test('if two members choose one name simultaneously, only one of them gets it [PERSONA-4]', async () => {
  for (let round = 0; round < 5; round++) {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const params = { classId };

    const codes = await listErrorCodes([
      ada.call('changePersona', { params, body: { anonymousName: 'Lynx' } }),
      ben.call('changePersona', { params, body: { anonymousName: 'lynx' } }),
    ]);

    expect(new Set(codes)).toEqual(new Set([undefined, 'NAME_TAKEN']));
    const { personas } = await ada.call('listMembers', { params, query: {} });
    expect(personas).toHaveLength(1);
  }
});

test('if two devices change preferences simultaneously, one change is rejected [SELF-2]', async () => {
  const { ben, classId } = await createClassWithTwoMembers(app);
  const params = { classId };
  const unchanged = { ignored: [], hidden: [], muted: false, version: 0 };

  const codes = await listErrorCodes([
    ben.call('savePreferences', { params, body: { ...unchanged, muted: true } }),
    ben.call('savePreferences', { params, body: { ...unchanged, hidden: [randomUUID()] } }),
  ]);

  expect(new Set(codes)).toEqual(new Set([undefined, 'PREFERENCES_CHANGED']));
  expect((await ben.call('readPreferences', { params })).version).toBe(1);
});

test('if two operators confirm simultaneously, one of them sees the address [UNMASK-6]', async () => {
  const [ann, bob] = operators;
  const { caseId, author } = await createReportedAuthor(app, ann);
  const thirdOperator = await app.createStudent();
  await grantRole(app, thirdOperator, null, 'Cem');
  const request = await requestUnmasking(ann, caseId);

  const outcomes = await Promise.allSettled(
    [bob, thirdOperator, bob].map((operator) => confirmUnmasking(operator, request)),
  );

  const addresses = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  expect(addresses).toEqual([author.email]);
});
