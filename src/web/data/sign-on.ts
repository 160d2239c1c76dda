// The way to the sign-in page of the university and back.
import { call } from '#web/api.ts';

const fromKey = 'sign-on-from';

/**
 * Leaves the app for the provider's page.
 *
 * @param returnPath the path to open after the sign-in
 * @param options.again the person must enter the credentials again
 * @param options.inNewTab this page stays, and learns of the sign-in from the new tab
 */
export async function startSignOn(
  returnPath: string,
  { again = false, inNewTab = false } = {},
): Promise<void> {
  // Only a press opens a tab, so it opens before the reply arrives. A browser can still block it.
  const tab = inNewTab ? open('about:blank') : null;
  try {
    const { providerUrl } = await call('startSignOn', { body: { again } });
    if (tab) return tab.location.replace(providerUrl);
    sessionStorage.setItem(fromKey, returnPath);
    location.assign(providerUrl);
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
