// A backup of a running server, and its restore.
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { runCommand, runCommandProcess, type CommandResult } from '#tests/support/run-command.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';

let dir: string;
let data: string;
let file: string;
let settings: Record<string, string>;
let server: ServerProcess | null;
let ada: TestClient;
let classId: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-backup-'));
  data = join(dir, 'data');
  file = join(dir, 'backup');
  settings = { DATA_DIR: data, PORT: String(await findFreePort()) };
  await start();
  ada = createTestClient(`http://127.0.0.1:${settings['PORT']}`, 'ada@university.edu');
  await ada.signUp();
  classId = await ada.createClass();
});
afterEach(async () => {
  await end('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = startProcess('node', settings);
  await server.started();
}
async function end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  server?.child.kill(signal);
  await server?.ended;
  server = null;
}
const backUp = (...args: string[]) => runCommand('backup', args, settings);
const restore = (...args: string[]) => runCommand('restore', args, settings);

async function say(text: string, id: string = randomUUID()) {
  const socket = await ada.connect();
  const answer = await socket.post(classId, text, id);
  socket.close();
  return answer;
}
async function listTexts(): Promise<string[]> {
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  return messages.map(({ text }) => text);
}
async function expectRejected(run: Promise<CommandResult>, reason: RegExp): Promise<void> {
  const { code, output } = await run;
  expect(output).toMatch(reason);
  expect(output).toMatch(/^Cannot (back up|restore): .*$/);
  expect(code).toBe(1);
}
const getDatabasePath = () => join(data, 'backchannel.sqlite');

describe('a backup', () => {
  test('a backup has acknowledged data and no deleted data, and only its owner can read it [BACKUP-1, BACKUP-2]', async () => {
    const deletedText = randomUUID();
    const { id } = await say(deletedText);
    await say('kept');
    const socket = await ada.connect();

    await socket.request({ type: 'delete', classId, messageId: id });
    expect(await runCommandProcess('backup', [file], settings)).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir).toSorted()).toEqual(['backup', 'data']);

    const content = readFileSync(file, 'latin1');
    expect(content).toContain('kept');
    expect(content).not.toContain(deletedText);
    expect(await say('the server goes on')).toMatchObject({ type: 'ack' });
  });

  test('a backup never overwrites a file, and a failed one explains itself in one line [BACKUP-1]', async () => {
    writeFileSync(file, 'of somebody');

    await expectRejected(backUp(file), /exists already/);
    expect(readFileSync(file, 'utf8')).toBe('of somebody');
    await expectRejected(backUp(join(dir, 'nowhere', 'backup')), /this user cannot write/);
    await expectRejected(backUp(), /name one file/);
    await expectRejected(backUp(file, '--all'), /--all/);
    await expectRejected(runCommand('backup', [`${file}2`], { DATA_DIR: dir }), /no database/);
  });

  test('a backup with the server key can be restored on another machine [BACKUP-2, ANON-12]', async () => {
    await say('kept');

    const me = (await ada.snapshot(classId)).me.memberId;
    const key = readFileSync(join(data, 'server.key'), 'utf8').trim();
    expect(await backUp(file)).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'latin1')).not.toContain(key);
    expect(await backUp(`${file}2`, '--with-key')).toMatchObject({ code: 0 });
    expect(readFileSync(`${file}2`, 'latin1')).not.toContain(key);
    expect(readFileSync(`${file}2.key`, 'utf8').trim()).toBe(key);
    expect(statSync(`${file}2.key`).mode & 0o777).toBe(0o600);

    await end();
    rmSync(data, { recursive: true });
    await expectRejected(restore(file), /key is missing/);
    expect(await restore(`${file}2`)).toMatchObject({ code: 0 });

    await start();
    expect(await listTexts()).toEqual(['kept']);
    expect((await ada.snapshot(classId)).me.memberId).toBe(me);
  });
});

describe('a restore', () => {
  test('a restore returns to the backup with a new epoch, and keeps the replaced database [BACKUP-4]', async () => {
    await say('before');
    const first = await ada.snapshot(classId);
    expect(await backUp(file)).toMatchObject({ code: 0 });

    const { id } = await say('after');
    await end('SIGKILL');
    expect(await runCommandProcess('restore', [file], settings)).toMatchObject({ code: 0 });

    await start();
    expect(await listTexts()).toEqual(['before']);

    const socket = await ada.connect();
    const position = { epoch: first.epoch, after: first.seq, afterId: first.lastId ?? '' };
    socket.send({ type: 'subscribe', rid: 1, classId, ...position });
    const snapshot = await socket.waitFor('snapshot');
    expect(snapshot.epoch).not.toBe(first.epoch);
    expect(snapshot.me).toEqual(first.me);
    // The browser sends a message again if it had no answer for it.
    expect(await say('after', id)).toMatchObject({ type: 'ack', seq: 2 });

    await end();
    // With its WAL, if the killed server still had the files open.
    for (const name of readdirSync(data).filter((fileName) => fileName.includes('.replaced-'))) {
      copyFileSync(join(data, name), join(data, name.replace(/\.replaced-[^Z]*Z/, '')));
    }
    await start();
    expect(await listTexts()).toEqual(['before', 'after']);
  });

  test('a restore requires a stopped server, and a rejected restore changes nothing [BACKUP-4, BACKUP-5]', async () => {
    await say('kept');
    expect(await backUp(file)).toMatchObject({ code: 0 });
    await expectRejected(restore(file), /another server uses this data folder/);

    await end();
    const contentBefore = readFileSync(getDatabasePath());

    const change = (name: string, sql: string) => {
      const copyPath = join(dir, name);
      copyFileSync(file, copyPath);
      const copy = new SQLite(copyPath);
      copy.exec(sql);
      copy.close();
      return copyPath;
    };
    writeFileSync(join(dir, 'text'), 'not a database '.repeat(500));
    writeFileSync(join(dir, 'empty'), '');
    writeFileSync(join(dir, 'half'), readFileSync(file).subarray(0, statSync(file).size / 2));
    const newer = change('newer', "insert into kysely_migration values ('9999', '2030-01-01')");
    const foreign = change('foreign', 'drop table serverMetadata');
    for (const name of ['text', 'empty', 'half']) {
      await expectRejected(restore(join(dir, name)), /damaged, or not/);
    }
    await expectRejected(restore(foreign), /not a backup of Backchannel/);
    await expectRejected(restore(newer), /newer version/);
    await expectRejected(restore(join(dir, 'nothing')), /there is no/);
    await expectRejected(restore(), /name the backup/);
    await expectRejected(restore('--help'), /'--help'\. Please name the backup/);

    const key = join(data, 'server.key');
    const rightKey = readFileSync(key, 'utf8');
    writeFileSync(key, 'x'.repeat(43));
    await expectRejected(restore(file), /another server key/);

    writeFileSync(key, rightKey);

    expect(readFileSync(getDatabasePath()).equals(contentBefore)).toBe(true);
    expect(readdirSync(data).filter((name) => /restoring|replaced/.test(name))).toEqual([]);

    await start();
    expect(await listTexts()).toEqual(['kept']);
  });

  test('a restore replaces a damaged database, and --new-epoch follows a manual restore [BACKUP-4, BACKUP-11]', async () => {
    await say('kept');
    expect(await backUp(file)).toMatchObject({ code: 0 });

    await end('SIGKILL');
    writeFileSync(getDatabasePath(), 'not a database '.repeat(500));
    expect(await restore(file)).toMatchObject({ code: 0 });
    expect(existsSync(`${getDatabasePath()}-wal`)).toBe(false);

    await start();
    expect(await listTexts()).toEqual(['kept']);

    const { epoch } = await ada.snapshot(classId);
    await expectRejected(restore('--new-epoch'), /another server uses/);

    await end();
    expect(await restore('--new-epoch')).toMatchObject({ code: 0 });

    await start();
    expect(await listTexts()).toEqual(['kept']);
    expect((await ada.snapshot(classId)).epoch).not.toBe(epoch);
  });
});
