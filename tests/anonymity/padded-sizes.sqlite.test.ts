// Sizes tell nothing of what only one member has: of a student who stores as little as possible and one who stores as much as
// possible, the encrypted rows have one size, and so have the replies and frames that each of them gets.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { serverFrame, type ServerFrame } from '#contract/socket.ts';
import { callNames, calls } from '#tests/calls/calls.ts';
import { nothing } from '#tests/calls/facts.ts';
import { createInput, sendInput } from '#tests/calls/make-call.ts';
import {
  applyDecisions,
  decide,
  decideReview,
  grantRole,
  report,
} from '#tests/support/moderation.ts';
import { browserKeys, chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { askPoll, choose } from '#tests/support/polls.ts';
import { askPrivately } from '#tests/support/private-questions.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { watchKeys, type KeyWatch } from './key-watch.ts';

const pushService = 'http://127.0.0.1:9';

/** Columns that grow in steps, because their content has no bound. They name neither an account nor a persona. */
const growing = [
  // The message and its versions, whose length members have seen.
  'cases.evidence',
  // The number of members is public.
  'registers.content',
  'serverMetadata.value',
];

let watch: KeyWatch;
let app: RunningApp;

beforeAll(async () => {
  watch = watchKeys();
  app = await startApp({
    EMAIL_VERIFICATION: 'off',
    PUSH_HOSTS: pushService,
    UNUSED_ACCOUNT_MONTHS: '24',
    // Nothing answers there, so mails wait.
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
});
afterAll(async () => {
  await app.stop();
  watch.stop();
});

/** The longest text, of characters that take the most bytes. */
const createLongText = (codePoints: number) => '🦦'.repeat(codePoints);

async function storeLittle(student: TestClient, classId: string): Promise<void> {
  const params = { classId };
  // The first visit makes a read mark.
  await student.snapshot(classId);
  await chooseNotifications(student, classId, 'all');
  await saveSettings(student, {});
  await student.call('subscribePush', {
    body: { endpoint: `${pushService}/a`, keys: browserKeys },
  });
  await student.call('savePreferences', {
    params,
    body: { ignored: [], hidden: [], muted: false, version: 0 },
  });
}

async function storeMuch(student: TestClient, classId: string): Promise<void> {
  const params = { classId };
  await chooseNotifications(student, classId, 'mentions');
  await saveSettings(student, {
    quietHours: { from: '22:59', to: '21:59', timeZone: 'America/Argentina/ComodRivadavia' },
    snoozedUntil: Date.now() + 3_600_000,
  });
  const start = `${pushService}/`;
  const endpoint = start + 'a'.repeat(limits.pushEndpoint - start.length);
  await student.call('subscribePush', { body: { endpoint, keys: browserKeys } });
  const ignored = Array.from({ length: limits.ignoredMembers }, () =>
    randomBytes(12).toString('base64url'),
  );
  const hiddenIds = Array.from({ length: limits.hiddenMessages }, () => randomUUID());
  await student.call('savePreferences', {
    params,
    body: { ignored, hidden: hiddenIds, muted: true, version: 0 },
  });
}

test('each encrypted column has one size for the least and for the most that a member can store [ANON-54, SELF-24]', async () => {
  const operator = await app.createStudent('operator');
  await grantRole(app, operator, null, 'Olga');
  const little = await app.createStudent('l');
  const muchStudent = await app.createStudent(`m${'u'.repeat(60)}`);
  const classId = await little.createClass();
  await muchStudent.join(classId);
  await storeLittle(little, classId);
  await storeMuch(muchStudent, classId);
  const { id: short } = await little.post(classId, 'a');
  const { id: longId } = await muchStudent.post(classId, createLongText(900));
  for (let n = 0; n < 12; n++) await little.post(classId, 'b');
  const socket = await muchStudent.connectTo(classId);
  socket.send({ type: 'read', classId, seq: 14 });
  socket.close();
  await report(muchStudent, classId, { messageId: short });
  await report(little, classId, { messageId: longId, text: createLongText(limits.reportText) });
  const reasons = new Map([
    [short, 'a'],
    [longId, createLongText(limits.decisionReason)],
  ]);
  const escalated = [];
  for (const [id, reason] of reasons) {
    escalated.push([await decide(operator, id, { escalate: true, reason }), reason] as const);
  }
  await applyDecisions(app);
  for (const [escalatedCase, reason] of escalated) {
    const days = reason.length === 1 ? 7 : null;
    await decideReview(operator, escalatedCase, { decision: 'suspend', days }, reason);
  }
  await applyDecisions(app);
  for (const [student, text] of [
    [little, 'a'],
    [muchStudent, createLongText(limits.appealText)],
  ] as const) {
    const { sanctions } = await student.call('listOwnSanctions', {});
    const { sanctionId } = sanctions.find(({ kind }) => kind === 'suspension')!;
    await student.call('appeal', { params: { sanctionId }, body: { text } });
    await student.call('requestPasswordReset', { body: { email: student.email } });
  }

  const sizes: Record<string, Set<number>> = {};
  const contents: Record<string, Set<number>> = {};
  for (const [table, rows] of Object.entries(await app.database.tables())) {
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const text = value instanceof Buffer ? value.toString('base64url') : String(value);
        const [foundOutput] = watch.findIn(text);
        if (foundOutput?.output.kind !== 'encrypted') continue;
        (sizes[`${table}.${column}`] ??= new Set()).add(text.length);
        (contents[`${table}.${column}`] ??= new Set()).add(foundOutput.output.input.length);
      }
    }
  }
  const padded = Object.keys(sizes).filter((name) => !growing.includes(name));
  expect(padded.length).toBeGreaterThan(6);

  const varying = padded.filter((name) => sizes[name]!.size > 1);
  expect(varying).toEqual([]);

  // A session has only hashes and days, which a member cannot make longer.
  const uniform = padded.filter((name) => contents[name]!.size === 1);
  expect(uniform).toEqual(['sessions.content']);
});

describe('what an observer of the network sees of two members of one class', () => {
  /** Frames that do not come here, with the reason. */
  const otherFrames: { [Type in ServerFrame['type']]?: string } = {
    bye: 'Everyone gets it when the server stops, with a random time.',
    privateChanged: 'Everyone gets the same, and nothing but the class is in it.',
  };

  let operator: TestClient;
  let asker: TestClient;
  /** A member with as little and one with as much as possible that the class does not see. */
  let members: readonly [TestClient, TestClient];
  let classId: string;
  let questionIds: string[];
  let pollId: string;
  let reportedIds: string[];

  type Step<Result> = (member: TestClient, isMuch: boolean) => Promise<Result>;
  async function callBoth<Result>(step: Step<Result>): Promise<[Result, Result]> {
    return [await step(members[0], false), await step(members[1], true)];
  }

  beforeEach(async () => {
    operator = await app.createStudent();
    await grantRole(app, operator, null, 'Otto');
    asker = await app.createStudent();
    classId = await asker.createClass();
    const params = { classId };
    const socket = await asker.connectTo(classId);
    questionIds = [];
    for (let n = 0; n < 12; n++) questionIds.push(await ask(socket, classId));
    pollId = await askPoll(socket, classId, { options: Array.from('abcdefgh'), several: true });
    socket.close();
    members = [await app.createStudent(), await app.createStudent()];
    reportedIds = await callBoth(async (member, isMuch) => {
      await member.join(classId);
      const { memberId } = (await member.snapshot(classId)).me;
      const anonymousName = isMuch ? 'あ'.repeat(limits.personaName) : 'A';
      const icon = isMuch ? `${memberId}.150` : memberId;
      await member.call('changePersona', { params, body: { anonymousName, icon } });
      const ignored = isMuch ? ['AAAAAAAAAAAAAAAA'] : [];
      const hiddenIds = isMuch ? questionIds.slice(0, 5) : [];
      const body = { ignored, hidden: hiddenIds, muted: isMuch, version: 0 };
      await member.call('savePreferences', { params, body });
      await chooseNotifications(member, classId, isMuch ? 'mentions' : 'all');
      if (isMuch) await report(member, classId, { messageId: questionIds[0]!, text: 'Spam' });
      const { id } = await member.post(classId, 'Reported');
      await report(asker, classId, { messageId: id });
      return id;
    });
    await callBoth(async (member, isMuch) => {
      const memberSocket = await member.connectTo(classId);
      if (isMuch) {
        for (const id of questionIds) await vote(memberSocket, classId, id);
        await choose(memberSocket, classId, pollId, 0, 1, 2, 3, 4, 5, 6, 7);
      }
      memberSocket.send({ type: 'read', classId, seq: isMuch ? 12 : 1, back: true });
      await memberSocket.request({ type: 'react', classId, messageId: pollId, emoji: null });
      memberSocket.close();
    });
  });

  /** Mutes both members, with the shortest and with the longest reason. */
  async function mute(): Promise<void> {
    for (const [n, reason] of ['a', createLongText(limits.decisionReason)].entries()) {
      const sanction = { kind: 'mute', hours: 24 } as const;
      await decide(operator, reportedIds[n]!, { decision: 'remove', reason, sanction });
    }
    await applyDecisions(app);
  }

  /** Makes the calls as both members, with the same input. */
  function listSizesOfCalls(names: readonly RouteName[]) {
    return callBoth(async (member) => {
      const { email, password } = member;
      const sizes: Record<string, string> = {};
      for (const name of names) {
        const ids = { classId, pollId, messageId: questionIds[1]! };
        const input = createInput(name, { ...nothing, email, password, ...ids });
        const response = await sendInput(name, member, input);
        const { byteLength } = await response.arrayBuffer();
        sizes[name] = `${response.status}: ${byteLength} bytes`;
      }
      return sizes;
    });
  }

  const testedCalls = callNames.filter((name) => !calls[name].sizeVaries);
  const readingCalls = testedCalls.filter((name) => routes[name].method === 'GET');
  const changingCalls = testedCalls.filter(
    (name) => routes[name].method !== 'GET' && routes[name].path.includes('/classes/:classId/'),
  );

  test('each call that reads, or is about a class, has a reply of one size for both [ANON-61, MOD-103]', async () => {
    const params = { classId };
    const body = { hours: 1, holdsQuestions: true };
    await operator.call('startLecture', { params, body });
    await grantStaff(app, asker, classId, 'Prof. Lee');
    await callBoth(async (member, isMuch) => {
      const socket = await member.connectTo(classId);
      if (isMuch) await ask(socket, classId, 'Why? '.repeat(100));
      if (isMuch) await askPrivately(member, classId, 'Why? '.repeat(100));
      socket.close();
    });

    const [littleRead, muchRead] = await listSizesOfCalls(readingCalls);
    await mute();
    const [littleReadMuted, muchReadMuted] = await listSizesOfCalls(readingCalls);
    const [littleChanged, muchChanged] = await listSizesOfCalls(changingCalls);

    expect(littleRead).toMatchObject({ listQuestions: expect.stringMatching(/^200/) as string });
    expect(muchRead).toEqual(littleRead);
    expect(muchReadMuted).toEqual(littleReadMuted);
    // Both were muted, and a message of each was removed.
    const { listOwnDecisions } = littleRead;
    expect(littleReadMuted).toMatchObject({ listOwnDecisions });
    expect(muchChanged).toEqual(littleChanged);
  });

  function toSizes(sockets: readonly TestSocket[]): Record<string, number[]> {
    const sizes: Record<string, number[]> = {};
    for (const { frames, frameSizes } of sockets) {
      for (const [n, { type }] of frames.entries()) {
        const sizesOfType = (sizes[type] ??= []);
        if (!sizesOfType.includes(frameSizes[n]!)) sizesOfType.push(frameSizes[n]!);
      }
    }
    return Object.fromEntries(
      Object.entries(sizes).map(([type, list]) => [type, list.toSorted((a, b) => a - b)]),
    );
  }

  test('each frame has one size for both [ANON-61]', async () => {
    const connect: Step<TestSocket[]> = async (member) => {
      const sockets = [await member.connectTo(classId), await member.connectTo(classId)];
      const light = await member.connect();
      light.send({ type: 'subscribe', rid: 1, classId, light: true });
      await light.waitFor('unread');
      return [...sockets, light];
    };
    const first = await callBoth(connect);
    for (const [n, [socket, device]] of first.entries()) {
      const isMuch = n === 1;
      await vote(socket!, classId, questionIds[0]!, !isMuch);
      await choose(socket!, classId, pollId, ...(isMuch ? [0, 1, 2, 3, 4, 5, 6] : []));
      await socket!.request({ type: 'edit', classId, messageId: pollId, text: 'Not mine' });
      socket!.send({ type: 'read', classId, seq: isMuch ? 11 : 2, back: true });
      await device!.waitFor('read');
    }
    const socketOfAsker = await asker.connectTo(classId);
    socketOfAsker.send({ type: 'typing', classId });
    const mention = `<@${(await members[1].snapshot(classId)).me.memberId}>`;
    await socketOfAsker.post(classId, mention);
    const announcement = { text: 'Hello', endsAt: Date.now() + 3_600_000 };
    await operator.call('announce', { body: { classId, ...announcement } });
    await callBoth((member, isMuch) =>
      grantStaff(app, member, classId, isMuch ? 'い'.repeat(limits.personaName) : 'B'),
    );
    await mute();
    for (const [socket] of first) await socket!.waitFor('sanction');
    for (const [socket] of first) await socket!.waitFor('staff');
    const second = await callBoth(connect);
    for (const [socket] of second) await socket!.post(classId, 'Muted');
    await callBoth((member) => member.leave(classId));
    for (const [socket] of second) await socket!.waitFor('reset');
    for (const [socket] of second) await socket!.waitFor('enrolment');

    const [littleSizes, muchSizes] = [0, 1].map((n) => toSizes([...first[n]!, ...second[n]!]));
    const missing = serverFrame.options
      .map(({ shape }) => shape.type.value)
      .filter((type) => !littleSizes![type] && otherFrames[type] === undefined);
    expect(missing).toEqual([]);
    expect(muchSizes).toEqual(littleSizes);
  });
});
