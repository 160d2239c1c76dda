import { activate, hasThisVersion } from '#web/data/app-worker.ts';
import { canReload } from '#web/data/reload-guard.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

const checkIntervalMs = 60 * 60_000;

/**
 * Calls back when this page runs an older version than the server has. Nothing changes in the page until it is loaded again.
 *
 * @returns stop
 */
export function watchUpdates(registration: ServiceWorkerRegistration, onUpdate: () => void) {
  const { serviceWorker } = navigator;
  let lastCheckAt = Date.now();

  async function compare(worker: ServiceWorker | null): Promise<void> {
    const isCurrent = worker && (await hasThisVersion(worker));
    if (isCurrent === false) onUpdate();
    // This page was loaded from the new version already. Other pages keep their code.
    if (isCurrent && worker.state === 'installed') activate(worker);
  }
  function onFound(): void {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => {
      // The first version takes over without help.
      if (worker.state === 'installed' && serviceWorker.controller) void compare(worker);
    });
  }
  const onTakeOver = () => void compare(serviceWorker.controller);
  function check(): void {
    if (document.hidden || Date.now() - lastCheckAt < checkIntervalMs) return;
    lastCheckAt = Date.now();
    // Without a connection, the next check finds the update.
    void registration.update().catch(() => undefined);
  }

  registration.addEventListener('updatefound', onFound);
  serviceWorker.addEventListener('controllerchange', onTakeOver);
  document.addEventListener('visibilitychange', check);
  const timer = setInterval(check, checkIntervalMs / 4);
  void compare(registration.waiting);
  return () => {
    registration.removeEventListener('updatefound', onFound);
    serviceWorker.removeEventListener('controllerchange', onTakeOver);
    document.removeEventListener('visibilitychange', check);
    clearInterval(timer);
  };
}

const typedText =
  'textarea, input:is(:not([type]), [type=text], [type=email], [type=password]):not([readonly])';

/** Whether a reload would lose or interrupt nothing: no draft, upload, unsent message or half-filled form. */
export function isIdle(live: Pick<LiveClient, 'unsentCount'>): boolean {
  if (live.unsentCount() > 0 || !canReload() || document.querySelector('dialog[open]')) {
    return false;
  }
  if (Object.keys(sessionStorage).some((key) => /^(draft|pictures):/.test(key))) return false;
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(typedText);
  return [...fields].every(({ value }) => value === '');
}
