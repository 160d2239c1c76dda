import type { Account } from '#server/http/caller.ts';
import type { Accounts } from './accounts.ts';
import type { Devices } from './devices.ts';
import type { Passwords } from './passwords.ts';
import type { CheckIdentity } from './identity-check.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  accounts: Accounts;
  devices: Devices;
  passwords: Passwords;
  /** Limits guesses by a person who finds a signed-in browser, as the sign-in does (LIMIT-3). */
  signInGuard: SignInGuard;
  checkIdentity: CheckIdentity;
  /** Throws if the site has no passwords. */
  checkPasswordsAllowed(): void;
  deleteAccount(commits: CallCommits, account: Account, keepMessages: boolean): Promise<void>;
}

/** Registers the calls of a signed-in account about itself. */
export function registerOwnAccountRoutes(route: Route, dependencies: Dependencies): void {
  const { accounts, devices, passwords, signInGuard, checkIdentity, deleteAccount } = dependencies;

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
    dependencies.checkPasswordsAllowed();
    const { currentPassword, newPassword } = body;
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
