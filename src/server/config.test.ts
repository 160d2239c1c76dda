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

test('nobody is believed about where others come from, unless told how many stand before us [CONF-13]', () => {
  expect(readConfig({}).trustedProxies).toBe(0);
  expect(readConfig({ TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2);
  for (const wrong of ['-1', '1.5', 'yes', '10']) {
    expect(() => readConfig({ TRUSTED_PROXIES: wrong })).toThrow('use the number of web servers');
  }
});

describe('a limit', () => {
  test('is a count and a time, or off, or what it always was [CONF-15]', () => {
    const { rates } = readConfig({
      LIMIT_POSTS: '5/2m',
      LIMIT_EDITS: 'off',
      LIMIT_SEARCHES: '7/s',
    });
    expect(rates).toMatchObject({
      posts: { count: 5, periodMs: 120_000 },
      edits: null,
      searches: { count: 7, periodMs: 1000 },
      deletes: { count: 30, periodMs: 10_000 },
    });
    expect(readConfig({ LIMIT_POSTS: ' ' }).rates.posts).toEqual({ count: 30, periodMs: 10_000 });
  });

  test.each(['5', '0/1s', '5/0s', '5/1w', '-1/1s', '1e3/1s', 'no', '5/60d', '5/10s burst 7'])(
    'that is %j stops the start and shows a right one [CONF-15, CONF-16]',
    (text) => {
      expect(() => readConfig({ LIMIT_NEW_CLASSES: text })).toThrow(
        `LIMIT_NEW_CLASSES is "${text}": use for example 30/10s`,
      );
    },
  );

  test('that there is not stops the start and names those that there are [CONF-15, CONF-16]', () => {
    const unknown = () => readConfig({ LIMIT_POST: '5/1s' });
    expect(unknown).toThrow(
      /^LIMIT_POST is no limit of ours. There are .*LIMIT_POSTS, LIMIT_EDITS/,
    );
  });
});
