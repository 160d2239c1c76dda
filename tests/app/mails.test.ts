import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { password, startApp } from './running-app.ts';

/** The text of a mail file, without the parts that differ each time. */
function readable(mail: string): string {
  return mail
    .replace(/^(Message-ID|Date): .*\n/gm, '')
    .replace(/token=\S+/, 'token=TOKEN')
    .replace(/localhost:\d+/g, 'localhost:PORT');
}

const head = (subject: string) => `Auto-Submitted: auto-generated
From: Backchannel <no-reply@localhost>
To: ada@university.edu
Subject: ${subject}
Content-Transfer-Encoding: 8bit
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

`;

const footer = `
-- 
Backchannel at http://localhost:PORT
`;

test('the mails that students receive are plain and short [AUTH-13, AUTH-17, AUTH-42, CONF-10, MAIL-5, AUTH-61]', async () => {
  const app = await startApp({ EMAIL_VERIFICATION: 'required' });
  try {
    const ada = app.visitor('ada');
    await ada.call('signUp', { body: { email: ada.email, password } });
    const first = await app.nextMailTo(ada);
    expect(readable(first))
      .toBe(`${head('Verify your email for Backchannel')}Welcome to Backchannel. Open this page within the next day, and type the password that you chose:
http://localhost:PORT/verify-email?token=TOKEN

If you signed up more than once, each mail belongs to the password that you chose that time.

If you did not sign up, do nothing: without this nobody can use your address.
${footer}`);
    const token = /token=(\S+)/.exec(first)?.[1] ?? '';
    await ada.call('verifyEmail', { body: { token, password } });

    await ada.call('signUp', { body: { email: ada.email, password } });
    expect(readable(await app.nextMailTo(ada)))
      .toBe(`${head('You have an account on Backchannel already')}Somebody, most likely you, tried to sign up for Backchannel with this address. It has an account already, which is as it was.

Sign in here; if you do not know the password any more, press 'Forgot Password?' there:
http://localhost:PORT/signin

If it was not you, do nothing: whoever it was learned nothing, not even that there is an account.
${footer}`);

    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    expect(readable(await app.nextMailTo(ada)))
      .toBe(`${head('Set a new password for Backchannel')}Somebody, most likely you, asked for a new password for Backchannel.

Set it here within the next hour:
http://localhost:PORT/reset-password?token=TOKEN

If it was not you, do nothing: your password stays as it is.
${footer}`);
    const ben = app.visitor('ben');
    await ben.call('requestPasswordReset', { body: { email: ben.email } });
    expect(readable(await app.nextMailTo(ben)).replaceAll('ben@', 'ada@'))
      .toBe(`${head('You have no account on Backchannel yet')}Somebody, most likely you, asked for a new password for Backchannel. This address has no account yet.

Sign up here, also if you have done so before and did not open the link that was mailed to you:
http://localhost:PORT/signup

If it was not you, do nothing.
${footer}`);
  } finally {
    await app.stop();
  }
});

test('the server removes a mail file after a day, and an account’s files with the account [MAIL-6, MAIL-7]', async () => {
  const app = await startApp();
  try {
    const [ada, ben] = [await app.newStudent('ada'), await app.newStudent('ben')];
    for (const student of [ada, ben, ada]) {
      await student.call('requestPasswordReset', { body: { email: student.email } });
      await app.nextMailTo(student);
    }
    expect(app.logLines.find((line) => line.includes('mail.written'))).toContain('"keptHours":24');
    await ada.call('deleteAccount', { body: { password, messages: 'keep' } });
    expect(app.mails()).toHaveLength(1);
    expect(app.mails()[0]).toContain('To: ben@university.edu');

    const dir = join(app.database.settings.DATA_DIR, 'mail');
    const [file] = readdirSync(dir);
    const age = async (hours: number) => {
      const at = new Date(Date.now() - hours * 3_600_000);
      await app.restart(async () => utimesSync(join(dir, file!), at, at));
    };
    await age(23.9);
    expect(readdirSync(dir)).toEqual([file]);
    await age(24.1);
    expect(readdirSync(dir)).toEqual([]);
  } finally {
    await app.stop();
  }
});
