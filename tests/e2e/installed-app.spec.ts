// The service worker: what it stores, and what remains after sign-out.
import type { Page } from '@playwright/test';
import type { TestClient } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, signIn, test } from './fixtures.ts';
import { untilKept } from './offline-state.ts';
import { choose, photo, pictures, loaded, sendPicture, staged } from './picture-files.ts';
import { delivery, newTab, said, say, untilPreloaded } from './room.ts';
import { cachedUrls, openInstalled, shownNotifications } from './service-worker.ts';

test('the service worker stores the files of the app and nothing else [PWA-3, PWA-4]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  const classId = await ada.createClass();
  await sendPicture(ada, classId, await photo());
  const page = await openInstalled(people, ada);
  await page.reload();
  await loaded(pictures(page));
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Devices' })).toBeVisible();
  const urls = await cachedUrls(page);
  expect(urls.filter((url) => !/^\/(assets|logos)\//.test(url))).toEqual(['/home']);
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.startsWith('/assets/') && path.endsWith('.js')),
  );
  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) expect(urls).toContain(script);
});

test('the app opens from the device when the server cannot be reached, also if no messages are kept there [PWA-3]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  await ada.createClass();
  const page = await openInstalled(people, ada);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByLabel('Keep messages on this device').uncheck();
  await page.getByRole('link', { name: 'Home' }).click();
  people.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  people.expectConsoleError('The school theme could not be loaded');
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText('The server cannot be reached')).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('textbox', { name: /^Message/ })).toBeVisible();
});

test('after Log Out there is no service worker and no cache [PWA-5, PROFILE-6]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  await ada.createClass();
  const page = await openInstalled(people, ada);
  expect((await cachedUrls(page)).length).toBeGreaterThan(10);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin');
  await expectNothingStored(page);
});

test('a session that ends elsewhere leaves no service worker and no cache either [PWA-5]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  await ada.createClass();
  people.expectConsoleError('401 (Unauthorized)');
  people.expectConsoleError('HTTP Authentication failed');
  const page = await openInstalled(people, ada);
  await ada.call('signOutOtherDevices', {});
  await expect(page).toHaveURL('/signin');
  await expectNothingStored(page);
  // The next sign-in stores the app again.
  await signIn(page, ada);
  await expect.poll(() => cachedUrls(page)).toContain('/home');
  // While the app is closed.
  const other = await openInstalled(people, ada);
  await other.goto('about:blank');
  await ada.call('signOutOtherDevices', {});
  await other.goto('/home');
  await expect(other).toHaveURL('/signin');
  await expectNothingStored(other);
});

test('a cookie that is gone counts as a session that has ended [PWA-5, OFFLINE-6]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  await ada.createClass();
  people.expectConsoleError('401 (Unauthorized)');
  people.expectConsoleError('HTTP Authentication failed');
  const page = await openInstalled(people, ada);
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto('/home');
  await expect(page).toHaveURL('/signin');
  await expectNothingStored(page);
});

test('an account that was suspended while the app was closed leaves nothing either [PWA-5]', async ({
  people,
  site,
}) => {
  people.expectConsoleError('40');
  people.expectConsoleError('WebSocket connection');
  const ada = await site.newStudent();
  await ada.createClass();
  const page = await openInstalled(people, ada);
  await page.goto('about:blank');
  await page.context().route('**/api/me', async (route) => {
    const response = await route.fetch();
    const { account } = (await response.json()) as { account: object };
    await route.fulfill({ json: { account: { ...account, suspended: true } } });
  });
  await page.goto('/home');
  await expect(page.getByRole('heading', { name: 'Your account is suspended' })).toBeVisible();
  await expectNothingStored(page);
});

for (const [how, end] of [
  ['Log Out', (page: Page) => logOut(page)],
  [
    'Log Out in another tab',
    async (page: Page, _: TestClient, classId: string) => logOut(await newTab(page, classId)),
  ],
  [
    'a session that ends elsewhere',
    (_: Page, ada: TestClient) => ada.call('signOutOtherDevices', {}),
  ],
] as const) {
  test(`after ${how} there is no notification and no badge [PWA-18]`, async ({ people, site }) => {
    people.expectConsoleError('401 (Unauthorized)');
    people.expectConsoleError('HTTP Authentication failed');
    const ada = await site.newStudent();
    const classId = await ada.createClass();
    const page = await openInstalled(people, ada, { permissions: ['notifications'] });
    const removed = new Set<string>();
    await page.context().exposeFunction('recordRemoved', (what: string) => removed.add(what));
    await page.context().addInitScript(() => {
      const { recordRemoved } = globalThis as unknown as { recordRemoved(what: string): void };
      const { close } = Notification.prototype;
      Notification.prototype.close = function recordClose() {
        recordRemoved(this.tag);
        close.call(this);
      };
      Object.assign(navigator, {
        setAppBadge: () => Promise.resolve(),
        clearAppBadge: () => Promise.resolve(recordRemoved('badge')),
      });
    });
    await page.reload();
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.showNotification('New messages', { tag: 'new' });
    });
    await expect.poll(() => shownNotifications(page)).toHaveLength(1);
    await end(page, ada, classId);
    await expect(page).toHaveURL('/signin');
    await expect.poll(() => [...removed].toSorted()).toEqual(['badge', 'new']);
    await expectNothingStored(page);
  });
}

test('Log Out does not wait until the app is stored, and leaves nothing [PWA-5]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  await ada.createClass();
  const page = await people.newWindow({ serviceWorkers: 'allow' });
  // As on a slow line: one of the files does not arrive.
  let isStoring = false;
  await page.context().route('**/assets/privacy-screen-*.js', () => void (isStoring = true));
  await signIn(page, ada);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(ada.email)).toBeVisible();
  await expect.poll(() => isStoring).toBe(true);
  await page.getByRole('button', { name: 'Log Out' }).click();
  await expect(page).toHaveURL('/signin', { timeout: 8000 });
  await page.context().unrouteAll();
  await expectNothingStored(page);
  await page.waitForTimeout(3000);
  await expectNothingStored(page);
});

test('no other script can become a service worker, and no other policy makes addresses of scripts [PWA-16]', async ({
  people,
  site,
}) => {
  people.expectConsoleError('TrustedTypePolicy');
  people.expectConsoleError('TrustedScriptURL');
  people.expectConsoleError('Trusted Type');
  const page = await openInstalled(people, await site.newStudent());
  const outcomes = await page.evaluate(async () => {
    const outcome = async (act: () => unknown) => {
      try {
        await act();
        return 'done';
      } catch (error) {
        return error instanceof TypeError ? 'refused' : String(error);
      }
    };
    const rules = { createScriptURL: (text: string) => text };
    return [
      await outcome(() => trustedTypes?.createPolicy('another', rules)),
      await outcome(() => trustedTypes?.createPolicy('service-worker', rules)),
      await outcome(() => navigator.serviceWorker.register('/assets/other.js')),
    ];
  });
  expect(outcomes).toEqual(['refused', 'refused', 'refused']);
});

async function logOut(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Log Out' }).click();
}

/** The page may still be loading. */
async function expectNothingStored(page: Page): Promise<void> {
  await expect(async () => {
    const stored = await page.evaluate(async () => ({
      caches: await caches.keys(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    }));
    expect(stored).toEqual({ caches: [], workers: 0 });
  }).toPass({ timeout: 20_000 });
}

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
    'a service worker that is gone',
    (page) =>
      page.context().route('**/service-worker.js', (route) => route.fulfill({ status: 404 })),
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

for (const [what, spoil] of faults) {
  test(`the app works with ${what} [PWA-19]`, async ({ people, site }) => {
    people.expectConsoleError('404');
    const student = await site.newStudent();
    const classId = await student.createClass();
    const page = await people.newWindow({ serviceWorkers: 'allow' });
    await page.goto('/signin');
    await spoil(page);
    await signIn(page, student);
    await say(page, 'hello');
    await untilPreloaded(page);
    await page.waitForTimeout(3000);
    const workers = await page.evaluate(async () => {
      const found = (await navigator.serviceWorker?.getRegistrations()) ?? [];
      return found.filter(({ active }) => active !== null).length;
    });
    expect(workers).toBe(0);
    await page.reload();
    await expect(said(page, 'hello')).toBeVisible();
    await page.getByRole('link', { name: 'Profile' }).click();
    await expect(page.getByRole('region', { name: 'Notifications' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'On this device' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.goto(`/home/${classId}`);
    await expect(said(page, 'hello')).toBeVisible();
    await logOut(page);
    await expect(page).toHaveURL('/signin');
  });
}

test('databases that are deleted while the app is open harm nothing [OFFLINE-9]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const classId = await student.createClass();
  const page = await people.newWindowOf(student);
  await say(page, 'before');
  await untilKept(page, 'before');
  await page.evaluate(async () => {
    for (const { name } of await indexedDB.databases()) {
      const removal = indexedDB.deleteDatabase(name ?? '');
      await new Promise((resolve) => removal.addEventListener('success', resolve));
    }
  });
  await say(page, 'after');
  await expect(delivery(page, 'after')).not.toHaveAttribute('aria-busy', 'true');
  await choose(page, await photo());
  await expect(staged(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map(({ text }) => text)).toEqual(['before', 'after', '']);
  }).toPass();
  await page.reload();
  await expect(said(page, 'after')).toBeVisible();
  await expect(said(page, 'before')).toHaveCount(1);
});
