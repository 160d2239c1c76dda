import type { Browser, BrowserContextOptions } from '@playwright/test';
// The Playwright of the other tests cannot open a window in Debian's Firefox.
import { firefox } from 'playwright-firefox-driver';
import { findFirefox } from '../../scripts/system-commands.ts';

/** A fine pointer that hovers, in Firefox's bits. Without a screen, Firefox reports no pointer. */
const mouse = 6;

export async function launchFirefox(): Promise<Browser> {
  const executablePath = findFirefox();
  if (!executablePath) throw new Error('Firefox was not found. Name it in BACKCHANNEL_FIREFOX.');
  const browser = (await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: {
      'ui.primaryPointerCapabilities': mouse,
      'ui.allPointerCapabilities': mouse,
      'dom.events.testing.asyncClipboard': true,
    },
  })) as unknown as Browser;
  const openContext = browser.newContext.bind(browser);
  browser.newContext = async (options?: BrowserContextOptions) => {
    const context = await openContext(options);
    await context.addInitScript(insertTextAsKeyboard);
    const grant = context.grantPermissions.bind(context);
    // Firefox has no permission for the clipboard. A setting above allows it.
    context.grantPermissions = (names, ...rest) =>
      grant(
        names.filter((name) => !name.startsWith('clipboard-')),
        ...rest,
      );
    return context;
  };
  return browser;
}

/**
 * Replaces the function with which Playwright fills a field. That function sets the field's value, which React
 * does not notice. A test of the journeys fails if an update renames the function.
 */
function insertTextAsKeyboard(): void {
  Object.defineProperty(globalThis, '__pw_bidiInsertText', {
    get: () => (text: string) => {
      document.execCommand('insertText', false, text);
    },
    set: () => {},
  });
}
