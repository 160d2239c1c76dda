import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startFakeAlgolia, type FakeAlgolia } from '../hosted/fake-algolia.ts';
import { redirectAlgoliaTo } from '../hosted/redirect-algolia.ts';
import { ensureWebBuilt, webDir } from '#server/features/web-app/web-build.ts';
import type { BrowserContext } from '@playwright/test';
import { expect, signIn, test } from './fixtures.ts';

let fake: FakeAlgolia;
let undo: () => void;
let app: RunningApp;
/** The hosts that the page contacted, in order. */
let hostnames: string[];

test.beforeAll(async () => {
  await ensureWebBuilt(() => {});
});
test.beforeEach(async () => {
  fake = await startFakeAlgolia();
  undo = redirectAlgoliaTo(fake.port);
  app = await startApp(fake.serverSettings, undefined, webDir);
  hostnames = [];
});
// The windows are closed before this, because a page whose server stops logs an error.
test.afterEach(async () => {
  await app.stop();
  undo();
  await fake.stop();
});

/**
 * Redirects the browser's requests to the fake at the network layer, after its content security policy
 * allowed them.
 */
async function redirectToFake(context: BrowserContext, isDown: (host: string) => boolean) {
  await context.route(/\.(algolia\.net|algolianet\.com)\//, async (route) => {
    const url = new URL(route.request().url());
    hostnames.push(url.hostname);
    if (isDown(url.hostname)) return route.abort();
    const answer = await fetch(`http://127.0.0.1:${fake.port}${url.pathname}${url.search}`, {
      method: route.request().method(),
      body: route.request().postData(),
    });
    await route.fulfill({
      status: answer.status,
      contentType: 'application/json',
      headers: { 'access-control-allow-origin': '*' },
      body: await answer.text(),
    });
  });
}

test('the search screen queries the hosted application and skips a host that is down [SEARCH-59, SEARCH-60, SEARCH-61, SEARCH-1, SEARCH-31, CREATE-18, ANON-25]', async ({
  windows,
}) => {
  const ada = await app.createStudent();
  const classId = await ada.createClass({ courseName: 'Compiler Design', courseNumber: '152' });
  await ada.createClass({
    subjectAbbreviation: 'math',
    courseName: 'Calculus',
    courseNumber: '30',
  });
  await expect.poll(() => fake.records().length).toBe(2);

  const ben = await app.createStudent();
  const page = await windows.openWindow({ baseURL: app.origin });
  let isDown = false;
  await redirectToFake(page.context(), (host) => isDown && host.includes('-dsn'));
  await signIn(page, ben);
  // The browser contacts no host before the first search, and the page contains no key.
  expect(hostnames).toEqual([]);
  expect(await page.content()).not.toContain(fake.serverSettings['ALGOLIA_SEARCH_KEY']);
  await page.goto('/search');
  const hits = page.getByRole('list', { name: 'Classes' }).getByRole('listitem');
  await expect(hits).toHaveCount(2);
  await expect(page.getByText('powered by Algolia', { exact: true })).toBeVisible();
  expect(hostnames[0]).toBe(`${fake.applicationId.toLowerCase()}-dsn.algolia.net`);

  isDown = true;
  windows.expectConsoleError('ERR_FAILED');
  await page.getByRole('searchbox').fill('cs152');
  await page.keyboard.press('Enter');
  await expect(hits).toHaveCount(1);
  expect(hostnames.at(-1)).toMatch(/-[123]\.algolianet\.com$/);
  await expect(hits.locator('mark')).toHaveText(['CS', '152']);
  isDown = false;

  // The key has expired, so the page gets another one.
  fake.expired = 1;
  windows.expectConsoleError('403');
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByRole('searchbox').fill('compil');
  await page.keyboard.press('Enter');
  await expect(hits).toHaveCount(1);

  await page.goto('/create');
  await page.getByLabel('Subject abbreviation').fill('CS');
  await page.getByLabel('Course number').fill('152');
  const existing = page.getByRole('list', { name: 'Classes that already exist' });
  await expect(existing.getByRole('listitem')).toHaveCount(1);

  await page.goto('/privacy');
  await expect(page.getByText('Algolia, another company, runs the class search.')).toBeVisible();

  await page.goto('/search?q=compil');
  await hits.getByRole('button', { name: 'Join Class' }).click();
  await expect(page).toHaveURL(`/home/${classId}`);
  await expect
    .poll(() => fake.records().find(({ objectID }) => objectID === classId)?.['memberCount'])
    .toBe(2);
  await page.context().close();
});
