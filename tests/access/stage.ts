// The people of tests/calls on one server, and the classes in which they try what they may do.
import { expect } from 'vitest';
import { writeChange } from '#tests/support/write-change.ts';
import { loadConfig } from '#server/config/config.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import type { RouteName } from '#contract/routes.ts';
import { calls } from '#tests/calls/calls.ts';
import { nothing, people, type Person, type State, type Subject } from '#tests/calls/facts.ts';
import { createInput, sendInput } from '#tests/calls/make-call.ts';
import { addMute, addReview, addRole, publishPrivately } from '#tests/calls/scene.ts';
import { mergeAll } from '#tests/support/merging.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { askPoll } from '#tests/support/polls.ts';
import { askPrivately } from '#tests/support/private-questions.ts';
import { addTopic } from '#tests/support/topics.ts';
import { ask } from '#tests/support/questions.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';
import { deleteStoredRoles } from '#tests/support/roles.ts';

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

export interface Scene extends Subject {
  presenterToken: string;
  /** The message of the former member. */
  formersId: string;
}

/** The message that the person tries to change. */
export const findMessageId = (scene: Scene, person: Person): string =>
  person === 'former' ? scene.formersId : scene.messageId;

/** Makes the call with input that is right for the scene. */
export function makeCall(
  name: RouteName,
  { client, person }: { client: TestClient; person: Person },
  scene: Scene,
): Promise<Response> {
  // The right one would end the account or sign it out.
  const isWrong = calls[name].outcome === 'WRONG_PASSWORD';
  const input = createInput(name, {
    ...scene,
    email: client.email,
    password: isWrong ? 'not this one' : password,
    messageId: findMessageId(scene, person),
  });
  // Another session of the caller would end the one of the socket when it signs out other devices.
  const browser = name === 'signIn' ? client.newBrowser() : client;
  return sendInput(name, browser, input, {
    ...(person === 'presenter' && { headers: { 'presenter-token': scene.presenterToken } }),
  });
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
      await changeStoredAccounts(app.database, client.email, { emailVerified: false });
      continue;
    }
    stage.sockets[person] = await client.connect();
  }
  const { author, operator, otherModerator } = stage.clients;
  await addRole(app, operator, 'operator');
  await addRole(app, otherModerator, 'moderator', await author.createClass());
  return stage;
}

/** Gives roles to `formerModerator` and `formerOperator`, and ends them after they were used. */
export async function endRolesIn({ app, clients }: Stage, { classId }: Scene): Promise<void> {
  const { formerModerator, formerOperator } = clients;
  await addRole(app, formerModerator, 'moderator', classId);
  await addRole(app, formerOperator, 'operator');
  for (const client of [formerModerator, formerOperator]) {
    await listCases(client, { classId });
    await deleteStoredRoles(app.database, client);
  }
}

/** Creates a class in which everyone is who tests/calls/facts.ts says, and brings it into the state. */
export async function setScene(stage: Stage, state: State): Promise<Scene> {
  const { app, clients } = stage;
  const { author, member, muted, former, moderator, operator, staff } = clients;
  const sockets = stage.sockets as Record<Person, TestSocket>;
  const classId = await author.createClass();
  const params = { classId };
  await Promise.all([member, muted, former].map((client) => client.join(classId)));
  const messageId = await ask(sockets.author, classId, 'from the author?');
  const pollId = await askPoll(sockets.author, classId);
  const { topicId } = await addTopic(app, classId);
  const { id: formersId } = await sockets.former.post(classId, 'from one who left');
  await former.leave(classId);
  await addRole(app, moderator, 'moderator', classId);
  await addRole(app, staff, 'staff', classId);
  await report(member, classId, { messageId });
  const [reported] = await listCases(operator, params);
  const { caseId, persona, version } = reported!;
  const { reviewId } = await addReview({ app, caseId, right: 'operator' });
  const { me } = await muted.call('listMembers', { params, query: {} });
  await addMute({ app, classId, caseId, memberId: me.memberId });
  await moderator.call('startLecture', { params, body: { hours: 1, holdsQuestions: true } });
  const waitingId = await ask(sockets.member, classId);
  const questionId = await askPrivately(member, classId);
  await publishPrivately(app, questionId);
  const { presenterToken } = await staff.call('createPresenterLink', { params });
  await changes[state](stage, classId);
  return {
    ...nothing,
    classId,
    messageId,
    formersId,
    pollId,
    topicId,
    waitingId,
    questionId,
    presenterToken,
    memberId: persona.memberId,
    caseId,
    caseVersion: version,
    reviewId,
  };
}

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
  const { classes, messages, reactions, registers, personas } = tables;
  const { cases, reviews, sanctions, reports, auditLog, announcements } = tables;
  const { presenterLinks, waitingQuestions, privateQuestions, privateTurns, classSettings } =
    tables;
  // The read positions of a first visit are written up to a minute later.
  const currentRegisters = registers!.filter(({ kind }) => kind !== 'readMarks');
  const ownRows = { classes, messages, reactions, personas, classSettings };
  const furtherRows = { cases, reviews, sanctions, reports, auditLog, announcements };
  const heldRows = { waitingQuestions, privateQuestions, privateTurns };
  const rows = { ...ownRows, registers: currentRegisters };
  const allRows = { ...rows, ...furtherRows, ...heldRows, presenterLinks };
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
