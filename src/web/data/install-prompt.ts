import { createStore, type Store } from '#web/store.ts';

/** Chromium's event: the browser offers to install the app. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

const offer = createStore<InstallPromptEvent | null>(null);

/** The browser's offer to install the app, or null. */
export const installOffer: Store<Pick<InstallPromptEvent, 'prompt'> | null> = offer;

/** Browsers make their offer once, while the page loads. */
export function keepInstallOffer(): void {
  addEventListener('beforeinstallprompt', (event) => {
    // Without this, the browser shows its own banner.
    event.preventDefault();
    offer.set(event as InstallPromptEvent);
  });
  addEventListener('appinstalled', () => offer.set(null));
}
