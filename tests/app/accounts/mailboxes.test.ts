// One mailbox is one student, however the address is written.
import { afterAll, expect, test } from 'vitest';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { password } from '#tests/support/test-client.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const startedApps: RunningApp[] = [];
async function serve(settings: Record<string, string> = {}): Promise<RunningApp> {
  const app = await startApp(settings);
  startedApps.push(app);
  return app;
}
afterAll(async () => {
  for (const app of startedApps) await app.stop();
});

const emailTaken = { code: 'EMAIL_TAKEN' };
const resetToken = (mail: string) => /\/reset-password#token=(\S+)/.exec(mail)?.[1] ?? '';

test('a tagged address opens the account of the plain address [AUTH-60]', async () => {
  const app = await serve();
  const ada = await app.createStudent('ada');
  const body = { email: 'Ada+sock@university.edu', password };

  await expect(app.visitor().call('signUp', { body })).rejects.toMatchObject(emailTaken);

  const tagged = app.visitor();
  await tagged.call('signIn', { body });
  expect(await tagged.call('me', {})).toMatchObject({ account: { email: ada.email } });

  // The mail goes to the account's own address.
  await tagged.call('requestPasswordReset', { body: { email: 'ada+more@university.edu' } });
  expect(resetToken(await app.waitForNextMailTo(ada))).not.toBe('');

  const ben = await app.createStudent('ben+notes');
  const plain = { email: 'ben@university.edu', password };

  await expect(app.visitor().call('signUp', { body: plain })).rejects.toMatchObject(emailTaken);
  expect(await ben.call('me', {})).toMatchObject({
    account: { email: 'ben+notes@university.edu' },
  });

  const dotted = app.visitor('b.en');
  await dotted.signUp();
});

test('existing accounts that share a mailbox keep their exact addresses [AUTH-60, CONF-37]', async () => {
  const twoDomains = { EMAIL_DOMAIN: 'university.edu,uni.edu' };
  const app = await serve(twoDomains);
  const { email: first } = await app.createStudent('ada');
  const second = 'ada@uni.edu';
  await app.visitor().call('signUp', { body: { email: second, password } });
  const signIn = async (email: string) => {
    const visitor = app.visitor();
    await visitor.call('signIn', { body: { email, password } });
    return (await visitor.call('me', {})).account?.email;
  };
  await app.restart(async () => {}, { EMAIL_DOMAIN: 'university.edu=uni.edu' });

  for (const email of [first, second]) expect(await signIn(email)).toBe(email);
  const body = { email: 'ada+two@university.edu', password };
  await expect(app.visitor().call('signUp', { body })).rejects.toMatchObject(emailTaken);

  const keys = await app.database.query('select "mailboxKey" from accounts');
  expect(keys.filter(({ mailboxKey }) => mailboxKey !== null)).toHaveLength(1);

  // A start with other rules recomputes the keys. A start with the same rules writes nothing.
  await app.restart(async () => {}, twoDomains);

  const newKeys = await app.database.query('select "mailboxKey" from accounts');
  expect(new Set(newKeys.map(({ mailboxKey }) => mailboxKey)).size).toBe(2);
});

test('an address on another name of its mail domain opens the same account, also after the domain was renamed [CONF-37, ADDRESS-5]', async () => {
  const bothNames = { EMAIL_DOMAIN: 'university.edu=uni.edu' };
  const app = await serve();
  const ada = await app.createStudent('ada');
  const onNewName = { email: 'ada@uni.edu', password };
  await app.restart(async () => {}, bothNames);

  await expect(app.visitor().call('signUp', { body: onNewName })).rejects.toMatchObject(emailTaken);
  const browser = app.visitor();
  await browser.call('signIn', { body: onNewName });
  expect(await browser.call('me', {})).toMatchObject({ account: { email: ada.email } });

  const environment = { ...bothNames, ...app.database.settings };
  const { out } = await runAdminCommand(
    environment,
    ...['rename-domain', 'university.edu', 'uni.edu', '--yes'],
  );
  expect(out).toContain('1 account moved');
  await app.restart(async () => {}, { EMAIL_DOMAIN: 'uni.edu' });

  await app.visitor().call('signIn', { body: onNewName });
  const tagged = { email: 'ada+new@uni.edu', password };
  await expect(app.visitor().call('signUp', { body: tagged })).rejects.toMatchObject(emailTaken);
});
