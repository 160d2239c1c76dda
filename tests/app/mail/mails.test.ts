import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { password } from '#tests/support/test-client.ts';
import { startApp } from '#tests/support/running-app.ts';

/** Replaces the parts of a mail that differ each time. */
function normalizeMail(mail: string): string {
  return mail
    .replace(/^(Message-ID|Date): .*\n/gm, '')
    .replace(/^To: .*$/m, 'To: ADDRESS')
    .replace(/token=\S+/, 'token=TOKEN')
    .replace(/localhost:\d+/g, 'localhost:PORT');
}

const createHead = (subject: string) => `Auto-Submitted: auto-generated
From: Backchannel <no-reply@localhost>
To: ADDRESS
Subject: ${subject}
Content-Transfer-Encoding: 8bit
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

`;

const footer = `
-- 
Backchannel at http://localhost:PORT
`;

test('the mails that students receive are plain and short [AUTH-13, AUTH-17, AUTH-42, CONF-10, MAIL-5]', async () => {
  const app = await startApp({ EMAIL_VERIFICATION: 'required' });
  try {
    const ada = app.visitor();
    await ada.signUp();
    const firstMail = await app.waitForNextMailTo(ada);

    expect(normalizeMail(firstMail))
      .toBe(`${createHead('Verify your email for Backchannel')}Welcome to Backchannel. Open this page within the next day and enter the password that you chose:
http://localhost:PORT/verify-email#token=TOKEN

If you signed up more than once, enter the password of the sign-up that sent this mail.

If you did not sign up, ignore this mail. Without this link, no one can use your address.
${footer}`);

    const token = /token=(\S+)/.exec(firstMail)?.[1] ?? '';
    await ada.call('verifyEmail', { body: { token, password } });

    await ada.signUp();
    expect(normalizeMail(await app.waitForNextMailTo(ada)))
      .toBe(`${createHead('You already have an account on Backchannel')}Someone tried to sign up for Backchannel with this address. It already has an account, which has not changed.

If it was you, sign in here. If you forgot your password, press 'Forgot Password?' there:
http://localhost:PORT/signin

If it was not you, ignore this mail. The other person did not learn that you have an account.
${footer}`);

    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    expect(normalizeMail(await app.waitForNextMailTo(ada)))
      .toBe(`${createHead('Set a new password for Backchannel')}Someone asked for a new password for your account on Backchannel.

If it was you, set the password here within the next hour:
http://localhost:PORT/reset-password#token=TOKEN

If it was not you, ignore this mail. Your password does not change.
${footer}`);

    const ben = app.visitor();
    await ben.call('requestPasswordReset', { body: { email: ben.email } });
    expect(normalizeMail(await app.waitForNextMailTo(ben)))
      .toBe(`${createHead('You have no account on Backchannel yet')}Someone asked for a new password for Backchannel, but this address has no account yet.

Sign up here, even if you signed up before and did not open the link in the mail:
http://localhost:PORT/signup

If it was not you, ignore this mail.
${footer}`);
  } finally {
    await app.stop();
  }
});

test('the server removes a mail file after a day, and an account’s files with the account [MAIL-6]', async () => {
  const app = await startApp();
  try {
    const ada = await app.createStudent();
    const ben = await app.createStudent();
    for (const student of [ada, ben, ada]) {
      await student.call('requestPasswordReset', { body: { email: student.email } });
      await app.waitForNextMailTo(student);
    }

    expect(app.logLines.find((line) => line.includes('mail.written'))).toContain(
      '"retentionHours":24',
    );

    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(app.mails()).toHaveLength(1);
    expect(app.mails()[0]).toContain(`To: ${ben.email}`);

    const dir = join(app.database.settings.DATA_DIR, 'mail');
    const [file] = readdirSync(dir);
    const setFileAge = async (hours: number) => {
      const modifiedAt = new Date(Date.now() - hours * 3_600_000);
      await app.restart(async () => utimesSync(join(dir, file!), modifiedAt, modifiedAt));
    };
    await setFileAge(23.9);

    expect(readdirSync(dir)).toEqual([file]);

    await setFileAge(24.1);
    expect(readdirSync(dir)).toEqual([]);
  } finally {
    await app.stop();
  }
});
