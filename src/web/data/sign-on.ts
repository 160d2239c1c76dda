// The way to the sign-in page of the university and back.
import { call } from '#web/api.ts';

const fromKey = 'sign-on-from';

/**
 * Leaves the app for the provider's page.
 *
 * @param returnPath the path to open after the sign-in
 * @param options.again the person must enter the credentials again
 * @param options.inNewTab this page stays, and learns of the sign-in from the new tab
 * @returns false if the browser blocks the new tab: leaving this page would lose what it keeps
 */
export async function startSignOn(
  returnPath: string,
  { again = false, inNewTab = false } = {},
): Promise<boolean> {
  // Only a press opens a tab, so it opens before the reply arrives.
  const tab = inNewTab ? open('about:blank') : null;
  if (inNewTab && !tab) return false;
  try {
    const { providerUrl } = await call('startSignOn', { body: { again } });
    if (tab) {
      tab.location.replace(providerUrl);
    } else {
      sessionStorage.setItem(fromKey, returnPath);
      location.assign(providerUrl);
    }
    return true;
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** The path to open after the sign-in. */
export function takeSignOnPath(): string {
  const returnPath = sessionStorage.getItem(fromKey) ?? '';
  sessionStorage.removeItem(fromKey);
  // Requires a single leading slash: two slashes would name another host.
  return /^\/(?![/\\])/.test(returnPath) ? returnPath : '/home';
}
