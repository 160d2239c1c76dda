// The service worker: what it stores, and what remains after sign-out.
import type { Page, Route } from '@playwright/test';
import { expect, signIn, test } from './fixtures.ts';
import { findKeptData, waitUntilKept } from './offline-state.ts';
import { createPhoto, findPictures, expectLoaded, sendPicture } from './picture-files.ts';
import { findMessageText, say, waitUntilPreloaded, openProfilePage } from './room.ts';
import {
  expectNothingStored,
  listCachedUrls,
  openInstalled,
  waitUntilInstalled,
} from './service-worker.ts';

test('the service worker stores only files of the app, and Log Out removes it and them [PWA-3, PWA-5, HTTP-33, PROFILE-6]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  await sendPicture(ada, classId, await createPhoto());
  const page = await openInstalled(windows, ada);
  await page.reload();
  await expectLoaded(findPictures(page));
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Your data' })).toBeVisible();
  const urls = await listCachedUrls(page);
  expect(urls.filter((url) => !/^\/(assets|logos)\//.test(url))).toEqual(['/home']);
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith('/assets/') && path.endsWith('.js')),
  );
  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) expect(urls).toContain(script);

  // No other script can become a service worker, and no other policy makes addresses of scripts.
  windows.expectConsoleError('TrustedTypePolicy');
  windows.expectConsoleError('TrustedScriptURL');
  windows.expectConsoleError('Trusted Type');
  const outcomes = await page.evaluate(async () => {
    const getOutcome = async (act: () => unknown) => {
      try {
        await act();
        return 'done';
      } catch (error) {
        return error instanceof TypeError ? 'rejected' : String(error);
      }
    };
    const rules = { createScriptURL: (text: string) => text };
    return [
      await getOutcome(() => trustedTypes?.createPolicy('another', rules)),
      await getOutcome(() => trustedTypes?.createPolicy('service-worker', rules)),
      await getOutcome(() => navigator.serviceWorker.register('/assets/other.js')),
    ];
  });
  expect(outcomes).toEqual(['rejected', 'rejected', 'rejected']);

  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  await expectNothingStored(page);
});

test('a session that ends in any way leaves no service worker, no cache and no message [PWA-5, OFFLINE-6]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  await ada.createClass();
  windows.expectConsoleError('401 (Unauthorized)');
  windows.expectConsoleError('HTTP Authentication failed');
  windows.expectConsoleError('40');
  windows.expectConsoleError('WebSocket connection');
  const page = await openInstalled(windows, ada);
  const expectNothingLeft = async () => {
    await expectNothingStored(page);
    await expect.poll(() => findKeptData(page)).toBe(null);
  };
  await say(page, 'a secret');
  await waitUntilKept(page, 'a secret');
  await ada.call('signOutOtherDevices', {});
  await expect(page).toHaveURL('/signin');
  await expectNothingLeft();

  const signInAndClose = async () => {
    await signIn(page, ada);
    // The next sign-in stores the app again.
    await expect.poll(() => listCachedUrls(page)).toContain('/home');
    await waitUntilInstalled(page);
    await waitUntilKept(page, 'a secret');
    await page.goto('about:blank');
  };
  const endings = [() => ada.call('signOutOtherDevices', {}), () => page.context().clearCookies()];
  for (const end of endings) {
    await signInAndClose();
    await end();
    await page.goto('/home');
    await expect(page).toHaveURL('/signin');
    await expectNothingLeft();
  }

  await signInAndClose();
  await page.context().route('**/api/me', async (route) => {
    const response = await route.fetch();
    const { account } = (await response.json()) as { account: object };
    await route.fulfill({ json: { account: { ...account, suspended: true } } });
  });
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Your account is suspended' })).toBeVisible();
  await expectNothingLeft();
});

test('Log Out does not wait until the app is stored [PWA-5]', async ({ windows, site }) => {
  const ada = await site.createStudent();
  await ada.createClass();
  const page = await windows.openWindow({ serviceWorkers: 'allow' });
  // As on a slow line: one of the files does not arrive.
  const heldRoutes: Route[] = [];
  await page
    .context()
    .route('**/assets/privacy-screen-*.js', (route) => void heldRoutes.push(route));
  await signIn(page, ada);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(ada.email)).toBeVisible();
  await expect.poll(() => heldRoutes.length).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin', { timeout: 8000 });
  // The end of the service worker may have ended the request.
  for (const route of heldRoutes) await route.continue().catch(() => undefined);
  await expectNothingStored(page);
});

const faults: [string, (page: Page) => Promise<unknown>][] = [
  [
    'no service workers',
    (page) =>
      page.context().addInitScript(() => {
        Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
        Reflect.deleteProperty(globalThis, 'caches');
      }),
  ],
  [
    'a service worker with a mistake',
    (page) =>
      page
        .context()
        .route('**/service-worker.js', (route) =>
          route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("no")' }),
        ),
  ],
  [
    'a server without one of the files',
    (page) =>
      page.context().route('**/service-worker.js', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace('/assets/highlight-', '/assets/none-');
        await route.fulfill({ response, body });
      }),
  ],
  [
    'no space for files',
    async (page) => {
      const client = await page.context().newCDPSession(page);
      await client.send('Storage.overrideQuotaForOrigin', {
        origin: new URL(page.url()).origin,
        quotaSize: 1,
      });
    },
  ],
];

test('the app works without a service worker, or with one that cannot be installed [PWA-3]', async ({
  windows,
  site,
}) => {
  windows.expectConsoleError('404');
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'hello');
  for (const [faultName, spoil] of faults) {
    const page = await windows.openWindow({ serviceWorkers: 'allow' });
    await page.goto('/signin');
    await spoil(page);
    await signIn(page, student);
    await say(page, `with ${faultName}`);
    await waitUntilPreloaded(page);
    await page.reload();
    await expect(findMessageText(page, `with ${faultName}`)).toBeVisible();
    for (const title of ['Notifications', 'On this device'] as const) {
      await openProfilePage(page, title);
      await expect(page.getByRole('region', { name: title })).toBeVisible();
    }
    const workers = await page.evaluate(async () => {
      const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
      return registrations.filter(({ active }) => active !== null).length;
    });
    expect(workers, faultName).toBe(0);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Log Out' }).click();
    await expect(page).toHaveURL('/signin');
    await windows.closeWindows();
  }
});
