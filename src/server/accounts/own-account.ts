import type { Account } from '#server/http/caller.ts';
import type { Accounts } from './accounts.ts';
import type { Devices } from './devices.ts';
import type { Passwords } from './passwords.ts';
import type { CheckIdentity } from './identity-check.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import type { Route } from '#server/http/route.ts';

interface Parts {
  accounts: Accounts;
  devices: Devices;
  passwords: Passwords;
  /** Limits guesses by a person who finds a signed-in browser, as at the sign-in. LIMIT-3 */
  signInGuard: SignInGuard;
  checkIdentity: CheckIdentity;
  /** Throws if the site has no passwords. */
  requirePasswords(): void;
  deleteAccount(account: Account, keepMessages: boolean): Promise<void>;
}

/** The calls of a signed-in account about itself. */
export function ownAccountRoutes(route: Route, parts: Parts): void {
  const { accounts, devices, passwords, signInGuard, checkIdentity, deleteAccount } = parts;

  route('listDevices', 'signedIn', async ({ account }) => ({
    devices: await devices.list(account),
  }));

  route('signOutDevice', 'signedIn', async ({ account, params }) => {
    await devices.signOut(account, params.deviceId);
    return {};
  });

  route('signOutOtherDevices', 'signedIn', async ({ account }) => {
    await devices.signOutOthers(account);
    return {};
  });

  route('changePassword', 'signedIn', async ({ account, body }) => {
    parts.requirePasswords();
    await signInGuard.attemptSignedIn(account, (requester) =>
      passwords.change(account, body.currentPassword, body.newPassword, requester),
    );
    return {};
  });

  route('deleteAccount', 'signedIn', async ({ account, body, request, setCookies }) => {
    await checkIdentity(account, body.password, request.headers);
    await deleteAccount(account, body.messages === 'keep');
    const { cookies } = await accounts.signOut(request.headers);
    setCookies(cookies);
    return {};
  });
}
