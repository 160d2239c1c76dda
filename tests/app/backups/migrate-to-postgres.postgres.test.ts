// `npm run migrate-to-postgres`: the server answers the same afterwards, and an interrupted run continues.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createChildEnvironment } from '#tests/support/child-environment.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { grantRole, report } from '#tests/support/moderation.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { runAdminCommand, runCommand, runCommandProcess } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startProcess } from '#tests/support/server-process.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createTwoEngines, type TwoEngines } from '#tests/support/two-engines.ts';

let engines: TwoEngines;
let app: RunningApp | null;
let port: string;
beforeEach(async () => {
  engines = await createTwoEngines();
  port = String(await findFreePort());
  app = await startApp({ PORT: port }, engines.folder);
});
afterEach(async () => {
  await app?.close();
  await engines.drop();
});

const migrate = (settings = {}) =>
  runCommand('migrate-to-postgres', [], { ...engines.moved(), ...settings });
const getSqlitePath = () => join(engines.folder.settings.DATA_DIR, 'backchannel.sqlite');

async function stopServer(): Promise<void> {
  await app?.close();
  app = null;
}
async function startOnPostgres(): Promise<RunningApp> {
  app = await startApp({ PORT: port, ...engines.moved() }, engines.postgres);
  return app;
}
async function expectRejected(reason: RegExp, settings = {}): Promise<void> {
  const { code, output } = await migrate(settings);
  expect(output.split('\n').at(-1)).toMatch(reason);
  expect(output).toMatch(/^Cannot migrate: /m);
  expect(code).toBe(1);
}

/** Every answer that the account gets to a call that reads. */
async function listAnswersTo(
  student: TestClient,
  classId: string,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    if (routes[name].method !== 'GET' || !routes[name].path.startsWith('/api/')) continue;
    const query = name === 'searchMessages' ? { q: 'stars' } : {};
    const url = toRouteUrl(name, { params: { classId, key: 'default' }, query });
    const response = await student.fetch(url);
    answers[name] = [response.status, await response.text()];
  }
  return answers;
}

describe('a school that moves', () => {
  test('members of a school that moves to PostgreSQL get the same replies, without a sign-in or a reload [MOVE-1]', async () => {
    const sqliteApp = app!;
    const ada = await sqliteApp.createStudent();
    const bob = await sqliteApp.createStudent();
    const classId = await ada.createClass();
    await bob.join(classId);
    await grantRole(sqliteApp, ada, classId, 'Ada');
    const socket = await bob.connectTo(classId);
    const { me } = await ada.snapshot(classId);
    await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Blue Fox' } });
    await ada.post(classId, 'We are made of stars ✨ "\\ \'');
    const { id } = await socket.post(classId, `${toMentionToken(me.memberId)} told me so`);
    const picture = await upload(bob, classId, await createJpeg());
    await postPicture(socket, classId, picture.imageId, { alt: 'Stars' });
    await socket.request({ type: 'react', classId, messageId: id, emoji: '👍' });
    const questionId = await ask(socket, classId);
    const adaSocket = await ada.connect();
    await vote(adaSocket, classId, questionId);
    adaSocket.close();
    // As if the server had published the number.
    await sqliteApp.database.query('update messages set votes = 1 where votes = 0');
    await report(ada, classId, { messageId: id });
    const preferences = { ignored: [me.memberId], hidden: [], muted: true, version: 0 };
    await bob.call('savePreferences', { params: { classId }, body: preferences });
    socket.close();

    const answersBefore = [await listAnswersTo(ada, classId), await listAnswersTo(bob, classId)];
    expect(JSON.stringify(answersBefore)).toContain('made of stars');
    expect(answersBefore[0]?.['listQuestions']).toEqual([
      200,
      expect.stringContaining('"voted":"1"'),
    ]);

    const roomBefore = await bob.snapshot(classId);

    await stopServer();
    const original = readFileSync(getSqlitePath());
    expect(await migrate()).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\d rows in \d+ tables are in PostgreSQL/) as string,
    });
    expect(readFileSync(getSqlitePath()).equals(original)).toBe(true);

    await startOnPostgres();
    expect([await listAnswersTo(ada, classId), await listAnswersTo(bob, classId)]).toEqual(
      answersBefore,
    );
    expect(await loadImageMetadata(bob, picture.imageUrl)).toMatchObject({ width: 60 });

    // A browser that catches up gets no snapshot: it notices nothing.
    const newSocket = await bob.connect();
    const { epoch, seq: headSeq, lastId } = roomBefore;
    newSocket.send({
      type: 'subscribe',
      rid: 1,
      classId,
      epoch,
      after: headSeq,
      afterId: lastId ?? '',
    });
    await newSocket.waitFor('live', ({ rid }) => rid === 1);
    expect(newSocket.frames.map(({ type }) => type)).not.toContain('snapshot');
    expect(await newSocket.post(classId, 'It goes on')).toMatchObject({
      type: 'ack',
      seq: headSeq + 1,
    });

    newSocket.close();
    await ada.newBrowser().signIn();
    await (await app!.createStudent('carol')).join(classId);
  });
});

describe('the command', () => {
  test('migrate-to-postgres is rejected while a server runs on the folder or on the database [MOVE-2]', async () => {
    await expectRejected(/another server uses this data folder/);

    await stopServer();
    const otherFolder = { ...engines.moved(), DATA_DIR: engines.postgres.settings.DATA_DIR };
    const other = startProcess('node', { ...otherFolder, PORT: String(await findFreePort()) });
    await other.started();
    await expectRejected(/another server uses the database of DATABASE_URL/);
    expect(await other.stop()).toBe(0);
  });

  test('migrate-to-postgres is rejected for a database that is not empty or newer [MOVE-3]', async () => {
    await stopServer();
    const { query } = engines.postgres;

    await query('create table something (id text)');
    await expectRejected(
      /is not empty\. Create an empty database and name that one: nothing was changed/,
    );

    await query('drop table something');
    const server = await startOnPostgres();
    await server.close();
    app = null;
    const tablesBefore = await engines.postgres.tables();
    // The folder of an earlier version is not migrated either: its server may have to go on.
    const [newest] = await engines.folder.query('select max(name) as name from kysely_migration');
    const forget = `delete from kysely_migration where name = '${String(newest?.['name'])}'`;
    await engines.folder.query(forget);
    await expectRejected(/is not empty/);
    expect(
      await engines.folder.query('select max(name) as name from kysely_migration'),
    ).not.toEqual([newest]);

    await query(`insert into kysely_migration values ('9999', '2030-01-01')`);
    await expectRejected(/a newer version of Backchannel has written the database/);

    await query(`delete from kysely_migration where name = '9999'`);
    expect(await engines.postgres.tables()).toEqual(tablesBefore);

    const sqlAscii = await engines.addPostgres();
    const name = new URL(sqlAscii.settings.DATABASE_URL!).pathname.slice(1);
    await query(`drop database ${name}`);
    await query(`create database ${name} encoding 'SQL_ASCII' template template0`);
    await expectRejected(/encoding UTF8/, { DATABASE_URL: sqlAscii.settings.DATABASE_URL! });
  });

  test('migrate-to-postgres is rejected without a folder, a database or the folder’s key [MOVE-3]', async () => {
    await stopServer();

    await expectRejected(
      /SECRET_KEY is not the key of the data folder\. Set it to the content of/,
      {
        SECRET_KEY: 'x'.repeat(43),
      },
    );
    await expectRejected(/set DATABASE_URL to an empty PostgreSQL database/, { DATABASE_URL: '' });
    await expectRejected(/there is no .*backchannel\.sqlite\. Set DATA_DIR/, {
      DATA_DIR: engines.postgres.settings.DATA_DIR,
    });
    await expectRejected(/no database of the name/, {
      DATABASE_URL: `${engines.moved().DATABASE_URL}_missing`,
    });
    expect(await engines.postgres.tables()).toEqual({});
  });
});

describe('an interrupted run', () => {
  const messages = 20_000;
  let classId: string;
  let ada: TestClient;
  beforeEach(async () => {
    ada = await app!.createStudent();
    classId = await ada.createClass();
    await ada.post(classId, 'First');
    await stopServer();
    const database = new SQLite(getSqlitePath());
    database.exec(`
      with recursive n(n) as (select 2 union all select n + 1 from n where n < ${messages})
      insert into messages ("classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted)
      select "classId", n, n, printf('%08x-0000-4000-8000-000000000000', n), "memberId", 'Message ' || n, '', "createdAt", 0
      from messages, n where seq = 1;
      insert into log ("classId", seq, id, kind, ref)
      select "classId", seq, id, 'posted', id from messages where seq > 1;
      update classes set seq = ${messages}, ordinal = ${messages};`);
    database.close();
  });

  /** Kills the command without warning when the condition is met. @returns false if it was done before */
  async function killWhen(
    isReached: (output: string) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const env = createChildEnvironment(engines.moved());
    const child = spawn(process.execPath, ['scripts/migrate-to-postgres.ts'], { env });
    const exit = once(child, 'close') as Promise<[number | null]>;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const condition = vi.waitUntil(async () => child.exitCode !== null || isReached(output), {
      timeout: 60_000,
      interval: 5,
    });
    await condition;
    child.kill('SIGKILL');
    const [code] = await exit;
    return code === null;
  }

  const { query } = { query: (sql: string) => engines.postgres.query(sql) };
  const countCopiedMessages = async () => {
    const [row] = await query(
      `select copied from "transferProgress" where name = 'messages'`,
    ).catch(() => []);
    return Number(row?.['copied'] ?? 0);
  };
  const isHalfDone = async () => {
    const copied = await countCopiedMessages();
    return copied > 0 && copied < messages;
  };

  test('an interrupted run continues where it was killed, and no server starts before it is complete [MOVE-4, MOVE-8, MOVE-9]', async () => {
    expect(await killWhen((output) => output.includes('Reading accounts'))).toBe(true);
    expect(await killWhen(isHalfDone)).toBe(true);

    const copied = await countCopiedMessages();
    expect(copied % 1000).toBe(0);

    const server = startProcess('node', { ...engines.moved(), PORT: port });
    await expectStartRefused(server, /is not complete\. Run npm run migrate-to-postgres/);
    expect((await runAdminCommand(engines.moved(), 'archive-class', classId)).errors).toEqual([
      expect.stringMatching(/is not complete/),
    ]);

    const first = 'select xmin, ctid from messages where seq = 1';
    const rowBefore = await query(first);
    expect(await killWhen((output) => output.includes('Checking accounts'))).toBe(true);
    expect(await migrate()).toMatchObject({ code: 0 });
    // The rows from before were not copied again.
    expect(await query(first)).toEqual(rowBefore);

    const [count] = await query('select count(*)::int as n, sum(seq)::int as s from messages');
    expect(count).toEqual({ n: messages, s: (messages * (messages + 1)) / 2 });
    expect(Object.keys(await engines.postgres.tables())).not.toContain('transferProgress');

    await startOnPostgres();
    const { messages: last } = await ada.call('listMessages', { params: { classId }, query: {} });
    expect(last.at(-1)).toMatchObject({ text: `Message ${messages}` });

    await stopServer();
    await expectRejected(/has the data of this folder already\. Start the server on it/);
  });

  test('an interrupted run starts over if the folder has changed meanwhile [MOVE-4]', async () => {
    expect(await killWhen(isHalfDone)).toBe(true);

    const database = new SQLite(getSqlitePath());
    database.exec(`update messages set text = 'Edited' where seq = 2`);
    database.close();
    expect(await migrate()).toMatchObject({ code: 0 });
    expect(await query('select text from messages where seq = 2')).toEqual([{ text: 'Edited' }]);
  });

  test('an interrupted run finds a changed row by the digest, and starts over [MOVE-8]', async () => {
    expect(await killWhen(isHalfDone)).toBe(true);

    await query(`update messages set text = 'Messagf 2' where seq = 2`);
    await expectRejected(/table "messages" in PostgreSQL differs from the original/);

    const server = startProcess('node', { ...engines.moved(), PORT: port });
    await expectStartRefused(server, /is not complete/);
    expect(await migrate()).toMatchObject({ code: 0 });
    expect(await query('select text from messages where seq = 2')).toEqual([{ text: 'Message 2' }]);
  });

  test('an interrupted run keeps other programs from writing to the folder while it copies [MOVE-2]', async () => {
    let refusal: string[] = [];

    expect(
      await killWhen(async () => {
        if (!(await isHalfDone())) return false;
        const database = new SQLite(getSqlitePath(), { timeout: 0 });
        try {
          database.exec(`update messages set text = 'Lost' where seq = 2`);
        } catch (error) {
          refusal = [String(error)];
        } finally {
          database.close();
        }
        return true;
      }),
    ).toBe(true);
    expect(refusal).toEqual([expect.stringContaining('database is locked')]);
  });

  test('an interrupted run uses bounded memory and prints its progress without content [MOVE-9, MOVE-2]', async () => {
    const database = new SQLite(getSqlitePath());
    database.exec(`update messages set text = text || printf('%.4000c', 'x')`);
    database.close();
    const limited = { ...engines.moved(), NODE_OPTIONS: '--max-old-space-size=96' };

    const { code, output } = await runCommandProcess('migrate-to-postgres', [], limited);

    expect(code).toBe(0);
    for (const step of ['Reading', 'Copying', 'Checking']) {
      expect(output).toContain(`${step} messages: 20,000 rows`);
    }
    expect(output).not.toMatch(new RegExp(`${classId}|${RegExp.escape(ada.email)}|xxx`));
  });
});

test('migrate-to-postgres needs the server key if the folder has no key file [MOVE-3]', async () => {
  await stopServer();
  const settings = engines.moved();
  rmSync(join(settings.DATA_DIR, 'server.key'));
  const otherKey = { ...settings, SECRET_KEY: 'x'.repeat(43) };

  const { output } = await runCommand('migrate-to-postgres', [], otherKey);

  expect(output).toMatch(/Set it to the key that the server had/);
  expect(await runCommand('migrate-to-postgres', [], settings)).toMatchObject({ code: 0 });

  writeFileSync(join(settings.DATA_DIR, 'server.key'), settings.SECRET_KEY);
});
