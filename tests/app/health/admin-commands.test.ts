// `npm run admin` as a shell script uses it: help, JSON, exit codes, and the entries in the audit log.
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import {
  runAdminCommand,
  runAdminCommandWith,
  runCommand,
  runCommandProcess,
} from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { checkServerKey } from '../../../scripts/commands/doctor/machine-checks.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

test('each command explains its arguments [ADMIN-13]', async () => {
  const { out } = await run();

  const names = [...out.matchAll(/npm run admin -- ([a-z-]+) ?(\S*)/g)];
  expect(names.length).toBeGreaterThanOrEqual(10);
  for (const [, name = '', takes = ''] of names) {
    const help = await run(name, '--help');
    expect(help).toMatchObject({ code: 0, errors: [] });
    expect(help.out).toContain(`npm run admin -- ${name}`);
    expect(help.out).toContain('--json');
    expect(help.out).toContain(takes.replaceAll(/[[\]]/g, ''));
  }
});

test('a command with --json prints its result or its error as JSON [ADMIN-14]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'zoo', courseNumber: '8' });

  const deletion = await run('delete-class', '--json', classId);
  expect(deletion).toMatchObject({ code: 0, errors: [] });
  expect(JSON.parse(deletion.out)).toEqual({
    message: expect.stringContaining('The class ZOO 8 is deleted.'),
    classId,
    label: 'ZOO 8',
    restorableDays: 30,
  });

  const secondDeletion = await run('delete-class', classId, '--json');
  expect(secondDeletion).toMatchObject({ code: 1, out: '' });
  expect(secondDeletion.errors.map((line) => JSON.parse(line))).toEqual([
    { error: `There is no class with the id ${classId}.` },
  ]);
});

test('a command that exits with another code than 0 writes all of its output into a pipe [ADMIN-1]', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-admin-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'fall.csv');
  const header = 'Subject,Course number,Section,Course name,Season,Year';
  const wrongLine = 'ZOO,8,1,Animals,Monsoon,2026';
  writeFileSync(file, [header, ...Array.from({ length: 3000 }, () => wrongLine)].join('\n'));

  const { code, output } = await runCommandProcess(
    'admin',
    ['import-classes', file, '--json'],
    app.database.settings,
  );

  expect(code).toBe(2);
  expect(output.length).toBeGreaterThan(200_000);
  expect(JSON.parse(output)).toMatchObject({ message: expect.stringContaining('Line 3001: ') });
});

test('a command whose reader has left, such as head, ends without an error [ADMIN-1]', async () => {
  const unread = { readsOutput: false };

  expect(await runCommandProcess('admin', ['overview'], app.database.settings, unread)).toEqual({
    code: 0,
    output: '',
  });
});

test('a command accepts an id that starts with a dash, and rejects an empty argument [ADMIN-13]', async () => {
  for (const classId of ['-hAAAAAAAAAAAAAA', '--AAAAAAAAAAAAAA', '-jAAAAAAAAAAAAAA']) {
    expect(await run('archive-class', classId)).toEqual({
      code: 1,
      out: '',
      errors: [`Nothing was done: There is no class with the id ${classId}.`],
    });
  }
  for (const [badArgs, error] of [
    [['delete-class', ''], 'Nothing was done: ID is empty.'],
    [['revoke-role', 'ada@university.edu', ''], 'Nothing was done: ID is empty.'],
    [['announce', 'Hello', '--end', '1d', '--class', ''], 'Nothing was done: --class is empty.'],
    [['rename-domain', '', 'university.edu'], 'Nothing was done: OLD is empty.'],
    [['delete-account', ' ', '--yes'], 'Nothing was done: EMAIL is empty.'],
    [['edit-class', 'x', '--days', ''], 'Nothing was done: --days is empty.'],
    [['edit-class', 'x', '--days', 'Monday,monday'], 'Please choose each day only once.'],
    [['list-classes', 'x'.repeat(600)], 'Nothing was done: Please type fewer words.'],
    [['end-term', 'Autumn', '2026'], 'SEASON is one of Spring, Summer, Fall, Winter.'],
    [['list-classes', '--year', 'x'], 'Please enter the year as a number.'],
    [['list-classes', '--year', '0x7EA'], 'Please enter the year as a number.'],
    // Wrong calls show how to call this command, not all commands.
    [['announce', 'Hello'], 'Usage: npm run admin -- announce'],
    [['new-key', '--yse'], 'Usage: npm run admin -- new-key'],
    [['anounce', 'Hello'], 'Did you mean announce?'],
  ] as const) {
    const result = await run(...badArgs);
    expect(result.errors.length).toBeLessThan(25);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.errors.join('\n')).toContain(error);
  }
});

test('in a folder without a database, a command that needs the key asks for DATA_DIR and does not advise a new key [ADMIN-1]', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-admin-'));
  const commands = [['list-roles'], ['overview'], ['verify-audit', 'a'], ['find-account', 'a@b.c']];

  for (const args of commands) {
    const { code, errors } = await runAdminCommand({ DATA_DIR: dir }, ...args);
    expect({ code, errors }, args.join(' ')).toEqual({
      code: 1,
      errors: [
        `Nothing was done: there is no ${dir}/backchannel.sqlite. Set DATA_DIR to the data folder of the server.`,
      ],
    });
  }

  rmSync(dir, { recursive: true });
});

test('the doctor warns until the operator has typed the copy of the server key [ADMIN-88]', async () => {
  const { settings } = app.database;
  const type = (copy: string) => runAdminCommandWith(copy, settings, 'confirm-key');
  const warnsOfKey = async () =>
    (await runCommand('doctor', [], settings)).output.includes('! server key');
  const { out, errors } = await run('show-key');
  // `show-key > FILE` makes a file with the key and nothing else.
  const shownKey = out.trim();
  expect(errors).toEqual([expect.stringContaining('confirm-key')]);
  const checksum = shownKey.split(' ').at(-1);
  const otherKey = 'x'.repeat(43);

  for (const [copy, fault] of [
    ['', 'there was no key'],
    [`${otherKey.match(/.{1,4}/g)?.join(' ')} ${checksum}`, 'the server key is mistyped'],
    [otherKey, 'this is not the key of this server'],
  ] as const) {
    const typed = await type(copy);
    expect({ ...typed, errors: typed.errors.join() }).toMatchObject({
      code: 1,
      errors: expect.stringContaining(fault),
    });
  }
  expect(await warnsOfKey()).toBe(true);
  // With other spaces, as people type it.
  expect(await type(`  ${shownKey.replaceAll(' ', '   ')}\n`)).toMatchObject({ code: 0 });
  expect(await warnsOfKey()).toBe(false);

  // The copy as it is on paper works in place of the key.
  await app.restart(undefined, { SECRET_KEY: shownKey });
  expect((await run('show-key')).out).toContain(shownKey);
});

test('a start moves the key out of the data folder, as the doctor advises [ADMIN-89]', async () => {
  const { settings } = app.database;
  const keyFile = join(settings.DATA_DIR, 'server.key');
  const keyDir = `${settings.DATA_DIR}-key`;
  onTestFinished(async () => {
    await app.restart(async () => renameSync(join(keyDir, 'server.key'), keyFile));
    rmSync(keyDir, { recursive: true });
  });
  const key = readFileSync(keyFile, 'utf8');
  const publicUrl = { PUBLIC_URL: 'http://chat.university.invalid' };
  const advice = 'Set KEY_DIR to a folder';
  // Older backups need it.
  writeFileSync(`${keyFile}.old`, 'the key of before\n');

  expect((await runCommand('doctor', [], { ...settings, ...publicUrl })).output).toContain(advice);
  await app.restart(undefined, { KEY_DIR: keyDir });

  expect(existsSync(keyFile)).toBe(false);
  expect(readFileSync(join(keyDir, 'server.key'), 'utf8')).toBe(key);
  expect(readdirSync(keyDir).toSorted()).toEqual(['server.key', 'server.key.old']);
  const moved = await runCommand('doctor', [], { ...settings, ...publicUrl, KEY_DIR: keyDir });
  expect(moved.output).toContain('SQLite finds no damage');
  expect(moved.output).not.toContain(advice);
});

test('the doctor warns if the file of SECRET_KEY is in the data folder [ADMIN-89]', async () => {
  const publicUrl = { PUBLIC_URL: 'http://chat.university.invalid' };
  const config = loadConfig({ ...app.database.settings, ...publicUrl, SECRET_KEY: 'x'.repeat(32) });
  const listTexts = async (secretKeyFile: string) =>
    (await checkServerKey({ ...config, secretKeyFile })).map(({ text }) => text).join();

  expect(await listTexts(join(config.dataDir, 'a.key'))).toContain(
    'so a copy of this folder names',
  );
  expect(await listTexts('/etc/backchannel.key')).not.toContain('so a copy of this folder names');
});
