import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { StartupError } from '#server/base/startup-failure.ts';

test('CLASS_CREATION is everyone or operators [CREATE-20]', () => {
  expect(loadConfig({}).classCreation).toBe('everyone');
  expect(loadConfig({ CLASS_CREATION: 'operators' }).classCreation).toBe('operators');
  expect(() => loadConfig({ CLASS_CREATION: 'staff' })).toThrow(
    'CLASS_CREATION is "staff": use everyone or operators.',
  );
});

test('EMAIL_DOMAIN may list several domains, and each must be one [CONF-37, CONF-16]', () => {
  const parseDomains = (value: string) => loadConfig({ EMAIL_DOMAIN: value }).emailDomains;
  expect(parseDomains('Uni.edu, students.uni.edu,uni.edu')).toEqual([
    'uni.edu',
    'students.uni.edu',
  ]);
  for (const invalidText of ['uni.edu,', 'uni.edu,@students.uni.edu', 'uni.edu=']) {
    expect(() => parseDomains(invalidText)).toThrow(/EMAIL_DOMAIN contains/);
  }
});

test('EMAIL_DOMAIN joins the names of one mail domain [CONF-37]', () => {
  const config = loadConfig({ EMAIL_DOMAIN: 'uni.edu = Old.edu=older.edu, students.uni.edu' });
  expect(config.emailDomains).toEqual(['uni.edu', 'old.edu', 'older.edu', 'students.uni.edu']);
  expect(config.domainAliases).toEqual(
    new Map([
      ['old.edu', 'uni.edu'],
      ['older.edu', 'uni.edu'],
    ]),
  );
  for (const ambiguous of ['uni.edu=old.edu,old.edu', 'a.edu=b.edu,b.edu=c.edu']) {
    expect(() => loadConfig({ EMAIL_DOMAIN: ambiguous })).toThrow(/EMAIL_DOMAIN names .+ twice/);
  }
});

test('the second factor is offered by default, and off with a provider, who asks for its own [FACTOR-2]', () => {
  const provider = {
    OIDC_ISSUER: 'https://login.university.edu/realms/a',
    OIDC_CLIENT_ID: 'chat',
    OIDC_CLIENT_SECRET: 'a secret',
  };

  expect(loadConfig({}).secondFactor).toBe('offered');
  expect(loadConfig(provider).secondFactor).toBe('off');
  expect(() => loadConfig({ ...provider, SECOND_FACTOR: 'required' })).toThrow(
    'SECOND_FACTOR is required, but with OIDC_ISSUER the provider asks',
  );
});

test('a provider for sign-on needs a safe issuer, a client and its secret, and passwords can be turned off only with it [OIDC-1, OIDC-10, CONF-16]', () => {
  expect(loadConfig({})).toMatchObject({ oidc: null, passwordSignIn: 'on' });
  const client = { OIDC_CLIENT_ID: 'chat', OIDC_CLIENT_SECRET: 'a secret' };
  const settings = { OIDC_ISSUER: 'https://login.university.edu/realms/a', ...client };
  expect(loadConfig({ ...settings, PASSWORD_SIGN_IN: 'off' })).toMatchObject({
    oidc: { clientId: 'chat', clientSecret: 'a secret', label: 'your university account' },
    passwordSignIn: 'off',
  });
  expect(() => loadConfig(client)).toThrow('OIDC_CLIENT_ID is set without OIDC_ISSUER');
  expect(() => loadConfig({ PASSWORD_SIGN_IN: 'off' })).toThrow('no one could sign in');
  expect(() => loadConfig({ PASSWORD_SIGN_IN: 'no' })).toThrow('PASSWORD_SIGN_IN is "no"');
  for (const invalidText of [
    'http://login.university.edu',
    'login',
    'https://a:b@c.edu',
    'https://c.edu/?x',
  ]) {
    expect(() => loadConfig({ ...settings, OIDC_ISSUER: invalidText })).toThrow(
      'OIDC_ISSUER must look',
    );
  }
  for (const missing of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']) {
    expect(() => loadConfig({ ...settings, [missing]: '' })).toThrow('OIDC_ISSUER needs');
  }
  expect(() => loadConfig({ ...settings, OIDC_LABEL: 'x'.repeat(41) })).toThrow('OIDC_LABEL');
});

describe('without a setting', () => {
  test('the server listens on port 3000 of the loopback interface [CONF-1]', () => {
    expect(loadConfig({}).listen).toEqual({ host: '127.0.0.1', port: 3000 });
  });

  test('links point to localhost at the configured port [CONF-2]', () => {
    expect(loadConfig({}).publicUrl.origin).toBe('http://localhost:3000');
    expect(loadConfig({ PORT: '4000' }).publicUrl.origin).toBe('http://localhost:4000');
  });

  test('the app is Backchannel of university.edu [CONF-1]', () => {
    expect(loadConfig({})).toMatchObject({
      appName: 'Backchannel',
      emailDomains: ['university.edu'],
    });
  });

  test('./data holds all stored data: the database, mails and the generated key [CONF-1, CONF-14]', () => {
    const dataDir = resolve('data');
    expect(loadConfig({})).toMatchObject({
      dataDir,
      database: { kind: 'sqlite', file: join(dataDir, 'backchannel.sqlite') },
      mail: { kind: 'folder', dir: join(dataDir, 'mail') },
      secretKey: null,
    });
  });
});

const algolia = {
  ALGOLIA_APP_ID: '7X2BF8K3QP',
  ALGOLIA_SEARCH_KEY: 'a-key-that-may-only-search',
  ALGOLIA_WRITE_KEY: 'a-key-that-may-write',
};

test('the built-in index answers searches, or the Algolia application of three settings [CONF-12]', () => {
  expect(loadConfig({}).search).toEqual({ kind: 'builtin' });
  expect(loadConfig(algolia).search).toEqual({
    kind: 'algolia',
    applicationId: '7X2BF8K3QP',
    searchKey: 'a-key-that-may-only-search',
    writeKey: 'a-key-that-may-write',
  });
});

test.each([
  [
    { ...algolia, ALGOLIA_APP_ID: '' },
    'ALGOLIA_SEARCH_KEY is set, so ALGOLIA_APP_ID must be set too.',
  ],
  [
    { ...algolia, ALGOLIA_SEARCH_KEY: '' },
    'ALGOLIA_APP_ID is set, so ALGOLIA_SEARCH_KEY must be set too.',
  ],
  [
    { ...algolia, ALGOLIA_WRITE_KEY: '' },
    'ALGOLIA_APP_ID is set, so ALGOLIA_WRITE_KEY must be set too.',
  ],
  [
    { ...algolia, ALGOLIA_APP_ID: 'x.example.com; script-src *' },
    'ALGOLIA_APP_ID is invalid: use the id of your application, such as 7X2BF8K3QP.',
  ],
  [
    { ...algolia, ALGOLIA_SEARCH_KEY: 'too short' },
    'ALGOLIA_SEARCH_KEY is invalid: use a key that can only search.',
  ],
  [
    { ...algolia, ALGOLIA_SEARCH_KEY: 'a-key-that-may-write' },
    'ALGOLIA_SEARCH_KEY and ALGOLIA_WRITE_KEY are equal. Browsers get keys derived from the first, so it must be a key that can only search.',
  ],
])('a search of %j is rejected [CONF-12, CONF-16]', (settings, sentence) => {
  expect(() => loadConfig(settings)).toThrow(new StartupError(sentence));
});

const smtp = 'smtp://mail.university.edu:587';

test.each([
  [{}, 'off'],
  [{ SMTP_URL: smtp }, 'required'],
  [{ SMTP_URL: smtp, EMAIL_VERIFICATION: 'off' }, 'off'],
  [{ EMAIL_VERIFICATION: 'required' }, 'required'],
])('with %j verification is %s [CONF-11]', (settings, expected) => {
  expect(loadConfig(settings).emailVerification).toBe(expected);
});

test('PostgreSQL replaces the file and requires the key that all of its servers share [CONF-7, CONF-14]', () => {
  const url = 'postgres://chat@db.university.edu/chat';
  expect(() => loadConfig({ DATABASE_URL: url })).toThrow('SECRET_KEY must be set too');
  const secretKey = 'x'.repeat(32);
  expect(loadConfig({ DATABASE_URL: url, SECRET_KEY: secretKey })).toMatchObject({
    database: { kind: 'postgres', url },
    secretKey,
  });
  expect(() => loadConfig({ SECRET_KEY: 'x'.repeat(31) })).toThrow('at least 32 characters');
});

test('REDIS_URL connects nodes on one PostgreSQL database [CONF-8, CONF-16]', () => {
  const database = {
    DATABASE_URL: 'postgres://chat@db.university.edu/chat',
    SECRET_KEY: 'x'.repeat(32),
  };
  const url = 'rediss://chat:hidden@redis.university.edu:6380';
  expect(loadConfig(database).redisUrl).toBe(null);
  expect(loadConfig({ ...database, REDIS_URL: url }).redisUrl).toBe(url);
  expect(() => loadConfig({ REDIS_URL: url })).toThrow('set DATABASE_URL too, or remove it');
  for (const invalidText of ['redis.university.edu:6379', 'http://hidden@redis', 'redis://']) {
    const load = () => loadConfig({ ...database, REDIS_URL: invalidText });
    expect(load).toThrow('REDIS_URL must look like redis://');
    expect(load).not.toThrow('hidden');
  }
});

describe('pictures', () => {
  const s3 = { S3_BUCKET: 'pictures', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hidden' };

  test('pictures are on the disk or in the configured bucket [CONF-9]', () => {
    const { images } = loadConfig({ DATA_DIR: '/srv/chat' });
    expect(images).toEqual({ kind: 'disk', dir: '/srv/chat/images' });
    const keys = { accessKeyId: 'id', secretAccessKey: 'hidden' };
    expect(loadConfig(s3).images).toEqual({
      kind: 's3',
      bucket: 'pictures',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      region: 'us-east-1',
      ...keys,
    });
    const endpointSettings = { S3_ENDPOINT: 'http://s3.university.edu:9000/', S3_REGION: 'garage' };
    expect(loadConfig({ ...s3, ...endpointSettings }).images).toMatchObject({
      endpoint: 'http://s3.university.edu:9000',
      region: 'garage',
    });
  });

  test.each([
    [{ S3_BUCKET: '' }, 'S3_ACCESS_KEY_ID is set without S3_BUCKET'],
    [{ S3_BUCKET: 'My Bucket' }, 'S3_BUCKET is "My Bucket"'],
    [{ S3_REGION: 'Frankfurt am Main' }, 'S3_REGION is "Frankfurt am Main"'],
    [{ S3_ENDPOINT: 's3.university.edu' }, 'S3_ENDPOINT must look like https://'],
    [{ S3_ENDPOINT: 'https://id:hidden@s3.university.edu' }, 'S3_ENDPOINT must look like https://'],
    [{ S3_ACCESS_KEY_ID: '' }, 'S3_BUCKET needs S3_ACCESS_KEY_ID'],
    [{ S3_SECRET_ACCESS_KEY: '' }, 'S3_BUCKET needs S3_ACCESS_KEY_ID'],
    [{ S3_FORCE_PATH_STYLE: 'true' }, 'S3_FORCE_PATH_STYLE is not supported'],
  ])('pictures with %j stop the start [CONF-9, CONF-16]', (invalidSettings, reason) => {
    const load = () => loadConfig({ ...s3, ...invalidSettings });
    expect(load).toThrow(reason);
    expect(load).not.toThrow('hidden');
  });
});

test('X-Forwarded-For is trusted only for the configured number of proxies [CONF-13]', () => {
  expect(loadConfig({}).trustedProxies).toBe(0);
  expect(loadConfig({ TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2);
  for (const invalidText of ['-1', '1.5', 'yes', '10']) {
    expect(() => loadConfig({ TRUSTED_PROXIES: invalidText })).toThrow(
      'use the number of reverse proxies',
    );
  }
});

describe('limits', () => {
  test('LIMITS sets single limits, each a count and a time, or off [CONF-15]', () => {
    const { rates } = loadConfig({ LIMITS: 'posts=5/2m, edits = off,searches=7/s' });

    expect(rates).toMatchObject({
      posts: { count: 5, periodMs: 120_000 },
      edits: null,
      searches: { count: 7, periodMs: 1000 },
      deletes: { count: 30, periodMs: 10_000 },
    });
  });

  test('LIMIT_FACTOR changes neither guesses of passwords, nor mails to one mailbox, nor LIMITS [CONF-15]', () => {
    const { rates } = loadConfig({ LIMIT_FACTOR: '1.5', LIMITS: 'newClasses=5/1d' });

    expect(rates).toMatchObject({
      signUps: { count: 3000, periodMs: 600_000 },
      posts: { count: 45, periodMs: 10_000 },
      suspectSignIns: { count: 45 },
      newClasses: { count: 5 },
      failedSignIns: { count: 10 },
      failedSignInsOfAccount: { count: 100 },
      rightPasswords: { count: 20 },
      signUpMails: { count: 3 },
      resetMails: { count: 3 },
      mails: { count: 30 },
      urgentMails: { count: 10 },
      outsideMails: { count: 3 },
      hallCodes: { count: 20 },
      allHallCodes: { count: 60 },
    });
  });

  test('LIMIT_FACTOR=off leaves only what LIMITS says [CONF-15]', () => {
    const { rates } = loadConfig({ LIMIT_FACTOR: 'off', LIMITS: 'posts=1/1h' });

    expect(Object.entries(rates).filter(([, rate]) => rate !== null)).toEqual([
      ['posts', { count: 1, periodMs: 3_600_000 }],
    ]);
  });

  test.each(['5', '0/1s', '5/0s', '5/1w', '-1/1s', '1e3/1s', 'no', '5/60d', '5/10s burst 7'])(
    'a limit that is %j stops the start and shows a right one [CONF-15, CONF-16]',
    (text) => {
      expect(() => loadConfig({ LIMITS: `newClasses=${text}` })).toThrow(
        `LIMITS contains "newClasses=${text}": use for example signUps=50/10m`,
      );
    },
  );

  test('a limit that there is not stops the start and names those that there are [CONF-15, CONF-16]', () => {
    const load = () => loadConfig({ LIMITS: 'likes=5/1s' });
    expect(load).toThrow(/^LIMITS contains "likes=5\/1s".* The limits are .*posts, edits/);
    expect(() => loadConfig({ LIMIT_LIKES: '5/1s' })).toThrow('LIMIT_LIKES is not supported');
  });

  test.each(['0.4', '1001', '-1', '2x', 'on'])('a factor of %s is rejected [CONF-16]', (text) => {
    expect(() => loadConfig({ LIMIT_FACTOR: text })).toThrow(
      `LIMIT_FACTOR is "${text}": use a number from 0.5 to 1000`,
    );
  });
});

describe('settings of version 0.3.0', () => {
  test('each former limit still applies, with a warning that says what to write [CONF-47]', () => {
    const { rates, warnings } = loadConfig({
      LIMIT_POSTS: '5/2m',
      LIMIT_SIGN_INS: 'off',
      LIMIT_EDITS: '',
      LIMITS: 'posts=4/1m',
    });

    expect(rates).toMatchObject({
      posts: { count: 4, periodMs: 60_000 },
      signIns: null,
      edits: { count: 30, periodMs: 10_000 },
    });
    expect(warnings).toEqual([
      'Replace LIMIT_SIGN_INS, LIMIT_POSTS by LIMITS=signIns=off, posts=5/2m, posts=4/1m. Until then, the former names still apply.',
    ]);
  });

  test.each(['SEARCH', 'EMAIL_TAGS', 'EMAIL_DOTS', 'BACKUP_AT'])(
    '%s is ignored with a warning [CONF-47]',
    (name) => {
      const { warnings, ...config } = loadConfig({ ...algolia, [name]: 'anything' });

      expect(config).toMatchObject({ search: loadConfig(algolia).search, backups: null });
      expect(warnings).toEqual([expect.stringMatching(`^${name} is no longer a setting: `)]);
    },
  );
});

test('daily backups have a folder outside the data folder, and begin at 03:30 [BACKUP-14]', () => {
  expect(loadConfig({}).backups).toBeNull();
  const { backups } = loadConfig({ BACKUP_DIR: '/backups', TIME_ZONE: 'UTC' });
  expect(backups).toEqual({ dir: '/backups', time: { startMinute: 210, timeZone: 'UTC' } });
  for (const dir of ['/data', '/data/images', '/data/../data/x']) {
    expect(() => loadConfig({ DATA_DIR: '/data', BACKUP_DIR: dir })).toThrow('in the data folder');
  }
  expect(loadConfig({ DATA_DIR: '/data', BACKUP_DIR: '/data2' }).backups?.dir).toBe('/data2');
});

test('MAX_PICTURES_GB is a number of gigabytes, and half of the disk by default [PIC-85, CONF-16]', () => {
  const parseGigabytes = (MAX_PICTURES_GB?: string) =>
    loadConfig({ MAX_PICTURES_GB }).maxPicturesGb;
  expect([
    parseGigabytes(),
    parseGigabytes(''),
    parseGigabytes('50'),
    parseGigabytes('0.5'),
  ]).toEqual([null, null, 50, 0.5]);
  for (const invalidText of ['off', '-1', '5 GB', '1e3']) {
    expect(() => parseGigabytes(invalidText)).toThrow(`MAX_PICTURES_GB is "${invalidText}"`);
  }
});

test('TERM_ENDS lists seasons with dates [TERM-1, CONF-16]', () => {
  const parseTerms = (TERM_ENDS: string) => loadConfig({ TERM_ENDS }).termEnds.terms;
  expect(parseTerms('')).toEqual([]);
  expect(parseTerms('Fall 2026-12-20,spring  2027-05-31')).toEqual([
    { season: 'Fall', lastDay: 20_807 },
    { season: 'Spring', lastDay: 20_969 },
  ]);
  for (const invalidText of [
    'Fall',
    '2026-12-20',
    'Autumn 2026-12-20',
    'Fall 2026-02-30',
    'Fall 12-20',
  ]) {
    expect(() => parseTerms(`Summer 2026-08-01, ${invalidText}`)).toThrow(
      `TERM_ENDS contains "${invalidText}":`,
    );
  }
  expect(() => parseTerms('Fall 2026-12-20,')).toThrow('TERM_ENDS contains ""');
});

test('backups in S3 have keys of their own [BACKUP-20, CONF-16]', () => {
  expect(loadConfig({}).backupS3).toBeNull();
  const keys = { BACKUP_S3_ACCESS_KEY_ID: 'id', BACKUP_S3_SECRET_ACCESS_KEY: 'secret' };
  expect(loadConfig({ ...keys, BACKUP_S3_REGION: 'eu-central-1' }).backupS3).toEqual({
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  });
  expect(() => loadConfig({ BACKUP_S3_ENDPOINT: 'https://s3.university.edu' })).toThrow(
    'BACKUP_S3_ENDPOINT is set, so BACKUP_S3_ACCESS_KEY_ID and',
  );
  expect(() => loadConfig({ ...keys, BACKUP_S3_ENDPOINT: 's3.university.edu' })).toThrow(
    'BACKUP_S3_ENDPOINT must look like',
  );
});

test('REOPEN_DAYS is a number of days [ADMIN-40, CONF-16]', () => {
  const parseDays = (REOPEN_DAYS?: string) => loadConfig({ REOPEN_DAYS }).reopenDays;
  expect([parseDays(), parseDays('0'), parseDays('90')]).toEqual([7, 0, 90]);
  for (const invalidText of ['91', '-1', '1.5', 'never', '7d']) {
    expect(() => parseDays(invalidText)).toThrow(
      `REOPEN_DAYS is "${invalidText}": use the number of days`,
    );
  }
});

test('RETENTION_DAYS is a number of days, or never [RETAIN-1, CONF-16]', () => {
  const parseDays = (RETENTION_DAYS: string) => loadConfig({ RETENTION_DAYS }).retentionDays;
  expect([parseDays(''), parseDays('never'), parseDays('1'), parseDays('3650')]).toEqual([
    null,
    null,
    1,
    3650,
  ]);
  for (const invalidText of ['0', '-1', '1.5', 'off', '365d', '100000']) {
    expect(() => parseDays(invalidText)).toThrow(
      `RETENTION_DAYS is "${invalidText}": use the number of days`,
    );
  }
});

test('UNUSED_ACCOUNT_MONTHS is a number of months with a mail server, or never [RETAIN-4, CONF-16]', () => {
  const parseMonths = (UNUSED_ACCOUNT_MONTHS: string, SMTP_URL = 'smtp://mail.university.edu') =>
    loadConfig({ UNUSED_ACCOUNT_MONTHS, SMTP_URL }).unusedAccountMonths;
  expect([parseMonths(''), parseMonths('never', ''), parseMonths('1'), parseMonths('18')]).toEqual([
    null,
    null,
    1,
    18,
  ]);
  for (const invalidText of ['0', '-1', '1.5', 'off', '18m', '1000']) {
    expect(() => parseMonths(invalidText)).toThrow(
      `UNUSED_ACCOUNT_MONTHS is "${invalidText}": use the number of`,
    );
  }
  expect(() => parseMonths('18', '')).toThrow('UNUSED_ACCOUNT_MONTHS needs SMTP_URL');
});

test('METRICS_TOKEN has at least 16 characters and is not the server key, and no error repeats it [METRIC-3, CONF-16]', () => {
  expect(loadConfig({}).metricsToken).toBeNull();
  const token = 'Fq2-a+token/of=monitors';
  expect(loadConfig({ METRICS_TOKEN: ` ${token} ` }).metricsToken).toBe(token);
  const getError = (settings: Record<string, string>) => {
    try {
      return JSON.stringify(loadConfig(settings));
    } catch (error) {
      return (error as StartupError).message;
    }
  };
  for (const invalidText of ['fifteen-letters', 'with spaces in between', 'mit-Umlauten-äöüß']) {
    const message = getError({ METRICS_TOKEN: invalidText });
    expect(message).toContain('METRICS_TOKEN is not usable: use at least 16');
    expect(message).not.toContain(invalidText);
  }
  const key = 'x'.repeat(43);
  for (const name of ['SECRET_KEY', 'NEW_SECRET_KEY']) {
    const message = getError({ METRICS_TOKEN: key, [name]: key });
    expect(message).toContain('METRICS_TOKEN equals the server key');
    expect(message).not.toContain(key);
  }
});

test('the app is offered in the languages of LANGUAGES, or in all that are complete, English first [CONF-48]', () => {
  expect(loadConfig({ LANGUAGES: 'de, en' }).languages).toEqual(['de', 'en']);
  expect(loadConfig({}).languages[0]).toBe('en');
});

describe('mails', () => {
  test('come from the app by its name, unless MAIL_FROM says otherwise [CONF-10]', () => {
    const settings = { APP_NAME: 'The "Chat", at RU', PUBLIC_URL: 'https://chat.ru.edu' };
    expect(loadConfig(settings).mail.from).toBe('"The Chat, at RU" <no-reply@chat.ru.edu>');
    const from = 'Chat <chat@ru.edu>';
    expect(loadConfig({ ...settings, MAIL_FROM: from }).mail.from).toBe(from);
  });

  test('name who runs the server and whom to ask, where that is set [MAIL-5]', () => {
    expect(loadConfig({})).toMatchObject({ organization: null, supportContact: null });
    const settings = { ORGANIZATION: 'Riverside University', SUPPORT_CONTACT: 'help@ru.edu' };
    expect(loadConfig(settings)).toMatchObject({
      organization: 'Riverside University',
      supportContact: 'help@ru.edu',
    });
    const page = 'https://ru.edu/help';
    expect(loadConfig({ SUPPORT_CONTACT: page }).supportContact).toBe(page);
    for (const invalidText of ['ask us', 'mailto:help@ru.edu', 'javascript:alert(1)', '@ru.edu']) {
      expect(() => loadConfig({ SUPPORT_CONTACT: invalidText }), invalidText).toThrow(
        'SUPPORT_CONTACT',
      );
    }
    for (const invalidOrganization of ['a\nb', 'x'.repeat(101)]) {
      expect(() => loadConfig({ ORGANIZATION: invalidOrganization })).toThrow('ORGANIZATION');
    }
  });
});

test.each([
  [{ PORT: '70000' }, 'PORT is "70000"'],
  [{ PUBLIC_URL: 'chat.university.edu' }, 'PUBLIC_URL'],
  [{ PUBLIC_URL: 'https://chat.university.edu/app' }, 'PUBLIC_URL'],
  [{ ALLOWED_HOSTS: 'https://a.example' }, 'ALLOWED_HOSTS'],
  [{ EMAIL_DOMAIN: '@university.edu' }, 'EMAIL_DOMAIN'],
  [{ EMAIL_VERIFICATION: 'yes' }, 'EMAIL_VERIFICATION'],
  [{ SMTP_URL: 'mail.university.edu' }, 'SMTP_URL'],
  [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM'],
  [{ DATABASE_URL: 'mysql://x/y' }, 'DATABASE_URL'],
  [{ APP_NAME: 'x'.repeat(41) }, 'APP_NAME'],
  [{ LANGUAGES: 'en,tlh' }, 'LANGUAGES'],
])(
  'a start with %j is rejected, and the reason names the setting [CONF-16]',
  (settings, reason) => {
    expect(() => loadConfig(settings)).toThrow(StartupError);
    expect(() => loadConfig(settings)).toThrow(reason);
  },
);
