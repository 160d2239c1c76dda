// The way to the sign-in page of the university and back.
import { call } from '#web/api.ts';

const fromKey = 'sign-on-from';

/**
 * Leaves the app for the provider's page.
 *
 * @param returnPath the path to open after the sign-in
 * @param mustSignInAgain the person must enter the credentials again
 */
export async function startSignOn(returnPath: string, mustSignInAgain = false): Promise<void> {
  const { providerUrl } = await call('startSignOn', { body: { again: mustSignInAgain } });
  sessionStorage.setItem(fromKey, returnPath);
  location.assign(providerUrl);
}

/** The path to open after the sign-in. */
export function takeSignOnPath(): string {
  const returnPath = sessionStorage.getItem(fromKey) ?? '';
  sessionStorage.removeItem(fromKey);
  // Requires a single leading slash: two slashes would name another host.
  return /^\/(?![/\\])/.test(returnPath) ? returnPath : '/home';
}
