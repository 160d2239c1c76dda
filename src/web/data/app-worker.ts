// The page's side of the service worker.
import { askWithPort, type PageMessage } from '#web/service-worker/worker-messages.ts';

const path = '/service-worker.js';
const answerMs = 5000;

/** The content security policy allows no other policy: no text becomes the address of a script. */
const policy = globalThis.trustedTypes?.createPolicy('service-worker', {
  createScriptURL: () => path,
});

/** @returns null if this browser has no service workers, or none without https */
export async function registerWorker(): Promise<ServiceWorkerRegistration | null> {
  try {
    return await register();
  } catch (error) {
    console.warn('The app is not stored on this device.', error);
    return null;
  }
}

async function register(): Promise<ServiceWorkerRegistration | null> {
  // The development server does not build it.
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return null;
  const url = policy?.createScriptURL('') ?? path;
  await navigator.serviceWorker.register(url, { updateViaCache: 'none' });
  return (await navigator.serviceWorker.getRegistration()) ?? null;
}

/** Whether this page runs the version that the worker has stored. Null: it did not answer. */
export function hasThisVersion(worker: ServiceWorker): Promise<boolean | null> {
  const ownScriptUrl = document.querySelector<HTMLScriptElement>('script[type=module]')?.src;
  const message: PageMessage = {
    type: 'has-file',
    path: new URL(ownScriptUrl ?? '/', location.href).pathname,
  };
  return askWithPort<boolean>(worker, message, answerMs);
}

export function activate(worker: ServiceWorker): void {
  const message: PageMessage = { type: 'activate' };
  worker.postMessage(message);
}
