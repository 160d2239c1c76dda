// A duplicate is merged into another class. No one may learn which persona of one is which of the other.
import { beforeAll, describe, expect, test } from 'vitest';
import { toRouteUrl } from '#contract/routes.ts';
import { applyDecisions, decide, report } from '#tests/support/moderation.ts';
import { listAllMembers } from '#tests/support/members.ts';
import { mergeAll, createOperator } from '#tests/support/merging.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findLinks } from './find-repetitions.ts';
import { attackAsRegistrar, listSuccesses, type Registrar } from './registrar.ts';
import {
  countHits,
  fillSchool,
  maxChanceHits,
  shuffle,
  size,
  type PopulatedClass,
} from './school.ts';
import { waitUntilSettled } from './settled.ts';
import { steal } from './steal.ts';
import { normalize } from './transcript.ts';
import { listStoredAccounts } from '#tests/support/stored-accounts.ts';

describe('a copy of the database, without the server’s key', () => {
  const app = setUpApp();
  let duplicate: PopulatedClass;
  let keptClass: PopulatedClass;
  /** Everything stored before the first of them appears in the class that stays. */
  let mergedContent: string;
  beforeAll(async () => {
    [duplicate] = (await fillSchool(app)) as [PopulatedClass];
    const operator = await createOperator(app);
    const keptId = await (await app.createStudent()).createClass();
    await mergeAll(operator, duplicate.classId, keptId);
    await waitUntilSettled(app);
    mergedContent = `${await app.database.content()}${JSON.stringify(await app.database.tables())}`;
    const members = new Map<TestClient, string>();
    const accounts = await listStoredAccounts(app.database);
    const idsByEmail = new Map(accounts.map(({ id, email }) => [email, id]));
    for (const student of shuffle(duplicate.members.keys())) {
      const socket = await student.connect();
      members.set(student, (await socket.subscribe(keptId)).me.memberId);
      await socket.post(keptId, `Hello ${members.size}`);
      socket.close();
    }
    const truth = new Map([...members].map(([{ email }, id]) => [idsByEmail.get(email) ?? '', id]));
    keptClass = { classId: keptId, members, truth };
  });

  test('a copy of the database holds no new persona after a merge [ADMIN-61, JOIN-4]', () => {
    expect(mergedContent).toContain([...duplicate.truth.keys()][0]);
    expect(keptClass.truth.size).toBe(size);
    for (const memberId of keptClass.truth.values()) expect(mergedContent).not.toContain(memberId);
  });

  test.each(['while the server runs', 'after a clean stop'])(
    'a copy of merged classes pairs neither accounts nor the personas of both classes %s [ADMIN-61, ANON-6]',
    async (stage) => {
      if (stage === 'after a clean stop') await app.restart();
      else await waitUntilSettled(app);
      const registrar: Registrar = {
        lists: new Map(
          [...keptClass.truth.keys()].map((id) => [id, [duplicate.classId, keptClass.classId]]),
        ),
        truth: new Map(
          [duplicate, keptClass].flatMap(({ truth }) =>
            [...truth].map(([id, member]) => [member, id]),
          ),
        ),
      };
      const copy = await steal(app.database);
      expect(listSuccesses(attackAsRegistrar(copy, registrar))).toEqual([]);
      expect(findLinks(copy, registrar)).toEqual([]);

      const pairs = new Map(
        [...duplicate.members].map(([student, id]) => [id, keptClass.members.get(student) ?? '']),
      );
      const listIds = async ({ classId }: PopulatedClass, order: string) => {
        const sql = `select "memberId" from personas where "classId" = '${classId}' ${order}`;
        return (await app.database.query(sql)).map(({ memberId }) => String(memberId));
      };
      for (const order of ['', 'order by "memberId"']) {
        const idsBefore = await listIds(duplicate, order);
        const idsAfter = await listIds(keptClass, order);
        const ofMembers = idsAfter.filter((id) => [...pairs.values()].includes(id));
        const guess = idsBefore.map((id, n) => [id, ofMembers[n] ?? ''] as const);
        expect(countHits(guess, pairs), order).toBeLessThanOrEqual(maxChanceHits);
      }
      const rows = Object.values(await app.database.tables()).flat();
      const texts = rows.map((row) => JSON.stringify(row));
      for (const [duplicateMemberId, keptMemberId] of pairs) {
        expect(
          texts.filter((text) => text.includes(duplicateMemberId) && text.includes(keptMemberId)),
        ).toEqual([]);
      }

      // The audit log names classes and the operator, and no one else.
      const entries = JSON.stringify((await app.database.tables())['auditLog']);
      for (const id of [...duplicate.truth.keys(), ...pairs.keys(), ...pairs.values()]) {
        expect(entries).not.toContain(id);
      }
    },
  );
});

const app = setUpApp();

test('the enrollments of merged classes do not tell who was removed [ADMIN-49, ADMIN-61, ANON-6]', async () => {
  const operator = await createOperator(app);
  const [keptOwner, ...students] = await Promise.all(
    Array.from({ length: 6 }, () => app.createStudent()),
  );
  const keptId = await keptOwner!.createClass();
  const duplicateId = await students[0]!.createClass();
  for (const student of students.slice(1)) await student.join(duplicateId);
  await students[4]!.join(keptId);
  const removedId = (await students[2]!.snapshot(duplicateId)).me.memberId;
  await students[2]!.post(duplicateId, 'Buy this');
  await report(students[0]!, duplicateId, { memberId: removedId });
  await decide(operator, removedId, { sanction: { kind: 'remove' } });
  await applyDecisions(app);
  await mergeAll(operator, duplicateId, keptId);

  const members = await listAllMembers(app.database.settings);
  const accounts = await listStoredAccounts(app.database);
  const listEmails = (id: string) =>
    accounts.flatMap((account) => (members.get(id)?.has(account.id) ? account.email : []));
  const missing = listEmails(duplicateId).filter((email) => !listEmails(keptId).includes(email));
  // Everyone who was not in both from the start.
  expect(missing.toSorted()).toEqual(
    students
      .slice(0, 4)
      .map(({ email }) => email)
      .toSorted(),
  );
});

let scenes = 0;

/** What a member of both classes gets while a duplicate with two others is merged. */
async function watchMerge(swapped: boolean): Promise<unknown> {
  const scene = ++scenes;
  const operator = await createOperator(app);
  const early = await app.createStudent(`aaron${scene}`, { userAgent: 'Early Browser' });
  const watcher = await app.createStudent();
  const lateStudent = await app.createStudent(`zoe.a.much.longer.name${scene}`, {
    userAgent: 'Late',
  });
  const keptId = await watcher.createClass();
  const duplicateId = await watcher.createClass();
  for (const student of [early, lateStudent]) await student.join(duplicateId);
  const [first, second] = swapped ? [lateStudent, early] : [early, lateStudent];
  const names = new Map([
    [keptId, 'KEPT'],
    [duplicateId, 'DUPLICATE'],
    [(await watcher.snapshot(keptId)).me.memberId, 'WATCHER'],
    [(await watcher.snapshot(duplicateId)).me.memberId, 'WATCHER'],
    [(await first.snapshot(duplicateId)).me.memberId, 'FIRST'],
    [(await second.snapshot(duplicateId)).me.memberId, 'SECOND'],
  ]);
  const toUuid = (n: number) => `0000000${n}-0000-4000-8000-00000000000${scene}`;
  await first.post(duplicateId, 'I am first', toUuid(1));
  await second.post(duplicateId, 'I am second', toUuid(2));
  const keptSocket = await watcher.connectTo(keptId);
  const duplicateSocket = await watcher.connectTo(duplicateId);
  const open = await first.connect();
  await mergeAll(operator, duplicateId, keptId);
  for (const socket of [keptSocket, duplicateSocket, open]) {
    await socket.waitFor('enrolment', (frame) => frame.classId === keptId);
  }
  open.close();
  await duplicateSocket.waitFor('events');
  names.set((await first.snapshot(keptId)).me.memberId, 'FIRST AGAIN');
  names.set((await second.snapshot(keptId)).me.memberId, 'SECOND AGAIN');
  await second.post(keptId, 'Hello', toUuid(3));
  await first.post(keptId, 'Hello, too', toUuid(4));
  await keptSocket.waitFor('events', ({ items }) => JSON.stringify(items).includes('too'));
  // The end of the duplicate gave its readers new ids.
  names.set((await watcher.snapshot(duplicateId)).me.memberId, 'READER');
  const answers: unknown[] = [];
  for (const classId of [keptId, duplicateId]) {
    for (const name of ['readClass', 'listMembers', 'listMessages', 'readClassSettings'] as const) {
      const answer = await watcher.fetch(toRouteUrl(name, { params: { classId } }));
      answers.push(await answer.json());
    }
  }
  const ids = new Map([1, 2, 3, 4].map((n) => [toUuid(n), `MESSAGE ${n}`]));
  const all = new Map([...names, ...ids]);
  const frames = [keptSocket, duplicateSocket].map((socket) =>
    socket.frames
      .filter(({ type }) => type !== 'welcome')
      .map((frame) => ({ ...(normalize(frame, all) as object), rid: 0 })),
  );
  return { frames, answers: normalize(answers, all) };
}

test('a member of merged classes gets the same, whichever account is behind which persona [ADMIN-61, ANON-20]', async () => {
  const frames = await watchMerge(false);

  for (const word of ['I am first', 'FIRST AGAIN', '"joined":true', 'Hello, too']) {
    expect(JSON.stringify(frames)).toContain(word);
  }
  expect(await watchMerge(true)).toEqual(frames);
});
