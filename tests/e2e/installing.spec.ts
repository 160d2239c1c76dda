// What browsers ask of an app before they offer to install it, and the entry on the profile page.
import { expect, test } from './fixtures.ts';
import { openInstalled } from './service-worker.ts';
import { openProfilePage } from './room.ts';

test('Chromium can install the app, and the profile has ‘Install’ [PWA-1]', async ({
  windows,
  site,
}) => {
  const page = await openInstalled(windows, await site.createStudent());
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // The windows of tests are private ones.
  const errors = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito');
  expect(errors).toEqual([]);
  const { url, errors: manifestErrors, data } = await session.send('Page.getAppManifest');
  expect(url).toBe(`${site.origin}/manifest.webmanifest`);
  expect(manifestErrors).toEqual([]);
  const { icons } = JSON.parse(data ?? '') as { icons: { src: string; sizes: string }[] };
  for (const { src, sizes } of icons) {
    const drawnSize = await page.evaluate(async (path) => {
      const image = new Image();
      image.src = path;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    expect(drawnSize).toBe(sizes);
  }

  await openProfilePage(page, 'On this device');
  const install = page.getByRole('button', { name: 'Install' });
  await expect(install).toBeHidden();
  const isSuppressed = await page.evaluate(() => {
    const offer = new Event('beforeinstallprompt', { cancelable: true });
    Object.assign(offer, {
      prompt() {
        document.body.dataset['prompted'] = 'yes';
        return Promise.resolve();
      },
    });
    dispatchEvent(offer);
    return offer.defaultPrevented;
  });
  expect(isSuppressed).toBe(true);
  await install.click();
  await expect(page.locator('body')).toHaveAttribute('data-prompted', 'yes');
  await page.evaluate(() => dispatchEvent(new Event('appinstalled')));
  await expect(install).toBeHidden();
});

test('the installed app starts at a page that the service worker controls and that opens without a network [PWA-1, PWA-3]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const { hostname, port } = new URL(site.origin);
  for (const host of [hostname, `riverside.${hostname}`]) {
    const baseURL = `http://${host}:${port}`;
    const page = await openInstalled(windows, ada, { baseURL });
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
      const response = await fetch(link?.href ?? '');
      return (await response.json()) as Record<
        'start_url' | 'scope' | 'theme_color' | 'id',
        string
      >;
    });
    const registration = await page.evaluate(
      async () => (await navigator.serviceWorker.ready).scope,
    );
    expect(registration).toBe(new URL(manifest.scope, baseURL).href);
    const color = page.locator('meta[name=theme-color][data-scheme=light]');
    await expect(color).toHaveAttribute('content', manifest.theme_color);
    windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
    windows.expectConsoleError('WebSocket connection');
    await page.context().setOffline(true);
    const tab = await page.context().newPage();
    const response = await tab.goto(manifest.start_url);
    expect([response?.status(), response?.fromServiceWorker()]).toEqual([200, true]);
    expect(await tab.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');
    await expect(tab.getByText(/server cannot be reached|Ask what everyone/)).toBeVisible();
  }
});
