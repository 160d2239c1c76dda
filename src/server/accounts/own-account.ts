import type { Account } from '#server/http/caller.ts';
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

  route('deleteAccount', async (incoming) => {
    const { accountCommits, account, body, request, setCookies } = incoming;
    await checkIdentity(account, body.password, request.headers);
    await deleteAccount(accountCommits, account, body.messages === 'keep');
    const { cookies } = await accounts.signOut(request.headers);
    setCookies(cookies);
    return {};
  });
}
