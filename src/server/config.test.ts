import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

describe('without a setting', () => {
  test('the server listens at port 3000 of this machine alone [CONF-1]', () => {
    expect(readConfig({}).listen).toEqual({ host: '127.0.0.1', port: 3000 });
  });

  test('links lead to localhost, at the port that was chosen [CONF-2]', () => {
    expect(readConfig({}).publicUrl.origin).toBe('http://localhost:3000');
    expect(readConfig({ PORT: '4000' }).publicUrl.origin).toBe('http://localhost:4000');
  });

  test('the product is Backchannel of university.edu [CONF-4, CONF-5]', () => {
    expect(readConfig({})).toMatchObject({ appName: 'Backchannel', emailDomain: 'university.edu' });
  });

  test('all that is kept is in ./data: database, mails and the generated key [CONF-6, CONF-14]', () => {
    const dataDir = resolve('data');
    expect(readConfig({})).toMatchObject({
      dataDir,
      database: { kind: 'sqlite', file: join(dataDir, 'backchannel.sqlite') },
      mail: { kind: 'folder', dir: join(dataDir, 'mail') },
      secretKey: null,
    });
  });
});

const smtp = 'smtp://mail.university.edu:587';

test.each([
  [{}, 'off'],
  [{ SMTP_URL: smtp }, 'required'],
  [{ SMTP_URL: smtp, EMAIL_VERIFICATION: 'off' }, 'off'],
  [{ EMAIL_VERIFICATION: 'required' }, 'required'],
])('with %j verification is %s [CONF-11]', (settings, expected) => {
  expect(readConfig(settings).emailVerification).toBe(expected);
});

test('a PostgreSQL replaces the file, and asks for the key that all of its servers share [CONF-7, CONF-14]', () => {
  const url = 'postgres://chat@db.university.edu/chat';
  expect(() => readConfig({ DATABASE_URL: url })).toThrow('SECRET_KEY must be given too');
  const secretKey = 'x'.repeat(32);
  expect(readConfig({ DATABASE_URL: url, SECRET_KEY: secretKey })).toMatchObject({
    database: { kind: 'postgres', url },
    secretKey,
  });
  expect(() => readConfig({ SECRET_KEY: 'x'.repeat(31) })).toThrow('at least 32 characters');
});
