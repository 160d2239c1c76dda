// PostgreSQL commits, but its answer is lost. Subscribers of the class must still receive the commit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCodes } from '#contract/socket-address.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let database: TestDatabase;
let proxy: PostgresProxy;
let app: RunningApp;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.settings.DATABASE_URL!);
  const proxiedDatabase = {
    ...database,
    settings: { ...database.settings, DATABASE_URL: proxy.url },
  };
  app = await startApp({}, proxiedDatabase);
});
afterAll(async () => {
  await app.close();
  proxy.end();
  await database.drop();
});

/** The spans of the log that arrived, in frame order. */
function listSpans({ frames }: TestSocket): [number, number][] {
  return frames.flatMap((frame) => (frame.type === 'events' ? [[frame.from, frame.to]] : []));
}

async function startRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const writing = await ada.connect();
  const reading = await ben.connect();
  for (const socket of [writing, reading]) await socket.subscribe(classId);
  return { ada, classId, writing, reading };
}

test('a message whose commit answer was lost is acknowledged, and reaches all subscribers once and in order [LOG-82]', async () => {
  const { classId, writing, reading } = await startRoom();
  await writing.post(classId, 'first');

  proxy.loseNextCommitAnswer();
  const acknowledged = await writing.post(classId, 'answer lost');

  expect(acknowledged).toMatchObject({ type: 'ack', seq: 2 });
  await writing.post(classId, 'last');
  await reading.waitFor('events', ({ to }) => to === 3);
  expect(listSpans(reading)).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(listSpans(writing)).toEqual(listSpans(reading));
});

test('a message whose commit was lost on its way is written by a second commit [LOG-82]', async () => {
  const { classId, writing, reading } = await startRoom();

  proxy.loseNextCommit();
  const acknowledged = await writing.post(classId, 'lost');

  expect(acknowledged).toMatchObject({ type: 'ack', seq: 1 });
  const { items } = await reading.waitFor('events');
  expect(items).toMatchObject([{ kind: 'posted', message: { text: 'lost' } }]);
});

test('the server waits for a commit that PostgreSQL carries out later [LOG-82]', async () => {
  const { classId, writing, reading } = await startRoom();
  const holding = proxy.holdNextCommit();
  const latePost = writing.post(classId, 'late');
  const release = await holding;

  // This message is sent while PostgreSQL still holds the first commit open. It must not be published first.
  const next = writing.post(classId, 'next');
  setTimeout(release, 500);

  expect(await latePost).toMatchObject({ type: 'ack', seq: 1 });
  expect(await next).toMatchObject({ type: 'ack', seq: 2 });
  await reading.waitFor('events', ({ to }) => to === 2);
  expect(listSpans(reading)).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('a message whose commit stays undecided is rejected in time, and arrives when it is decided [LOG-82, ERROR-6]', async () => {
  const { classId, writing, reading } = await startRoom();
  const holding = proxy.holdNextCommit();
  const latePost = writing.post(classId, 'late');
  const release = await holding;

  expect(await latePost).toMatchObject({ type: 'nack', code: 'UNAVAILABLE' });
  release();

  const { items } = await reading.waitFor('events');
  expect(items).toMatchObject([{ kind: 'posted', message: { text: 'late' } }]);
});

test('search finds the class as the lost commit left it [SEARCH-41, LOG-82]', async () => {
  const { ada, classId } = await startRoom();
  const cleo = await app.createStudent();

  proxy.loseNextCommitAnswer();
  await cleo.join(classId);

  const { hits } = await findClasses(ada, 'input output');
  expect(hits.find((hit) => hit.objectID === classId)).toMatchObject({ memberCount: 3 });
});

test.each([
  ['leaveClass', false],
  ['joinClass', true],
] as const)(
  'the other device of an account learns of %s even if the answer to its commit was lost [LEAVE-11, LOG-82]',
  async (name, joins) => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const params = { classId };
    if (joins) await ben.leave(classId);
    const device = await ben.connect();

    proxy.loseNextCommitAnswer();
    await ben.call(name, { params });

    expect(await device.waitFor('enrolment')).toMatchObject({ classId, joined: joins });
    const { classes } = await ada.call('listClasses', {});
    expect(classes[0]?.memberCount).toBe(joins ? 2 : 1);
  },
);

test('a socket closes with its session even if the answer to the sign-out commit was lost [WIRE-10, LOG-82]', async () => {
  const ada = await app.createStudent();
  const other = ada.newBrowser();
  await other.call('signIn', { body: { email: ada.email, password: ada.password } });
  const socket = await other.connect();

  proxy.loseNextCommitAnswer();
  await ada.call('signOutOtherDevices', {});

  expect(await socket.closed).toBe(closeCodes.signedOut);
  await expect(other.connect()).rejects.toThrow('401');
});
