import type { Account, Accounts } from '../accounts/accounts.ts';
import type { Devices } from '../accounts/devices.ts';
import type { Passwords } from '../accounts/passwords.ts';
import type { Route } from './route.ts';

interface Parts {
  accounts: Accounts;
  devices: Devices;
  passwords: Passwords;
  /** Whoever found a signed-in browser guesses no faster than at the sign-in. LIMIT-3 */
  beginAttempt(email: string): () => void;
  deleteAccount(account: Account, keepMessages: boolean): Promise<void>;
}

/** What somebody does with their own account, signed in. */
export function ownAccountRoutes(route: Route, parts: Parts): void {
  const { accounts, devices, passwords, beginAttempt, deleteAccount } = parts;

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
    const succeed = beginAttempt(account.email);
    await passwords.change(account, body.currentPassword, body.newPassword);
    succeed();
    return {};
  });

  route('deleteAccount', 'signedIn', async ({ account, body, headers, setCookies }) => {
    const succeed = beginAttempt(account.email);
    await passwords.check(account, body.password);
    succeed();
    await deleteAccount(account, body.messages === 'keep');
    const { cookies } = await accounts.signOut(headers);
    setCookies(cookies);
    return {};
  });
}
