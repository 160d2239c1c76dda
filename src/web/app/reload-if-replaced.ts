import { canReload } from '#web/data/reload-guard.ts';

const storageKey = 'replaced';

/**
 * Loads the page again when code is missing because the server has a newer version by now. It does so only once, so that
 * an incomplete server causes no loop.
 */
export function reloadIfReplaced(): void {
  addEventListener('vite:preloadError', () => void check());
}

async function check(): Promise<void> {
  // The service worker does not answer HEAD.
  const ownScriptUrl = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  const response = await fetch(ownScriptUrl, { method: 'HEAD', cache: 'no-store' }).catch(
    () => null,
  );
  if (
    response?.status !== 404 ||
    sessionStorage.getItem(storageKey) === ownScriptUrl ||
    !canReload()
  ) {
    return;
  }
  sessionStorage.setItem(storageKey, ownScriptUrl);
  location.reload();
}
