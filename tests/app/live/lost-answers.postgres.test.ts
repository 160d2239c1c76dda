// PostgreSQL commits, but its reply is lost. Subscribers of the class must still receive the commit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestSocket } from '#tests/support/test-socket.ts';
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

/** @returns the spans of the log that arrived, in frame order */
function listSpans({ frames }: TestSocket): [number, number][] {
  return frames.flatMap((frame) => (frame.type === 'events' ? [[frame.from, frame.to]] : []));
}

async function startRoom() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const writer = await ada.connect();
  const reader = await ben.connect();
  for (const socket of [writer, reader]) await socket.subscribe(classId);
  return { ada, classId, writer, reader };
}

test('a message whose commit never arrived is written by a second commit [LOG-82]', async () => {
  const { classId, writer, reader } = await startRoom();

  proxy.loseNextCommit();
  const ack = await writer.post(classId, 'lost');

  expect(ack).toMatchObject({ type: 'ack', seq: 1 });

  const { items } = await reader.waitFor('events');
  expect(items).toMatchObject([{ kind: 'posted', message: { text: 'lost' } }]);
});

test('the server waits for a delayed commit of PostgreSQL [LOG-82]', async () => {
  const { classId, writer, reader } = await startRoom();
  const heldCommit = proxy.holdNextCommit();
  const latePost = writer.post(classId, 'late');
  const release = await heldCommit;

  // PostgreSQL still holds the first commit open, so this message must not be published first.
  const nextPost = writer.post(classId, 'next');
  setTimeout(release, 500);

  expect(await latePost).toMatchObject({ type: 'ack', seq: 1 });
  expect(await nextPost).toMatchObject({ type: 'ack', seq: 2 });

  await reader.waitFor('events', ({ to }) => to === 2);
  expect(listSpans(reader)).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('a message whose commit stays undecided is rejected, and arrives when it is decided [LOG-82, ERROR-6]', async () => {
  const { classId, writer, reader } = await startRoom();
  const heldCommit = proxy.holdNextCommit();
  const latePost = writer.post(classId, 'late');
  const release = await heldCommit;

  expect(await latePost).toMatchObject({ type: 'nack', code: 'UNAVAILABLE' });
  release();

  const { items } = await reader.waitFor('events');
  expect(items).toMatchObject([{ kind: 'posted', message: { text: 'late' } }]);
});
