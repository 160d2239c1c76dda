// PostgreSQL commits, but its answer is lost. Subscribers of the class must still receive the commit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeCodes } from '#contract/socket-address.ts';
import type { LiveEnd } from '../../scripts/student.ts';
import { findClasses } from './find-classes.ts';
import { startPostgresProxy, type PostgresProxy } from './postgres-proxy.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let proxy: PostgresProxy;
let app: RunningApp;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.settings.DATABASE_URL!);
  const through = { ...database, settings: { ...database.settings, DATABASE_URL: proxy.url } };
  app = await startApp({}, through);
});
afterAll(async () => {
  await app.close();
  proxy.end();
  await database.drop();
});

/** The spans of the log that arrived, in frame order. */
function spansOf({ frames }: LiveEnd): [number, number][] {
  return frames.flatMap((frame) => (frame.type === 'events' ? [[frame.from, frame.to]] : []));
}

async function startRoom() {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  const [writing, reading] = [await ada.connect(), await ben.connect()];
  for (const live of [writing, reading]) await enter(live, classId);
  return { ada, classId, writing, reading };
}

test('a message whose commit answer was lost reaches all subscribers once and in order [LOG-20]', async () => {
  const { classId, writing, reading } = await startRoom();
  await post(writing, classId, 'first');
  proxy.loseNextCommitAnswer();
  const refused = await post(writing, classId, 'answer lost');
  expect(refused).toMatchObject({ type: 'nack', code: 'UNAVAILABLE' });
  const acknowledged = await post(writing, classId, 'answer lost', refused.id);
  expect(acknowledged).toMatchObject({ type: 'ack', seq: 2 });
  await post(writing, classId, 'last');
  await reading.frame('events', ({ to }) => to === 3);
  expect(spansOf(reading)).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(spansOf(writing)).toEqual(spansOf(reading));
});

test('the message arrives without another write [LOG-20]', async () => {
  const { classId, writing, reading } = await startRoom();
  proxy.loseNextCommitAnswer();
  await post(writing, classId, 'answer lost');
  const { items } = await reading.frame('events');
  expect(items).toMatchObject([{ kind: 'posted', message: { text: 'answer lost' } }]);
});

test('the server waits for a commit that PostgreSQL carries out later [LOG-20]', async () => {
  const { classId, writing, reading } = await startRoom();
  const holding = proxy.holdNextCommit();
  const refusing = post(writing, classId, 'late');
  const release = await holding;
  const refused = await refusing;
  expect(refused).toMatchObject({ code: 'UNAVAILABLE' });
  // This message is sent while PostgreSQL still holds the first commit open. It must not be published first.
  const next = post(writing, classId, 'next');
  setTimeout(release, 500);
  expect(await next).toMatchObject({ type: 'ack', seq: 2 });
  await reading.frame('events', ({ to }) => to === 2);
  expect(spansOf(reading)).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('search finds the class as the lost commit left it [SEARCH-41, LOG-20]', async () => {
  const { ada, classId } = await startRoom();
  const cleo = await app.newStudent();
  proxy.loseNextCommitAnswer();
  await expect(joinClass(cleo, classId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const found = async () =>
    (await findClasses(ada, 'data structures')).hits.find((hit) => hit.objectID === classId);
  await expect.poll(found, { timeout: 10_000 }).toMatchObject({ memberCount: 3 });
});

test('a socket closes with its session even if the answer to the sign-out commit was lost [WIRE-10, LOG-20]', async () => {
  const ada = await app.newStudent();
  const other = app.visitor(ada.email.split('@')[0]);
  await other.call('signIn', { body: { email: ada.email, password: ada.password } });
  const live = await other.connect();
  proxy.loseNextCommitAnswer();
  await expect(ada.call('signOutOtherDevices', {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await live.closed).toBe(closeCodes.shutdown);
  await expect(other.connect()).rejects.toThrow('401');
});
