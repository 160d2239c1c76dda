// Rate limits, with the settings that an administrator can choose.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Emoji } from '#contract/emojis.ts';
import { http } from '#contract/http.ts';
import {
  password,
  createClassWithTwoMembers,
  type TestClient,
} from '#tests/support/test-client.ts';
import type { RateName } from '#server/base/rates.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { createJpeg, sendFile } from '#tests/support/pictures.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const apps: RunningApp[] = [];
async function serve(settings: Record<string, string>): Promise<RunningApp> {
  const app = await startApp(settings);
  apps.push(app);
  return app;
}
afterEach(async () => {
  vi.useRealTimers();
  for (const app of apps.splice(0)) await app.stop();
});

const sentence = 'You’re doing that too often. Please wait a moment.';

/** The status, and for a rejected request the whole response. */
async function ask(
  student: TestClient,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await student.fetch(path, { ...init, headers });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, reply: (await response.json()) as unknown };
}

const toRejection = (retryAfter: string) => ({
  status: 429,
  retryAfter,
  reply: { code: 'TOO_MANY', message: sentence },
});

const paths = {
  signUp: '/api/auth/sign-up/email',
  signIn: '/api/auth/sign-in/email',
  reset: '/api/auth/request-password-reset',
  search: '/1/indexes/*/queries',
};
const toForwardedHeader = (address: string) => ({ 'x-forwarded-for': address });

describe('per network address', () => {
  test('each IPv6 network that a trusted proxy reports has its own limit [CONF-13, LIMIT-29]', async () => {
    const app = await serve({ TRUSTED_PROXIES: '1', LIMITS: 'signUps=1/1h' });
    const body = { email: 'ada@elsewhere.edu', password };
    const getStatus = async (address: string) =>
      (await ask(app.visitor(), paths.signUp, body, toForwardedHeader(address))).status;

    expect(await getStatus('2001:db8:0:1::1')).toBe(400);
    expect(await getStatus('2001:db8:0:1::2')).toBe(429);
    expect(await getStatus('2001:db8:0:2::1')).toBe(400);
    // A third /64 of the same /56. A /56 has twice the allowance of a /64.
    expect(await getStatus('2001:db8:0:3::1')).toBe(429);
    expect(await getStatus('2001:db8:0:a100::1')).toBe(400);
    expect(await getStatus('2001:db8:0:b100::1')).toBe(400);
    expect(await getStatus('2001:db8:0:c100::1')).toBe(429);
    expect(await getStatus('2001:db8:1::1')).toBe(400);
    expect(await getStatus('192.0.2.7')).toBe(400);
    // Values that the browser itself sends are further to the left.
    expect(await getStatus('192.0.2.99, 192.0.2.7')).toBe(429);
  });

  test('X-Forwarded-For has no effect without a trusted proxy [CONF-13, ANON-3]', async () => {
    const app = await serve({ LIMITS: 'signUps=1/1h' });
    const body = { email: 'ada@elsewhere.edu', password };
    expect(
      (await ask(app.visitor(), paths.signUp, body, toForwardedHeader('192.0.2.1'))).status,
    ).toBe(400);
    expect(
      (await ask(app.visitor(), paths.signUp, body, toForwardedHeader('192.0.2.2'))).status,
    ).toBe(429);

    const warnings = app.logLines.filter((line) => line.includes('proxy.untrusted'));
    expect(warnings).toHaveLength(1);
    expect(app.logLines.join()).not.toMatch(/192\.0\.2|127\.0\.0\.1/);
  });

  test('calls are limited by account, and by address without one [LIMIT-24]', async () => {
    const app = await serve({ LIMITS: 'visits=3/1h, calls=2/1h' });
    const ada = await app.createStudent();
    const visitor = app.visitor();

    for (const path of ['/api/me', '/api/school-themes/default']) {
      expect((await ask(visitor, path)).status).toBe(200);
    }
    expect(await ask(visitor, '/api/me')).toEqual(toRejection('1200'));
    for (let n = 0; n < 2; n++) expect((await ask(ada, '/api/classes')).status).toBe(200);
    for (const path of ['/api/classes', '/api/me/export']) {
      expect(await ask(ada, path)).toEqual(toRejection('1800'));
    }
  });
});

interface Rejectable {
  status: number;
  retryAfter: string | null;
}

const uploadBytes = async (student: TestClient, classId: string, text: string) => {
  const response = await sendFile(student, classId, new TextEncoder().encode(text));
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
};

/** What the server rejects for its content, before it hashes, decodes or stores anything, counts all the same. */
const limitedActs: {
  title: string;
  limit: RateName;
  counted: 'network' | 'account';
  act: (student: TestClient, classId: string) => Promise<Rejectable>;
}[] = [
  {
    title: 'sign-ups have a limit for each network [LIMIT-2, LOG-17]',
    limit: 'signUps',
    counted: 'network',
    act: (student) => ask(student, paths.signUp, { email: 'ada@elsewhere.edu', password }),
  },
  {
    title: 'requested reset mails have a limit for each network [LIMIT-2]',
    limit: 'resets',
    counted: 'network',
    act: (student) => ask(student, paths.reset, { email: student.email }),
  },
  {
    title: 'reports of exceptions in pages have a limit for each network [LIMIT-2]',
    limit: 'interfaceErrors',
    counted: 'network',
    act: (student) => ask(student, '/api/interface-errors', {}),
  },
  {
    title: 'reports from outside have a limit for each network [LIMIT-62]',
    limit: 'outsideReports',
    counted: 'network',
    act: (student) =>
      ask(student, '/api/outside-reports', {
        what: 'It is about me',
        place: 'CS 146',
        contactAddress: 'out@side.example',
      }),
  },
  {
    title: 'uploads have a limit for each account [LIMIT-24, LOG-17]',
    limit: 'uploads',
    counted: 'account',
    act: (student, classId) => uploadBytes(student, classId, 'no picture'),
  },
  {
    title: 'uploads of PDFs have their own limit [PDF-14, LOG-17]',
    limit: 'pdfs',
    counted: 'account',
    act: (student, classId) => uploadBytes(student, classId, '%PDF-1.7'),
  },
  {
    title: 'exports have a limit for each account [LIMIT-24, LOG-17]',
    limit: 'exports',
    counted: 'account',
    act: (student) => ask(student, '/api/me/export'),
  },
];

/** Says again what the definitions of calls say, so that a lost limit is noticed. How often a call counts follows its name. */
const callsByLimit = {
  accountSearches: `blockAddress correctAddress deleteFoundAccount endAccountSessions exportFoundAccount findAccount
    resendVerification sendResetLink unblockAddress`,
  edits: `changeClassSettings changePersona changeTopics chooseNotifications closePoll createHallCode
    createPresenterLink deletePrepared endLecture holdQuestions moveMessage planLectures
    presentPoll releaseQuestion returnQuestion revokePresenterLinks saveDigest saveLanguage saveNotifications
    savePreferences savePrepared setPrivateState startLecture subscribePush withdrawPrivate withdrawWaiting`,
  exports: 'exportAccount',
  factorTries: 'proveFactor',
  grants: 'decideProposal grantRole linkCourse',
  historyPages: `listLectureQuestions:6 listMembers listMessages listOwnPrivate listOwnWaiting listPictures
    listPrivateQuestions listQuestions:4
    listWaitingQuestions readClassSettings readClassTransparency readPoll readPreparation`,
  interfaceErrors: 'countInterfaceError',
  memberships: 'findLetteredClass joinClass leaveClass',
  messageSearches: 'searchMessages',
  newClasses: 'createClass createCourseClass',
  outsideReports: 'reportFromOutside',
  posts: 'sendWaiting',
  privateTexts: 'addPrivateTurn askPrivately decidePublication',
  resets: 'mailSignOnLink requestPasswordReset takeDataCopy',
  signOns: 'finishSignOn startSignOn',
  signUps: 'signUp',
  unmaskings: 'requestUnmasking',
  uploads: 'uploadImage',
};

test('each call counts for the limit of its kind [LIMIT-24, ADMIN-33]', () => {
  const definitions: Record<string, { route: string; limit?: string; limitCount?: number }> = http;
  const limited = Object.entries(definitions).flatMap(([name, { limit, limitCount }]) =>
    limit ? [`${limit} ${name}${limitCount ? `:${limitCount}` : ''}`] : [],
  );
  const expected = Object.entries(callsByLimit).flatMap(([limit, names]) =>
    names.split(/\s+/).map((name) => `${limit} ${name}`),
  );

  expect(limited.toSorted()).toEqual(expected.toSorted());
});

test.each(limitedActs)('$title', async ({ limit, counted, act }) => {
  const app = await serve({ LIMITS: `${limit}=2/12m` });
  vi.useFakeTimers({ toFake: ['performance'] });
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  // What the sign-ups took is refilled.
  vi.advanceTimersByTime(720_000);

  const { status } = await act(ada, classId);
  expect(status).not.toBe(429);
  expect((await act(ada, classId)).status).toBe(status);

  expect(await act(ada, classId)).toMatchObject({ status: 429, retryAfter: '360' });
  expect((await act(ben, classId)).status).toBe(counted === 'network' ? 429 : status);

  vi.advanceTimersByTime(360_000);
  expect((await act(ada, classId)).status).toBe(status);
  expect((await act(ada, classId)).status).toBe(429);
});

test('a client that keeps asking waits one second longer each time [LIMIT-31]', async () => {
  const app = await serve({ LIMITS: 'searches=1/1h, refusals=3/1h' });
  const ada = await app.createStudent();
  const ben = await app.createStudent();

  vi.useFakeTimers({ toFake: ['performance'] });
  const search = (student: TestClient) =>
    ask(student, paths.search, { requests: [{ indexName: 'classSearch' }] });
  expect((await search(ada)).status).toBe(200);
  for (let n = 0; n < 3; n++) expect((await search(ada)).status).toBe(429);

  const sentAt = Date.now();
  expect((await search(ada)).status).toBe(429);
  // A timer may fire slightly early.
  expect(Date.now() - sentAt).toBeGreaterThan(990);
  expect((await search(ben)).status).toBe(200);
});

describe('failed sign-ins', () => {
  test('failed sign-ins make their network wait until the right password is given [LIMIT-3, AUTH-11]', async () => {
    const app = await serve({ LIMITS: 'failedSignIns=2/10m', TRUSTED_PROXIES: '1' });
    const ada = await app.createStudent();
    vi.useFakeTimers({ toFake: ['performance'] });
    const trySignIn = (email: string, guess = 'not this one', address = '192.0.2.1') =>
      ask(app.visitor(), paths.signIn, { email, password: guess }, toForwardedHeader(address));

    for (const email of [ada.email, 'nobody@university.edu']) {
      expect((await trySignIn(email)).status).toBe(401);
      expect((await trySignIn(email.toUpperCase(), 'nor this')).status).toBe(401);
      expect(await trySignIn(email, 'nor that')).toEqual(toRejection('1'));
      vi.advanceTimersByTime(1000);
      expect((await trySignIn(email)).status).toBe(401);
      expect(await trySignIn(email)).toEqual(toRejection('2'));
    }
    // The server does not check even the right password before the wait ends. Then it resets the wait.
    expect(await trySignIn(ada.email, password)).toMatchObject({ status: 429 });
    // From another network the server checks it.
    expect((await trySignIn(ada.email, password, '192.0.2.2')).status).toBe(200);

    vi.advanceTimersByTime(2000);
    expect((await trySignIn(ada.email, password)).status).toBe(200);
    expect((await trySignIn(ada.email)).status).toBe(401);
    expect((await trySignIn(ada.email)).status).toBe(401);
    expect(await trySignIn(ada.email)).toEqual(toRejection('1'));
  });

  test('parallel failed sign-ins do not exceed the limit [LIMIT-3]', async () => {
    const app = await serve({ LIMITS: 'failedSignIns=3/10m' });
    const ada = await app.createStudent();
    vi.useFakeTimers({ toFake: ['performance'] });
    const tries = Array.from({ length: 12 }, () =>
      ask(app.visitor(), paths.signIn, { email: ada.email, password: 'guess' }),
    );

    const statuses = (await Promise.all(tries)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(9);
  });
});

describe('mails', () => {
  test('reset mails are limited to three an hour, with the same replies for unknown addresses [LIMIT-35, AUTH-11]', async () => {
    const app = await serve({ LIMITS: 'resetMails=3/1h' });
    const ada = await app.createStudent();

    vi.useFakeTimers({ toFake: ['performance'] });
    const requestResets = async (email: string) => {
      const all = [];
      for (let n = 0; n < 4; n++) all.push(await ask(app.visitor(), paths.reset, { email }));
      all.push(await ask(app.visitor(), paths.reset, { email: email.toUpperCase() }));
      return all;
    };
    const ok = { status: 200, retryAfter: null, reply: {} };
    const expected = [ok, ok, ok, toRejection('1200'), toRejection('1200')];
    expect(await requestResets(ada.email)).toEqual(expected);
    expect(await requestResets('nobody@university.edu')).toEqual(expected);

    for (let n = 0; n < 3; n++) await app.waitForNextMailTo(ada);
    expect(app.mails()).toHaveLength(3);
  });

  test('mails to one mailbox are limited, for each kind of mail and all tags of the address [LIMIT-51, AUTH-60]', async () => {
    const app = await serve({ LIMITS: 'mails=2/1h', EMAIL_VERIFICATION: 'required' });
    const visitor = app.visitor();
    for (const name of ['ada', 'ben', 'ada+1', 'ada+2', 'ada+3', 'ben+1']) {
      const email = `${name}@university.edu`;
      expect((await ask(visitor, paths.signUp, { email, password })).status).toBe(200);
    }

    const listMailsTo = (name: string) =>
      app.mails().filter((mail) => mail.includes(`To: ${name}`));
    const countMails = () => [listMailsTo('ada').length, listMailsTo('ben').length];
    await expect.poll(countMails, { timeout: 10_000 }).toEqual([2, 2]);

    // A queued mail would have been sent by then.
    await app.restart();
    expect(countMails()).toEqual([2, 2]);
  });

  test('mails that one network requests for other people’s addresses leave allowance for the owners [LIMIT-35]', async () => {
    const app = await serve({
      LIMIT_FACTOR: '1',
      EMAIL_VERIFICATION: 'required',
      TRUSTED_PROXIES: '1',
    });
    const ada = app.visitor();
    const signUp = (address: string, tag = '') => {
      const email = ada.email.replace('@', `${tag}@`);
      return ask(app.visitor(), paths.signUp, { email, password }, toForwardedHeader(address));
    };
    for (let n = 0; n < 8; n++) await signUp('192.0.2.66', `+${n}`);

    expect((await signUp('192.0.2.1')).status).toBe(200);

    await app.waitForNextMailTo(ada);
    await app.restart();
    expect(app.mails()).toHaveLength(4);
  });

  test('mails that a stranger causes do not stop the owner’s own sign-up and reset mails [LIMIT-35, LIMIT-51]', async () => {
    const app = await serve({
      LIMIT_FACTOR: '1',
      EMAIL_VERIFICATION: 'required',
      TRUSTED_PROXIES: '1',
    });
    const ada = app.visitor();
    const { email } = ada;
    const signUp = (address: string) =>
      ask(app.visitor(), paths.signUp, { email, password }, toForwardedHeader(address));
    const reset = (address: string) =>
      ask(app.visitor(), paths.reset, { email }, toForwardedHeader(address));
    // A home line has a /56: 256 networks of /64.
    for (let n = 0; n < 12; n++) {
      await signUp(`2001:db8:1:${n.toString(16)}::1`);
      await reset(`2001:db8:1:${n.toString(16)}::1`);
    }
    const count = (text: string) => app.mails().filter((mail) => mail.includes(text)).length;

    await expect.poll(() => app.mails().length, { timeout: 10_000 }).toBe(12);

    expect((await signUp('198.51.100.7')).status).toBe(200);
    expect((await reset('198.51.100.7')).status).toBe(200);

    await expect.poll(() => app.mails().length, { timeout: 10_000 }).toBe(14);
    expect(count(`To: ${email}`)).toBe(14);
  });
});

/** Sends the frame and returns its answer. */
async function sendFrame(socket: TestSocket, frame: object) {
  const answer = await socket.request(frame);
  return answer.type === 'ack' ? 'ack' : { code: answer.code, retryAfterMs: answer.retryAfterMs };
}

/** The log lines that say it, with all their fields. */
const findRejections = (app: RunningApp): unknown[] =>
  app.logLines.filter((line) => line.includes('uploads.rejected')).map((line) => JSON.parse(line));

test('uploads are rejected with a sentence while the disk is nearly full, and texts are accepted [PIC-82]', async () => {
  const app = await serve({ KEEP_FREE_GB: '9999999' });
  const ada = await app.createStudent();
  const classId = await ada.createClass();

  const response = await sendFile(ada, classId, await createJpeg());
  expect(await response.json()).toEqual({
    code: 'STORAGE_FULL',
    message:
      'The server is running out of space, so it takes no pictures and PDFs for now. You can still send text.',
  });
  expect(response.status).toBe(413);

  await ada.post(classId, 'still here');
  await app.restart(undefined, { KEEP_FREE_GB: '0' });
  expect((await sendFile(ada, classId, await createJpeg())).status).toBe(200);
});

test('the log, /admin and the doctor say that the disk is too full for uploads [PIC-86]', async () => {
  const app = await serve({ KEEP_FREE_GB: '9999999' });
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  await grantRole(app, ben, null, 'Kim');
  const problem = 'Uploads are rejected: less than 5 % or KEEP_FREE_GB of the disk is free.';

  for (const student of [ada, ben, ada]) await sendFile(student, classId, await createJpeg());
  const { parts } = await ben.call('readOverview', {});
  const doctor = await runCommand('doctor', [], {
    ...app.database.settings,
    KEEP_FREE_GB: '9999999',
  });

  expect(findRejections(app)).toEqual([
    { level: 40, time: expect.any(String), event: 'uploads.rejected', hint: problem },
  ]);
  expect(parts.find(({ part }) => part === 'pictures')).toEqual({
    part: 'pictures',
    health: 'warning',
    explanation: problem,
  });
  expect(doctor.output).toContain(`✗ uploads     ${problem}`);
});

test('all pictures and PDFs together have a limit, which a restart keeps [PIC-85]', async () => {
  const app = await serve({ MAX_PICTURES_GB: '0.00002' });
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const picture = await createJpeg(300, 300);
  const statuses: number[] = [];

  while (statuses.at(-1) !== 413 && statuses.length < 50) {
    statuses.push((await sendFile(ada, classId, picture)).status);
  }
  expect(statuses[0]).toBe(200);

  await app.restart();

  const response = await sendFile(ben, classId, picture);
  expect(await response.json()).toMatchObject({ code: 'STORAGE_FULL' });
  expect(response.status).toBe(413);
  expect(findRejections(app).at(-1)).toMatchObject({
    hint: 'Uploads are rejected: all pictures and PDFs together need MAX_PICTURES_GB.',
  });
  expect((await ben.post(classId, 'still here')).type).toBe('ack');

  await app.restart(undefined, { MAX_PICTURES_GB: '' });
  expect((await sendFile(ben, classId, picture)).status).toBe(200);
});

test('an upload that cannot be saved does not count as bytes of the account [LIMIT-53]', async () => {
  const app = await serve({});
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const picture = await createJpeg(300, 300);
  await sendFile(ada, classId, picture);
  const [row] = await app.database.query('select bytes from images');
  const enoughForOne = Math.ceil((Number(row?.['bytes']) * 1.5) / 1000);
  await app.restart(undefined, { LIMITS: `uploadKilobytes=${enoughForOne}/1d` });
  const folder = join(app.database.settings.DATA_DIR, 'images');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'not a folder');

  for (let n = 0; n < 2; n++) expect((await sendFile(ada, classId, picture)).status).toBe(503);

  rmSync(folder);
  mkdirSync(folder);
  expect((await sendFile(ada, classId, picture)).status).toBe(200);
  expect((await sendFile(ada, classId, picture)).status).toBe(413);
});

test('the texts of an account are limited by their bytes, in posts and edits together [LIMIT-54]', async () => {
  const app = await serve({ LIMITS: 'textKilobytes=30/1d' });
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connect();
  const createLongText = (letter: string) => letter.repeat(4000);

  const { id } = await socket.post(classId, createLongText('長'));
  const edit = { type: 'edit', classId, messageId: id, text: createLongText('短') };
  expect((await socket.request(edit)).type).toBe('ack');

  const answer = await socket.post(classId, createLongText('高'));

  expect(answer).toMatchObject({ type: 'nack', code: 'TOO_MANY' });
  expect(answer).toMatchObject({ retryAfterMs: expect.any(Number) });
  expect((await socket.post(classId, 'a short one')).type).toBe('ack');
  expect((await ben.post(classId, createLongText('高'))).type).toBe('ack');
});

describe('per account', () => {
  test('posts of an account are limited over all sockets to a burst of 30 and then three per second [LIMIT-5, LIMIT-20]', async () => {
    const app = await serve({ LIMIT_FACTOR: '1' });
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const firstSocket = await ada.connect();
    const secondSocket = await ada.connect();
    const other = await ben.connect();

    vi.useFakeTimers({ toFake: ['performance'] });
    for (let n = 0; n < 15; n++) {
      expect((await firstSocket.post(classId, `one ${n}`)).type).toBe('ack');
      expect((await secondSocket.post(classId, `two ${n}`)).type).toBe('ack');
    }

    const id = randomUUID();
    for (const socket of [firstSocket, secondSocket]) {
      const answer = await socket.post(classId, 'too many', id);
      expect(answer).toMatchObject({ type: 'nack', code: 'TOO_MANY', message: sentence });
      expect(answer).toMatchObject({ retryAfterMs: 334 });
    }
    expect((await other.post(classId, 'I am another')).type).toBe('ack');

    vi.advanceTimersByTime(334);
    expect((await firstSocket.post(classId, 'too many', id)).type).toBe('ack');

    const { messages } = await other.subscribe(classId);
    expect(messages).toHaveLength(32);
  });

  test('edits, deletes and reactions of an account have separate limits, and votes count as reactions [LIMIT-5]', async () => {
    const app = await serve({ LIMITS: 'edits=2/1h, deletes=2/1h, reactions=2/1h, posts=5/1h' });
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ada.connect();
    const other = await ben.connect();
    const { id: theirs } = await other.post(classId, 'hello');
    const { id: messageId } = await socket.post(classId, 'hello');
    const tooMany = { code: 'TOO_MANY', retryAfterMs: 1_800_000 };

    const react = (emoji: Emoji | null) =>
      sendFrame(socket, { type: 'react', classId, messageId: theirs, emoji });
    expect([await react('❤️'), await react('👍')]).toEqual(['ack', 'ack']);
    expect(await react(null)).toEqual({ ...tooMany, retryAfterMs: expect.any(Number) });
    const vote = { type: 'vote', classId, messageId: theirs, voted: true };
    expect(await sendFrame(socket, vote)).toMatchObject({ code: 'TOO_MANY' });
    const choice = { type: 'choose', classId, messageId: theirs, choices: [0] };
    expect(await sendFrame(socket, choice)).toMatchObject({ code: 'TOO_MANY' });

    const edit = (text: string) => sendFrame(socket, { type: 'edit', classId, messageId, text });
    expect([await edit('a'), await edit('b')]).toEqual(['ack', 'ack']);
    expect(await edit('c')).toMatchObject({ code: 'TOO_MANY' });

    const remove = () => sendFrame(socket, { type: 'delete', classId, messageId });
    expect([await remove(), await remove()]).toEqual(['ack', 'ack']);
    expect(await remove()).toMatchObject({ code: 'TOO_MANY' });
    expect((await socket.post(classId, 'still here')).type).toBe('ack');
  });

  test('each kind of call of an account has its limit [LIMIT-24]', async () => {
    const app = await serve({ LIMITS: 'searches=3/1h, historyPages=2/1h, subscriptions=1/1h' });
    const ada = await app.createStudent();
    const classId = await ada.createClass();

    const query = { indexName: 'classSearch', query: 'cs' };
    expect((await ask(ada, paths.search, { requests: [query, query] })).status).toBe(200);
    // Each query of a call counts.
    expect((await ask(ada, paths.search, { requests: [query, query] })).status).toBe(429);
    expect((await ask(ada, paths.search, { requests: [query] })).status).toBe(200);
    expect(await ask(ada, paths.search, { requests: [query] })).toEqual(toRejection('1200'));

    const page = `/api/classes/${classId}/messages`;
    // A list of questions takes as much as several pages, also if the limit is smaller.
    expect((await ask(ada, `/api/classes/${classId}/questions`)).status).toBe(200);
    expect((await ask(ada, page)).status).toBe(429);

    const socket = await ada.connectTo(classId);
    expect(await sendFrame(socket, { type: 'subscribe', classId })).toMatchObject({
      code: 'TOO_MANY',
    });
  });

  test('sockets are limited in how often they open and to 100 at a time [LIMIT-24, LIMIT-27]', async () => {
    const app = await serve({ LIMITS: 'sockets=2/1h' });
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    await ada.connect();
    await ada.connect();

    await expect(ada.connect()).rejects.toThrow('429');

    await ben.connect();

    const roomy = await serve({});
    const cy = await roomy.createStudent();
    const sockets = await Promise.all(Array.from({ length: 100 }, () => cy.connect()));
    await expect(cy.connect()).rejects.toThrow('429');

    sockets[0]!.close();
    await sockets[0]!.closed;
    await cy.connect();
  });

  test('frames above the limit are read later and in order [LIMIT-25]', async () => {
    // A slow machine may read all frames at the same time: they are within two seconds of the limit.
    const app = await serve({ LIMITS: 'frames=30/1s' });
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ada.connect();
    const ids = Array.from({ length: 60 }, () => randomUUID());

    for (const [n, id] of ids.entries()) {
      socket.send({ type: 'post', rid: 1000 + n, classId, id, text: `message ${n}` });
      // Each frame needs its own packet, because the server handles all frames of one packet together.
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The server reads other sockets in the meantime.
    expect((await ben.post(classId, 'I am not held up')).type).toBe('ack');
    for (let n = 0; n < 60; n++) expect((await socket.waitForReply(1000 + n)).type).toBe('ack');

    const { messages } = await socket.subscribe(classId);
    const storedIds = messages.filter(({ text }) => text.startsWith('message')).map(({ id }) => id);
    expect(storedIds).toEqual(ids.filter((id) => storedIds.includes(id)));
  });

  test.each([
    ['pings', (socket: TestSocket) => socket.webSocket.ping()],
    ['pongs', (socket: TestSocket) => socket.webSocket.pong()],
    ['invalid frames', (socket: TestSocket) => socket.sendText('{"rid":9}')],
  ])('a packet with more %s than twice the limit closes its socket [LIMIT-25]', async (_, send) => {
    const app = await serve({ LIMITS: 'frames=20/1h' });
    const ada = await app.createStudent();
    const flooding = await ada.connect();
    let answers = 0;
    flooding.webSocket.on('pong', () => (answers += 1));
    // The server shares this process: it reads what is sent in one turn immediately.
    for (let n = 0; n < 1000; n++) send(flooding);

    await flooding.closed;
    answers += flooding.frames.filter((frame) => frame.type === 'nack').length;
    expect(answers).toBeLessThan(50);

    const other = await (await app.createStudent()).connect();
    expect(
      await sendFrame(other, { type: 'subscribe', classId: 'AAAAAAAAAAAAAAAA' }),
    ).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

test('downloads of pictures are limited by account, and by address without one [LIMIT-24]', async () => {
  const app = await serve({ LIMITS: 'pictures=2/1h, visits=5/1h' });
  const ada = await app.createStudent();
  const ben = await app.createStudent();

  const visitor = app.visitor();
  const getStatus = async (student: TestClient) =>
    (await student.fetch('/images/AAAAAAAAAAAAAAAA.webp')).status;
  expect([await getStatus(ada), await getStatus(ada), await getStatus(ada)]).toEqual([
    404, 404, 429,
  ]);
  expect(await getStatus(ben)).toBe(404);

  // The two sign-ups counted too.
  const visitorStatuses = [];
  for (let n = 0; n < 4; n++) visitorStatuses.push(await getStatus(visitor));
  expect(visitorStatuses).toEqual([404, 404, 404, 429]);
});

test('a typing notice is sent once in two seconds, over all sockets [LIMIT-44, WIRE-12]', async () => {
  const app = await serve({});
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const cem = await app.createStudent();
  const classId = await ada.createClass();
  for (const student of [ben, cem]) await student.join(classId);
  const typists = await Promise.all(Array.from({ length: 10 }, () => ada.connect()));
  const bens = await ben.connect();
  const cems = await cem.connect();
  for (const socket of [...typists, bens, cems]) await socket.subscribe(classId);
  const countTypingNotices = (socket: TestSocket) =>
    socket.frames.filter(({ type }) => type === 'typing').length;

  vi.useFakeTimers({ toFake: ['performance'] });
  for (let n = 0; n < 5; n++) {
    for (const socket of typists) socket.send({ type: 'typing', classId });
  }
  await cems.waitFor('typing');
  bens.send({ type: 'typing', classId });
  await cems.post(classId, 'all that was sent is heard');
  await bens.subscribe(classId);
  expect([countTypingNotices(bens), countTypingNotices(cems)]).toEqual([1, 1]);

  vi.advanceTimersByTime(2000);
  // If two members type at the same time, each sees that the other types.
  typists[0]!.send({ type: 'typing', classId });
  await bens.waitFor('typing', () => countTypingNotices(bens) === 2);
  const noticesBefore = countTypingNotices(typists[0]!);
  bens.send({ type: 'typing', classId });
  await typists[0]!.waitFor('typing', () => countTypingNotices(typists[0]!) === noticesBefore + 1);
  expect([countTypingNotices(bens), countTypingNotices(cems)]).toEqual([2, 2]);
});
