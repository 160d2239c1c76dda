import { AppError } from '#contract/errors.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Account } from '#server/http/caller.ts';
import type { AccountRecords } from './account-records.ts';
import type { ConnectedAccounts } from './connect-accounts.ts';
import type { CheckIdentity } from './identity-check.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Route } from '#server/http/route.ts';

/** Registers the calls of a signed-in account about itself. */
export function registerOwnAccountRoutes(
  route: Route,
  { accounts, devices, passwords, signInGuard, checkPasswordsAllowed }: ConnectedAccounts,
  checkIdentity: CheckIdentity,
  deleteAccount: (commits: CallCommits, account: Account, keepMessages: boolean) => Promise<void>,
  { config, accountRecords }: { config: Config; accountRecords: AccountRecords },
): void {
  route('listDevices', async ({ account }) => ({
    devices: await devices.list(account),
  }));

  route('signOutDevice', async ({ accountCommits, account, params }) => {
    await devices.signOut(accountCommits, account, params.deviceId);
    return {};
  });

  route('signOutOtherDevices', async ({ accountCommits, account }) => {
    await devices.signOutOthers(accountCommits, account);
    return {};
  });

  route('changePassword', async ({ accountCommits, account, body }) => {
    checkPasswordsAllowed();
    const { currentPassword, newPassword } = body;
    // Limits guesses by a person who finds a signed-in browser, as the sign-in does (LIMIT-3).
    await signInGuard.attemptSignedIn(account, (requester) =>
      passwords.change(accountCommits, account, currentPassword, newPassword, requester),
    );
    return {};
  });

  route('saveLanguage', async ({ accountCommits, account, body: { language } }) => {
    if (!config.languages.includes(language)) throw new AppError('INVALID');
    await accountCommits.write(
      async ({ db }) => {
        await accountRecords.change(db, account.id, (record) =>
          record.language === language ? null : { language },
        );
      },
      { accountId: account.id },
    );
    return {};
  });

  route('deleteAccount', async (incoming) => {
    const { accountCommits, account, body, request, setCookies } = incoming;
    await checkIdentity(account, body.password, request.headers);
    await deleteAccount(accountCommits, account, body.messages === 'keep');
    const { cookies } = await accounts.signOut(request.headers);
    setCookies(cookies);
    return {};
  });
}
