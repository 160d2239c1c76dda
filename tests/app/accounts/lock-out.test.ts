// Sign-in attacks from one network or from many do not lock students out.
import { afterEach, describe, expect, test } from 'vitest';
import { rateSettings } from '#server/config/rate-settings.ts';
import type { RateName } from '#server/base/rates.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { quoteEmail } from '#tests/support/test-database.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

/** The default limits of a server. */
const defaults = {
  LIMIT_SIGN_UPS: '',
  LIMIT_SIGN_INS: '',
  LIMIT_FAILED_SIGN_INS: '',
  LIMIT_FAILED_SIGN_INS_OF_ACCOUNT: '',
  LIMIT_SUSPECT_SIGN_INS: '',
  TRUSTED_PROXIES: '1',
};

let app: RunningApp;
async function serve(settings: Record<string, string> = {}): Promise<void> {
  app = await startApp({ ...defaults, ...settings });
}
afterEach(() => app.stop());

const at = (address: string) => ({
  userAgent: 'browser',
  headers: { 'x-forwarded-for': address },
});

/** 'in', or the error code. */
async function signIn(browser: TestClient, email: string, tried = password): Promise<string> {
  return browser.call('signIn', { body: { email, password: tried } }).then(
    () => 'in',
    (error: unknown) => (error as { code: string }).code,
  );
}

/** Tries wrong passwords until the server makes the network wait. */
async function attack(email: string, address: string): Promise<void> {
  const eve = app.visitor('eve', at(address));
  for (let n = 0; n < 30; n++) {
    if ((await signIn(eve, email, `guess ${n}`)) === 'TOO_MANY') return;
  }
  throw new Error('No response told the attacker to wait.');
}

describe('an account that a stranger tries passwords of', () => {
  test('an account that a stranger tries passwords of can be opened from another network, and from a known browser in the stranger’s network; its owner can change the password and delete the account [AUTH-56, LIMIT-3]', async () => {
    await serve();
    const ada = await app.createStudent(undefined, at('192.0.2.1'));
    await attack(ada.email, '192.0.2.66');
    await attack(ada.email, '192.0.2.1');
    // One attempt comes from another browser and network, the other from the known browser after 'Log Out',
    // in the stranger's network.
    expect(await signIn(app.visitor('x', at('192.0.2.2')), ada.email)).toBe('in');
    await ada.call('signOut', {});
    expect(await signIn(ada, ada.email)).toBe('in');
    await attack(ada.email, '192.0.2.1');
    const newPassword = 'another good one';
    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    await ada.call('deleteAccount', { body: { password: newPassword, messages: 'keep' } });
  });

  test('an account that a stranger tries passwords of can be opened from a new browser in the stranger’s network by a mailed link [AUTH-56]', async () => {
    await serve();
    const { email } = await app.createStudent(undefined, at('192.0.2.1'));
    await attack(email, '192.0.2.9');
    const fresh = app.visitor(email.split('@')[0], at('192.0.2.9'));
    expect(await signIn(fresh, email)).toBe('TOO_MANY');
    await fresh.call('requestPasswordReset', { body: { email } });
    const token = /reset-password\?token=(\S+)/.exec(await app.waitForNextMailTo(fresh))?.[1] ?? '';
    const newPassword = 'another good one';
    await fresh.call('resetPassword', { body: { token, newPassword } });
    expect(await signIn(fresh, email, newPassword)).toBe('in');
  });

  test('an account that a stranger tries passwords of is not guessed faster by an attacker who signs in to their own account in between [AUTH-56, LIMIT-3]', async () => {
    await serve();
    const ada = await app.createStudent(undefined, at('192.0.2.1'));
    const eve = await app.createStudent('eve', at('192.0.2.66'));
    await attack(ada.email, '192.0.2.66');
    expect(await signIn(eve, eve.email)).toBe('in');
    // The cookie of one account gives no allowance for another account.
    expect(await signIn(eve, ada.email, 'guess')).toBe('TOO_MANY');
  });
});

test('forty networks that fail as often as they can lock none of forty students out [LIMIT-2, LIMIT-33, LIMIT-34, AUTH-67]', async () => {
  await serve();
  const students = await Promise.all(
    Array.from({ length: 40 }, (_, n) => app.createStudent(`s${n}`, at('192.0.2.1'))),
  );
  let over = false;
  const refusals = { attackers: 0, tries: 0 };
  const attackers = Array.from({ length: 40 }, async (_, n) => {
    const eve = app.visitor('eve', at(`198.51.100.${n}`));
    for (let tries = 0; !over && tries < 40; tries++) {
      const email = `s${(n + tries) % 40}@university.edu`;
      refusals.tries += 1;
      if ((await signIn(eve, email, 'guess')) === 'TOO_MANY') refusals.attackers += 1;
    }
  });
  while (refusals.tries < 1300) await new Promise((resolve) => setTimeout(resolve, 10));
  // The students use known and new browsers, from separate networks and from one shared address.
  const known = await Promise.all(students.map((student) => signIn(student, student.email)));
  const fresh = await Promise.all(
    students.map(({ email }, n) => signIn(app.visitor('x', at(`203.0.113.${n}`)), email)),
  );
  const campus = await Promise.all(
    students.map(({ email }) => signIn(app.visitor('x', at('192.0.2.1')), email)),
  );
  over = true;
  await Promise.all(attackers);
  const all = Array.from({ length: 40 }, () => 'in');
  expect([known, fresh, campus]).toEqual([all, all, all]);
});

test('a student who signs in again and again with the right password, from a known browser, keeps no one else waiting [AUTH-67]', async () => {
  await serve({ LIMIT_RIGHT_PASSWORDS: 'off' });
  const mallory = await app.createStudent('mallory', at('203.0.113.9'));
  const ada = await app.createStudent(undefined, at('192.0.2.1'));
  let isOver = false;
  let signInCount = 0;
  const flood = Array.from({ length: 60 }, async () => {
    while (!isOver) {
      await signIn(mallory, mallory.email);
      signInCount += 1;
    }
  });
  await expect.poll(() => signInCount).toBeGreaterThan(100);

  expect(await signIn(app.visitor('x', at('198.51.100.2')), ada.email)).toBe('in');

  isOver = true;
  await Promise.all(flood);
});

test('the right password signs an account in twenty times in ten minutes, and a stranger’s wrong ones do not count [LIMIT-50]', async () => {
  await serve({ LIMIT_RIGHT_PASSWORDS: '2/10m' });
  const ada = await app.createStudent(undefined, at('192.0.2.1'));
  await attack(ada.email, '192.0.2.66');
  expect(await signIn(ada, ada.email)).toBe('in');
  expect(await signIn(app.visitor('x', at('192.0.2.2')), ada.email)).toBe('in');
  expect(await signIn(ada, ada.email)).toBe('TOO_MANY');
  const ben = await app.createStudent(undefined, at('192.0.2.1'));
  expect(await signIn(ben, ben.email)).toBe('in');
});

test('three hundred students can sign up from one address at the same moment [LIMIT-1, AUTH-45]', async () => {
  await serve();
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      app.createStudent(`hall${n}`, at('192.0.2.1')).then(
        () => 'in',
        (error: unknown) => String(error),
      ),
    ),
  );
  expect(new Set(answers)).toEqual(new Set(['in']));
});

describe('the cookie of a known browser', () => {
  const findBrowserCookie = (response: Response) =>
    response.headers.getSetCookie().find((cookie) => cookie.includes('backchannel.browser='));

  test('the cookie of a known browser is set after a right password or with an existing session, and never after a wrong password [AUTH-57, AUTH-11]', async () => {
    await serve();
    const seen: (string | undefined)[] = [];
    const watched = {
      ...at('192.0.2.1'),
      onResponse: (response: Response) => void seen.push(findBrowserCookie(response)),
    };
    const ada = await app.createStudent(undefined, watched);
    expect(seen.pop()).toMatch(/HttpOnly; SameSite=Lax$/);
    await ada.call('me', {});
    expect(seen.pop()).toBeUndefined();
    for (const email of [ada.email, 'nobody@university.edu']) {
      await signIn(app.visitor('x', watched), email, 'guess');
      expect(seen.pop()).toBeUndefined();
    }
    const session = await app.visitor('x').fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    const [cookie] = session.headers.getSetCookie();
    const before = await app.visitor().fetch('/api/me', {
      headers: { cookie: cookie!.split(';')[0]! },
    });
    expect(findBrowserCookie(before)).toBeDefined();
  });

  test('the cookie of a known browser leaves nothing in the database, so a copy of it does not link a browser to an account [AUTH-57, ANON-21]', async () => {
    await serve();
    const answers: Response[] = [];
    const onResponse = (response: Response) => void answers.push(response);
    const watched = { ...at('192.0.2.1'), onResponse };
    const ada = await app.createStudent(undefined, watched);
    const cookie = findBrowserCookie(answers[0]!)!;
    const value = /=([\w-]+);/.exec(cookie)![1]!;
    const bytes = Buffer.from(value, 'base64url');
    const content = await app.database.content();
    for (let n = 0; n + 8 <= bytes.length; n += 4) {
      const piece = bytes.subarray(n, n + 8);
      for (const form of ['base64url', 'hex', 'latin1'] as const) {
        expect(content).not.toContain(piece.toString(form));
      }
    }
    // The server stores nothing about it, so a restart keeps it valid.
    await ada.call('signOut', {});
    await app.restart();
    await attack(ada.email, '192.0.2.1');
    await expect.poll(() => signIn(ada, ada.email)).toBe('in');
  });
});

/** Who can use up a limit. A limit of 'others' counts for a person whom strangers can name. */
type UsedUpBy = 'own acts' | 'own network' | 'others';

/** A new limit does not compile without an entry. If others can use it up, the test below needs a step that does. */
const usedUpBy: Record<RateName, UsedUpBy> = {
  failedSignIns: 'others',
  failedSignInsOfAccount: 'others',
  signUpMails: 'others',
  resetMails: 'others',
  mails: 'others',
  urgentMails: 'others',
  signUps: 'own network',
  signIns: 'own network',
  suspectSignIns: 'own network',
  signOns: 'own network',
  resets: 'own network',
  interfaceErrors: 'own network',
  visits: 'own network',
  refusals: 'own network',
  // Strangers do not know the right password.
  rightPasswords: 'own acts',
  posts: 'own acts',
  edits: 'own acts',
  deletes: 'own acts',
  reactions: 'own acts',
  textKilobytes: 'own acts',
  uploads: 'own acts',
  uploadKilobytes: 'own acts',
  pdfs: 'own acts',
  pictureSeconds: 'own acts',
  pdfSeconds: 'own acts',
  searches: 'own acts',
  messageSearches: 'own acts',
  reports: 'own acts',
  unmaskings: 'own acts',
  grants: 'own acts',
  accountSearches: 'own acts',
  appeals: 'own acts',
  newClasses: 'own acts',
  exports: 'own acts',
  memberships: 'own acts',
  historyPages: 'own acts',
  subscriptions: 'own acts',
  readMarks: 'own acts',
  sockets: 'own acts',
  pictures: 'own acts',
  calls: 'own acts',
  frames: 'own acts',
};

describe('strangers who use up every limit that names a person', () => {
  const countMailsTo = ({ email }: TestClient) =>
    app.mails().filter((mail) => mail.includes(`To: ${email}`)).length;

  /** @returns what the link in the mail has that the action causes */
  async function findMailedToken(to: TestClient, act: () => Promise<unknown>): Promise<string> {
    const before = countMailsTo(to);
    await act();
    await expect.poll(() => countMailsTo(to)).toBe(before + 1);
    const mail = app.mails().findLast((one) => one.includes(`To: ${to.email}`)) ?? '';
    return decodeURIComponent(/token=(\S+)/.exec(mail)?.[1] ?? '');
  }

  async function signUp(by: TestClient): Promise<void> {
    const token = await findMailedToken(by, () => by.signUp());
    await by.call('verifyEmail', { body: { token, password } });
  }

  async function resetPassword(by: TestClient, newPassword: string): Promise<void> {
    const { email } = by;
    const token = await findMailedToken(by, () =>
      by.call('requestPasswordReset', { body: { email } }),
    );
    await by.call('resetPassword', { body: { token, newPassword } });
    expect(await signIn(by, email, newPassword)).toBe('in');
  }

  test('strangers who use up every limit that names a person leave the person every action: to sign up, sign in, reset and change the password, and delete the account [LIMIT-58]', async () => {
    const settings = Object.fromEntries(rateSettings.map((name) => [name, '']));
    await serve({ ...settings, EMAIL_VERIFICATION: 'required' });
    const homeLine = Array.from({ length: 8 }, (_, n) => `2001:db8:0:${n}00::1`);
    const networks = Array.from({ length: 12 }, (_, n) => `198.51.100.${n}`);
    const strangers = [...homeLine, ...networks.slice(0, 4)].map((address) =>
      app.visitor('eve', at(address)),
    );
    const ada = app.visitor('ada', at('192.0.2.1'));
    const ben = app.visitor('ben', at('192.0.2.2'));
    const mallory = app.visitor('mallory', at('203.0.113.9'));
    for (const student of [ada, mallory]) await signUp(student);
    await app.database.query(
      `insert into roles ("accountId", "classId", role, "staffName")
       select id, '', 'operator', 'Ada' from accounts where email = ${quoteEmail(ada.email)}`,
    );
    const classId = await mallory.createClass();
    await ada.join(classId);
    const socket = await ada.connect();

    const exhaust: Record<string, () => Promise<unknown>> = {
      async failedSignIns() {
        await attack(ada.email, '192.0.2.1');
      },
      async failedSignInsOfAccount() {
        for (const address of networks) await attack(ada.email, address);
      },
      async signUpMails() {
        for (const by of [...strangers, ...strangers, ...strangers, ...strangers]) {
          await by.call('signUp', { body: { email: ben.email, password } });
        }
      },
      async resetMails() {
        for (const by of [...strangers, ...strangers, ...strangers, ...strangers]) {
          await by.call('requestPasswordReset', { body: { email: ada.email } }).catch(() => {});
        }
      },
      // Of one kind each, from as many networks as one attacker has.
      async mails() {},
      async urgentMails() {
        for (let n = 0; n < 12; n++) {
          const { id } = await socket.post(classId, `Message ${n}`);
          const body = { messageId: id, reason: 'threat' } as const;
          await mallory.call('reportMember', { params: { classId }, body });
        }
      },
    };
    const named = Object.entries(usedUpBy).filter(([, by]) => by === 'others');
    expect(Object.keys(exhaust).toSorted()).toEqual(named.map(([name]) => name).toSorted());
    const before = countMailsTo(ada);
    for (const use of Object.values(exhaust)) await use();
    // Of 48 tries, three for each network and twelve for the home line; of 12 reports of threats, ten.
    await expect.poll(() => countMailsTo(ben)).toBe(24);
    await expect.poll(() => countMailsTo(ada)).toBe(before + 24 + 10);

    await signUp(ben);
    await ada.call('signOut', {});
    expect(await signIn(ada, ada.email)).toBe('in');
    await resetPassword(ada, 'another good one');
    const newBrowser = app.visitor('ada', at('203.0.113.50'));
    expect(await signIn(newBrowser, ada.email, 'another good one')).toBe('in');
    await resetPassword(app.visitor('ada', at('203.0.113.51')), 'yet another good one');
    expect(await signIn(ada, ada.email, 'yet another good one')).toBe('in');
    await ada.call('changePassword', {
      body: { currentPassword: 'yet another good one', newPassword: password },
    });
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
  });
});
