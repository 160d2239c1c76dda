// The people of expectations.ts on one server, and the classes in which they try what they may do.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { writeChange } from '#server/commands/write-change.ts';
import { loadConfig } from '#server/config/config.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import { mergeAll } from '#tests/support/merging.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { askPoll } from '#tests/support/polls.ts';
import { ask } from '#tests/support/questions.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { quoteEmail } from '#tests/support/test-database.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { people, type Person, type State } from './expectations.ts';
import type { Scene } from './requests.ts';

export const stageSettings = {
  EMAIL_VERIFICATION: 'required',
  UNMASKING: 'on',
  // Nothing answers there.
  PUSH_HOSTS: 'http://127.0.0.1:9',
};

export interface Stage {
  app: RunningApp;
  clients: Record<Person, TestClient>;
  sockets: Partial<Record<Person, TestSocket>>;
}

/** @param app a server with `stageSettings` */
export async function setUpStage(app: RunningApp): Promise<Stage> {
  const stage: Stage = { app, clients: {} as Stage['clients'], sockets: {} };
  for (const person of people) {
    const client = app.visitor(person.toLowerCase());
    stage.clients[person] = client;
    if (person === 'signedOut' || person === 'presenter') continue;
    await client.signUp();
    const token = /token=(\S+)/.exec(await app.waitForNextMailTo(client))![1]!;
    await client.call('verifyEmail', { body: { token: decodeURIComponent(token), password } });
    if (person === 'unverified') {
      // As an account is that was made before verification was required.
      await app.database.query(
        `update accounts set "emailVerified" = false where email = ${quoteEmail(client.email)}`,
      );
      continue;
    }
    stage.sockets[person] = await client.connect();
  }
  await setRole(stage, 'operator', '', 'operator');
  const otherClassId = await stage.clients.author.createClass();
  await setRole(stage, 'otherModerator', otherClassId, 'moderator');
  return stage;
}

async function setRole({ app, clients }: Stage, person: Person, classId: string, role: string) {
  await app.database.query(
    `insert into roles ("accountId", "classId", role, "staffName")
     select id, '${classId}', '${role}', '${person}' from accounts
     where email = ${quoteEmail(clients[person].email)}`,
  );
}

/** Gives roles to `formerModerator` and `formerOperator`, and ends them after they were used. */
export async function endRolesIn(stage: Stage, { classId }: Scene): Promise<void> {
  await setRole(stage, 'formerModerator', classId, 'moderator');
  await setRole(stage, 'formerOperator', '', 'operator');
  for (const person of ['formerModerator', 'formerOperator'] as const) {
    const client = stage.clients[person];
    await listCases(client, { classId });
    await stage.app.database.query(
      `delete from roles where "accountId" =
         (select id from accounts where email = ${quoteEmail(client.email)})`,
    );
  }
}

/** Creates a class in which everyone is who expectations.ts says, and brings it into the state. */
export async function setScene(stage: Stage, state: State): Promise<Scene> {
  const { app, clients } = stage;
  const { author, member, muted, former, moderator, operator, staff } = clients;
  const sockets = stage.sockets as Record<Person, TestSocket>;
  const classId = await author.createClass();
  const params = { classId };
  await Promise.all([member, muted, former].map((client) => client.join(classId)));
  const messageId = await ask(sockets.author, classId, 'from the author?');
  const pollId = await askPoll(sockets.author, classId);
  const { id: formersId } = await sockets.former.post(classId, 'from one who left');
  await former.leave(classId);
  await setRole(stage, 'moderator', classId, 'moderator');
  await setRole(stage, 'staff', classId, 'staff');
  await report(member, classId, { messageId });
  const [reported] = await listCases(operator, params);
  const { caseId, persona } = reported!;
  const reviewId = createId();
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", 'escalation', "caseId", 20000, 'open', 1
     from cases where "caseId" = '${caseId}'`,
  );
  const { me } = await muted.call('listMembers', { params, query: {} });
  await app.database.query(
    `insert into sanctions
       ("sanctionId", "classId", "memberId", kind, until, reason, "staffName", day, "caseId", status)
     values ('${createId()}', '${classId}', '${me.memberId}', 'mute', null, 'Rude', 'Mo', 20000, '', 'active')`,
  );

  await moderator.call('startLecture', { params, body: { hours: 1, holdsQuestions: true } });
  const waitingId = await ask(sockets.member, classId);
  const { presenterToken } = await staff.call('createPresenterLink', { params });
  await changes[state](stage, classId);
  return {
    classId,
    getMessageId: (person) => (person === 'former' ? formersId : messageId),
    pollId,
    waitingId,
    presenterToken,
    memberId: persona.memberId,
    caseId,
    reviewId,
  };
}

const createId = () => randomBytes(12).toString('base64url');

/** Lasts longer than a test. */
const quietTime = {
  begins: '2020-01-01T00:00',
  ends: '2100-01-01T00:00',
  zone: 'Europe/Berlin',
  weekly: false,
  sentence: 'An exam.',
};

const changes: Record<State, (stage: Stage, classId: string) => Promise<unknown>> = {
  active: () => Promise.resolve(),
  // The settings keep their version, so that moderators can still change them.
  quiet: ({ app }, classId) =>
    app.database.query(
      `update "classSettings" set "quietTimes" = '${JSON.stringify([quietTime])}'
       where "classId" = '${classId}'`,
    ),
  ended: ({ clients }, classId) => clients.operator.call('endClass', { params: { classId } }),
  async merged({ clients }, classId) {
    expect(
      await mergeAll(clients.operator, classId, await clients.operator.createClass()),
    ).not.toEqual([]);
  },
  withoutLinks: ({ app }, classId) =>
    writeChange(loadConfig({ ...app.database.settings }).database, (unitOfWork) =>
      endClass(unitOfWork, classId, '', 0),
    ),
  deleted: ({ clients }, classId) => clients.operator.call('deleteClass', { params: { classId } }),
  async restored(stage, classId) {
    await changes.deleted(stage, classId);
    await stage.clients.operator.call('restoreClass', { params: { classId } });
  },
};

/** Everything of the class that calls and frames could change. The server moves rows at any time, so they are sorted. */
export async function loadRows(
  { app }: Stage,
  { classId }: Scene,
): Promise<Record<string, string[]>> {
  const tables = await app.database.tables();
  const { classes, messages, reactions, enrollments, personas, roles } = tables;
  const { cases, reviews, sanctions, reports, auditLog, announcements } = tables;
  const { presenterLinks, waitingQuestions, classSettings } = tables;
  const rows = { classes, messages, reactions, enrollments, personas, roles, classSettings };
  const furtherRows = { cases, reviews, sanctions, reports, auditLog, announcements };
  const allRows = { ...rows, ...furtherRows, presenterLinks, waitingQuestions };
  return Object.fromEntries(
    Object.entries(allRows).map(([table, tableRows]) => [
      table,
      (tableRows ?? [])
        .filter((row) => row['classId'] === classId)
        .map((row) => JSON.stringify(row))
        .toSorted(),
    ]),
  );
}
