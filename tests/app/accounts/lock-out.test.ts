// Sign-in attacks from one network or from many do not lock students out.
import { afterEach, describe, expect, test } from 'vitest';
import type { RateName } from '#server/base/rates.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { addStoredRole } from '#tests/support/roles.ts';

/** The default limits of a server. */
const defaults = {
  LIMIT_FACTOR: '1',
  TRUSTED_PROXIES: '1',
};

let app: RunningApp;
async function serve(settings: Record<string, string> = {}): Promise<void> {
  app = await startApp({ ...defaults, ...settings });
}
afterEach(() => app.stop());

const createNetworkOptions = (address: string) => ({
  userAgent: 'browser',
  headers: { 'x-forwarded-for': address },
});

/** @returns 'in' or the error code */
async function signIn(
  browser: TestClient,
  email: string,
  triedPassword = password,
): Promise<string> {
  return browser.call('signIn', { body: { email, password: triedPassword } }).then(
    () => 'in',
    (error: unknown) => (error as { code: string }).code,
  );
}

/** Tries wrong passwords until the server makes the network wait. */
async function attack(email: string, address: string): Promise<void> {
  const eve = app.visitor('eve', createNetworkOptions(address));
  for (let n = 0; n < 30; n++) {
    if ((await signIn(eve, email, `guess ${n}`)) === 'TOO_MANY') return;
  }
  throw new Error('No response told the attacker to wait.');
}

describe('a stranger who tries passwords', () => {
  test('a stranger’s guesses lock out neither other networks nor known browsers [AUTH-56, LIMIT-3]', async () => {
    await serve();
    const ada = await app.createStudent(undefined, createNetworkOptions('192.0.2.1'));
    await attack(ada.email, '192.0.2.66');
    await attack(ada.email, '192.0.2.1');

    // The first sign-in comes from another browser and network, the second one from the known browser
    // in the stranger's network.
    expect(await signIn(app.visitor('x', createNetworkOptions('192.0.2.2')), ada.email)).toBe('in');

    await ada.call('signOut', {});
    expect(await signIn(ada, ada.email)).toBe('in');

    await attack(ada.email, '192.0.2.1');
    const newPassword = 'another good one';
    await ada.call('changePassword', { body: { currentPassword: password, newPassword } });
    await ada.call('deleteAccount', { body: { password: newPassword, messages: 'keep' } });
  });

  test('a mailed link opens an account from a new browser in the stranger’s network [AUTH-56]', async () => {
    await serve();
    const { email } = await app.createStudent(undefined, createNetworkOptions('192.0.2.1'));
    await attack(email, '192.0.2.9');
    const newBrowser = app.visitor(email.split('@')[0], createNetworkOptions('192.0.2.9'));

    expect(await signIn(newBrowser, email)).toBe('TOO_MANY');

    await newBrowser.call('requestPasswordReset', { body: { email } });
    const token =
      /reset-password#token=(\S+)/.exec(await app.waitForNextMailTo(newBrowser))?.[1] ?? '';
    const newPassword = 'another good one';
    await newBrowser.call('resetPassword', { body: { token, newPassword } });
    expect(await signIn(newBrowser, email, newPassword)).toBe('in');
  });
});

test('forty attacking networks lock none of forty students out [LIMIT-2, LIMIT-33, LIMIT-34, AUTH-45]', async () => {
  await serve();
  const students = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      app.createStudent(`s${n}`, createNetworkOptions('192.0.2.1')),
    ),
  );
  let isOver = false;
  const counts = { attackers: 0, tries: 0 };
  const attackers = Array.from({ length: 40 }, async (_, n) => {
    const eve = app.visitor('eve', createNetworkOptions(`198.51.100.${n}`));
    for (let tries = 0; !isOver && tries < 40; tries++) {
      const email = `s${(n + tries) % 40}@university.edu`;
      counts.tries += 1;
      if ((await signIn(eve, email, 'guess')) === 'TOO_MANY') counts.attackers += 1;
    }
  });
  while (counts.tries < 1300) await new Promise((resolve) => setTimeout(resolve, 10));
  // The students use known and new browsers, from separate networks and from one shared address.
  const knownBrowsers = await Promise.all(
    students.map((student) => signIn(student, student.email)),
  );
  const newBrowsers = await Promise.all(
    students.map(({ email }, n) =>
      signIn(app.visitor('x', createNetworkOptions(`203.0.113.${n}`)), email),
    ),
  );
  const campusBrowsers = await Promise.all(
    students.map(({ email }) => signIn(app.visitor('x', createNetworkOptions('192.0.2.1')), email)),
  );
  isOver = true;

  await Promise.all(attackers);

  const allIn = Array.from({ length: 40 }, () => 'in');
  expect([knownBrowsers, newBrowsers, campusBrowsers]).toEqual([allIn, allIn, allIn]);
});

test('an account can sign in twenty times in ten minutes, and a stranger’s guesses do not count [LIMIT-50]', async () => {
  await serve({ LIMITS: 'rightPasswords=2/10m' });
  const ada = await app.createStudent(undefined, createNetworkOptions('192.0.2.1'));
  await attack(ada.email, '192.0.2.66');

  expect(await signIn(ada, ada.email)).toBe('in');
  expect(await signIn(app.visitor('x', createNetworkOptions('192.0.2.2')), ada.email)).toBe('in');
  expect(await signIn(ada, ada.email)).toBe('TOO_MANY');

  const ben = await app.createStudent(undefined, createNetworkOptions('192.0.2.1'));
  expect(await signIn(ben, ben.email)).toBe('in');
});

describe('the cookie of a known browser', () => {
  const findBrowserCookie = (response: Response) =>
    response.headers.getSetCookie().find((cookie) => cookie.includes('backchannel.browser='));

  test('only a right password or an existing session sets the cookie of a known browser [AUTH-57, AUTH-11]', async () => {
    await serve();
    const seenCookies: (string | undefined)[] = [];
    const visitorOptions = {
      ...createNetworkOptions('192.0.2.1'),
      onResponse: (response: Response) => void seenCookies.push(findBrowserCookie(response)),
    };
    const ada = await app.createStudent(undefined, visitorOptions);

    expect(seenCookies.pop()).toMatch(/HttpOnly; SameSite=Lax$/);

    await ada.call('me', {});
    expect(seenCookies.pop()).toBeUndefined();
    for (const email of [ada.email, 'nobody@university.edu']) {
      await signIn(app.visitor('x', visitorOptions), email, 'guess');
      expect(seenCookies.pop()).toBeUndefined();
    }

    const session = await app.visitor('x').fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });
    const [cookie] = session.headers.getSetCookie();
    const earlierResponse = await app.visitor().fetch('/api/me', {
      headers: { cookie: cookie!.split(';')[0]! },
    });
    expect(findBrowserCookie(earlierResponse)).toBeDefined();
  });
});

/**
 * The people who can use up a limit. Strangers can name the person whom a limit of 'others' counts for. A limit of 'everyone' counts
 * for no one: the links of halls work without codes, and reports also go to the contact of the site.
 */
type UsedUpBy = 'own acts' | 'own network' | 'others' | 'everyone';

/** Each new limit needs an entry. If others can use the limit up, the test below needs a step that does so. */
const usedUpBy: Record<RateName, UsedUpBy> = {
  failedSignIns: 'others',
  failedSignInsOfAccount: 'others',
  signUpMails: 'others',
  resetMails: 'others',
  mails: 'others',
  urgentMails: 'others',
  outsideMails: 'others',
  signUps: 'own network',
  signIns: 'own network',
  suspectSignIns: 'own network',
  signOns: 'own network',
  launches: 'own network',
  resets: 'own network',
  interfaceErrors: 'own network',
  visits: 'own network',
  refusals: 'own network',
  hallCodes: 'own network',
  allHallCodes: 'everyone',
  outsideReports: 'own network',
  allOutsideReports: 'everyone',
  // Strangers do not know the right password.
  rightPasswords: 'own acts',
  factorTries: 'own acts',
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
  privateTexts: 'own acts',
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

  /** @returns the token in the mail that the action causes */
  async function findMailedToken(
    to: TestClient,
    causeMail: () => Promise<unknown>,
  ): Promise<string> {
    const countBefore = countMailsTo(to);
    await causeMail();
    await expect.poll(() => countMailsTo(to)).toBe(countBefore + 1);
    const mail = app.mails().findLast((item) => item.includes(`To: ${to.email}`)) ?? '';
    return decodeURIComponent(/token=(\S+)/.exec(mail)?.[1] ?? '');
  }

  async function signUp(student: TestClient): Promise<void> {
    const token = await findMailedToken(student, () => student.signUp());
    await student.call('verifyEmail', { body: { token, password } });
  }

  async function resetPassword(student: TestClient, newPassword: string): Promise<void> {
    const { email } = student;
    const token = await findMailedToken(student, () =>
      student.call('requestPasswordReset', { body: { email } }),
    );
    await student.call('resetPassword', { body: { token, newPassword } });
    expect(await signIn(student, email, newPassword)).toBe('in');
  }

  test('strangers who use up every limit that names a person cannot keep the person from any action [LIMIT-58]', async () => {
    await serve({ EMAIL_VERIFICATION: 'required' });
    const homeLine = Array.from({ length: 8 }, (_, n) => `2001:db8:0:${n}00::1`);
    const networks = Array.from({ length: 12 }, (_, n) => `198.51.100.${n}`);
    const strangers = [...homeLine, ...networks.slice(0, 4)].map((address) =>
      app.visitor('eve', createNetworkOptions(address)),
    );
    const ada = app.visitor('ada', createNetworkOptions('192.0.2.1'));
    const ben = app.visitor('ben', createNetworkOptions('192.0.2.2'));
    const mallory = app.visitor('mallory', createNetworkOptions('203.0.113.9'));
    for (const student of [ada, mallory]) await signUp(student);
    await addStoredRole(app.database, {
      email: ada.email,
      classId: null,
      role: 'operator',
      staffName: 'Ada',
    });
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
        for (const stranger of [...strangers, ...strangers, ...strangers, ...strangers]) {
          await stranger.call('signUp', { body: { email: ben.email, password } });
        }
      },
      async resetMails() {
        for (const stranger of [...strangers, ...strangers, ...strangers, ...strangers]) {
          await stranger
            .call('requestPasswordReset', { body: { email: ada.email } })
            .catch(() => {});
        }
      },
      // The steps for mails of one kind use up this limit, too.
      async mails() {},
      async urgentMails() {
        for (let n = 0; n < 12; n++) {
          const { id } = await socket.post(classId, `Message ${n}`);
          const body = { messageId: id, reason: 'threat' } as const;
          await mallory.call('reportMember', { params: { classId }, body });
        }
      },
      // The report counts all the same, and the decision comes by mail.
      async outsideMails() {
        const body = { what: 'About me', place: 'CS 146', contactAddress: ada.email };
        for (const stranger of strangers) await stranger.call('reportFromOutside', { body });
      },
    };
    const named = Object.entries(usedUpBy).filter(([, party]) => party === 'others');

    expect(Object.keys(exhaust).toSorted()).toEqual(named.map(([name]) => name).toSorted());

    const countBefore = countMailsTo(ada);
    for (const use of Object.values(exhaust)) await use();
    // The limits let 24 of 48 mails pass: three for each network and twelve for the home line.
    await expect.poll(() => countMailsTo(ben)).toBe(24);
    await expect.poll(() => countMailsTo(ada)).toBe(countBefore + 24 + 10 + 3);

    await signUp(ben);
    await ada.call('signOut', {});

    expect(await signIn(ada, ada.email)).toBe('in');

    await resetPassword(ada, 'another good one');
    const newBrowser = app.visitor('ada', createNetworkOptions('203.0.113.50'));
    expect(await signIn(newBrowser, ada.email, 'another good one')).toBe('in');

    await resetPassword(
      app.visitor('ada', createNetworkOptions('203.0.113.51')),
      'yet another good one',
    );
    expect(await signIn(ada, ada.email, 'yet another good one')).toBe('in');

    await ada.call('changePassword', {
      body: { currentPassword: 'yet another good one', newPassword: password },
    });
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
  });
});
