import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeKeyDown } from '#server/base/key-copy.ts';
import { loadConfig } from './config.ts';
import { findSettingsFiles, loadSettingsFiles } from './settings-files.ts';

const key = 'a key of thirty-two characters!!'.replaceAll(' ', '-');

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-settings-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const load = (environment: Record<string, string>) =>
  loadConfig(loadSettingsFiles(environment, dir));

test('.env holds settings, and variables of the process win [CONF-40]', () => {
  expect(load({}).appName).toBe('Backchannel');
  writeFileSync(join(dir, '.env'), '# Ours\nAPP_NAME="Class Talk"\nexport PORT=4000\n');
  expect(load({})).toMatchObject({ appName: 'Class Talk', listen: { port: 4000 } });
  expect(load({ PORT: '5000' })).toMatchObject({ appName: 'Class Talk', listen: { port: 5000 } });
});

test('ENV_FILE names another file, which must exist, or none [CONF-40, CONF-16]', () => {
  writeFileSync(join(dir, '.env'), 'APP_NAME=Wrong');
  writeFileSync(join(dir, 'chat.conf'), 'APP_NAME=Right');
  expect(load({ ENV_FILE: 'chat.conf' }).appName).toBe('Right');
  expect(load({ ENV_FILE: 'none' }).appName).toBe('Backchannel');
  expect(() => load({ ENV_FILE: 'chat.cnf' })).toThrow(/ENV_FILE: .*chat\.cnf does not exist\.$/);
  mkdirSync(join(dir, 'folder'));
  expect(() => load({ ENV_FILE: 'folder' })).toThrow(/ENV_FILE: .*folder is a folder\.$/);
});

test('a misspelled setting in .env stops the start as a variable does [CONF-40, CONF-17]', () => {
  writeFileSync(join(dir, '.env'), 'PUBLIC_URI=https://chat.university.edu');
  expect(() => load({})).toThrow('PUBLIC_URI is not a setting. If you mean PUBLIC_URL');
});

test('a secret can be in a file of its own, which must hold one value [CONF-41, CONF-16]', () => {
  const file = join(dir, 'secret');
  writeFileSync(file, `${key}\n`);
  expect(load({ SECRET_KEY_FILE: file }).secretKey).toBe(key);
  writeFileSync(join(dir, '.env'), 'SECRET_KEY_FILE=secret');
  expect(load({}).secretKey).toBe(key);
  expect(() => load({ SECRET_KEY: key, SECRET_KEY_FILE: file })).toThrow(
    'SECRET_KEY and SECRET_KEY_FILE are both set',
  );
  // The copy as it is on paper.
  writeFileSync(file, writeKeyDown(key));
  expect(load({}).secretKey).toBe(key);
  for (const content of ['', '\n', `${key}\n${key}`]) {
    writeFileSync(file, content);
    expect(() => load({})).toThrow(/^SECRET_KEY_FILE: .*secret must contain one line/);
  }
  rmSync(file);
  expect(() => load({})).toThrow(/^SECRET_KEY_FILE: .*secret does not exist\.$/);
});

test('a credential of systemd that has the name of a secret gives its value [CONF-41]', () => {
  const credentials = { CREDENTIALS_DIRECTORY: join(dir, 'credentials') };
  mkdirSync(credentials.CREDENTIALS_DIRECTORY);
  expect(load(credentials).secretKey).toBe(null);
  const file = join(credentials.CREDENTIALS_DIRECTORY, 'SECRET_KEY');
  writeFileSync(file, `${key}\n`);

  expect(load(credentials).secretKey).toBe(key);
  expect(findSettingsFiles(credentials, dir).get('SECRET_KEY')).toBe(file);
  expect(() => load({ ...credentials, SECRET_KEY: key })).toThrow('are both set');
});

test('a variable of the process wins over .env, also if one of the two names a file or is blank [CONF-40, CONF-41]', () => {
  const ownKey = key;
  const otherKey = key.replaceAll('a', 'b');
  writeFileSync(join(dir, 'own'), ownKey);
  writeFileSync(join(dir, '.env'), 'SECRET_KEY_FILE=other\nDATABASE_URL_FILE=nowhere');
  const withoutDatabase = { DATABASE_URL: '' };
  expect(load({ ...withoutDatabase, SECRET_KEY: ownKey }).secretKey).toBe(ownKey);
  expect(load({ ...withoutDatabase, SECRET_KEY: ownKey }).database.kind).toBe('sqlite');
  expect(load({ ...withoutDatabase, SECRET_KEY_FILE: '' }).secretKey).toBe(null);
  writeFileSync(join(dir, '.env'), `SECRET_KEY=${otherKey}`);
  expect(load({ SECRET_KEY_FILE: 'own' }).secretKey).toBe(ownKey);
});

test.each(['DATABSE_URL_FILE', 'OPERATORS_FILE'])(
  '%s stops the start [CONF-17, CONF-41]',
  (name) => {
    expect(() => load({ [name]: '/run/secrets/one' })).toThrow(`${name} is not a setting.`);
  },
);

test.each([
  ['SMTP_URL', 'smtp://user:password@mail.university.edu:587', 'mail'],
  ['NEW_SECRET_KEY', key, 'newSecretKey'],
  ['S3_SECRET_ACCESS_KEY', 'a-secret', 'images'],
  ['DATABASE_URL', 'postgres://database.university.edu/chat', 'database'],
] as const)('%s_FILE is read like SECRET_KEY_FILE [CONF-41]', (name, value, part) => {
  writeFileSync(join(dir, 'secret'), value);
  const otherSettings = { SECRET_KEY: key, S3_BUCKET: 'chat', S3_ACCESS_KEY_ID: 'id' };
  const s3 = { ...otherSettings, ...(part !== 'images' && { S3_SECRET_ACCESS_KEY: 'other' }) };
  const config = load({ ...s3, [`${name}_FILE`]: 'secret' });
  expect(JSON.stringify(config[part])).toContain(value);
});
