// All places that take an address accept the same characters.
import { describe, expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { loadConfig } from '#server/config/config.ts';
import { listAddressCases, type AddressCase } from '#tests/support/address-cases.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { mailPollMs, shortenIntervals } from '#tests/support/shorten-timers.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';

const sentence =
  "Please use an address that has only letters, digits and . _ - + ' & = # ~ before the @, and begins with a letter, a digit or _. If yours is different, ask your university for another one.";

const getErrorCode = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

/** @returns the addresses whose error code differs from the rule, with that code */
async function listSurprises(
  all: readonly AddressCase[],
  answer: (email: string) => Promise<string>,
): Promise<string[]> {
  const surprises: string[] = [];
  for (const { email, isAccepted } of all) {
    const code = await answer(email);
    const isRejected = code === 'EMAIL_CHARACTERS' || code === 'WRONG_EMAIL_DOMAIN';
    if (isAccepted ? code !== 'accepted' : !isRejected) surprises.push(`${email}: ${code}`);
  }
  return surprises;
}

describe('with verification', () => {
  // The mail with the link is queued together with the change.
  shortenIntervals(mailPollMs, 100);
  const app = setUpApp({ EMAIL_VERIFICATION: 'required', OPERATORS: 'kim@university.edu' });
  const createVisitor = (email: string) => createTestClient(app.origin, email);
  const findMail = (to: string, says: string) =>
    app.mails().find((mail) => mail.includes(`\nTo: ${to}\n`) && mail.includes(says));

  async function waitForToken(to: string, says: string): Promise<string> {
    await expect.poll(() => findMail(to, says), { message: to }).toBeDefined();
    return /token=(\S+)/.exec(findMail(to, says)!)![1]!;
  }

  async function verify(student: TestClient): Promise<void> {
    const token = await waitForToken(student.email, '/verify-email');
    await student.call('verifyEmail', { body: { token, password } });
  }

  test('sign-up, its mailed link, sign-in and reset accept the same addresses [AUTH-65]', async () => {
    const surprises = await listSurprises(listAddressCases('up'), async (email) => {
      const student = createVisitor(email);
      const code = await getErrorCode(student.signUp());
      if (code !== 'accepted') return code;
      await verify(student);
      expect((await student.call('me', {})).account?.email).toBe(email);
      await student.newBrowser().signIn();
      await student.call('requestPasswordReset', { body: { email } });
      const token = await waitForToken(email, '/reset-password');
      await student.call('resetPassword', { body: { token, newPassword: password } });
      return getErrorCode(student.newBrowser().signIn());
    });

    expect(surprises).toEqual([]);
  });

  test('a corrected address is accepted by the same rule as a new one [AUTH-65, ADMIN-50]', async () => {
    const kim = createVisitor('kim@university.edu');
    await kim.signUp();
    await verify(kim);
    const ada = createVisitor('ada@university.edu');
    await ada.signUp();
    await verify(ada);
    let current = ada.email;

    const surprises = await listSurprises(listAddressCases('op'), async (email) => {
      const body = { email: current, newEmail: email };
      const code = await getErrorCode(kim.call('correctAddress', { body }));
      if (code !== 'accepted') return code;
      const token = await waitForToken(email, 'change=address');
      await createVisitor(email).call('verifyEmail', { body: { token, password } });
      current = email;
      return getErrorCode(createVisitor(email).signIn());
    });

    expect(surprises).toEqual([]);
  });

  test('the server sends no mail to an address that mail servers may pass on [AUTH-65, AUTH-11]', async () => {
    const unknown = listAddressCases('none').filter(
      ({ email }) => !email.includes('@', email.indexOf('@') + 1),
    );
    const visitor = app.visitor();
    const codes = new Map<string, string>();
    for (const { email } of unknown) {
      codes.set(
        email,
        await getErrorCode(visitor.call('requestPasswordReset', { body: { email } })),
      );
    }

    await visitor.call('requestPasswordReset', { body: { email: 'last@university.edu' } });

    await expect.poll(() => findMail('last@university.edu', 'no account')).toBeDefined();

    for (const { email, isAccepted } of unknown) {
      // The reply does not tell whether there is an account.
      if (isAccepted) expect(codes.get(email), email).toBe('accepted');
      else expect(['accepted', 'WRONG_EMAIL_DOMAIN']).toContain(codes.get(email));
      if (!isAccepted) expect(findMail(email, ''), email).toBeUndefined();
    }
    for (const { email } of unknown.filter(({ isAccepted }) => isAccepted)) {
      await expect.poll(() => findMail(email, 'no account'), { message: email }).toBeDefined();
    }
  });

  test('an account that an older version gave another address keeps working [AUTH-65]', async () => {
    for (const [n, email] of [
      'a%evil.test@university.edu',
      'evil.test!a@university.edu',
      '-oq/tmp@university.edu',
      '{a}$|`*?^@university.edu',
    ].entries()) {
      const olderStudent = createVisitor(`older${n}@university.edu`);
      await olderStudent.signUp();
      await verify(olderStudent);
      const classId = await olderStudent.createClass();
      await changeStoredAccounts(app.database, olderStudent.email, { email });
      const student = createVisitor(email);

      await student.signIn();
      expect((await student.call('listClasses', {})).classes).toMatchObject([{ classId }]);
      const exported = await student.call('exportAccount', {});
      expect(JSON.stringify(exported)).toContain(JSON.stringify(email));
      await student.call('requestPasswordReset', { body: { email } });
      const token = await waitForToken(email, '/reset-password');
      await student.call('resetPassword', { body: { token, newPassword: 'another good one' } });
      await student.call('signIn', { body: { email, password: 'another good one' } });
      await student.call('deleteAccount', {
        body: { password: 'another good one', messages: 'delete' },
      });
      await expect(student.signUp()).rejects.toMatchObject({
        code: 'EMAIL_CHARACTERS',
        message: sentence,
      });
    }
  });
});

test('settings that hold an address accept the same ones [AUTH-65, MAIL-5, CONF-10]', () => {
  const cases = listAddressCases('set').filter((addressCase) => !addressCase.email.includes(','));
  for (const { email, isAccepted } of cases) {
    for (const settings of [
      { SUPPORT_CONTACT: email },
      { MAIL_FROM: email },
      { MAIL_FROM: `Chat <${email}>` },
      { OPERATORS: `ada@university.edu,${email}`, EMAIL_VERIFICATION: 'required' },
    ]) {
      const load = () => loadConfig(settings);
      if (isAccepted) expect(load, JSON.stringify(settings)).not.toThrow();
      else expect(load, JSON.stringify(settings)).toThrow(email);
    }
  }
});
