import type { Page } from '@playwright/test';
import type { Weekday } from '#contract/class-fields.ts';

import { checkLooks, findViolations } from './axe.ts';
import { expect, phone, test, type Site } from './fixtures.ts';

/** The search queries of the page, in order. */
function recordQueries(page: Page): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    if (!request.url().endsWith('/1/indexes/*/queries')) return;
    const { requests } = request.postDataJSON() as { requests: { query: string }[] };
    queries.push(requests[0]?.query ?? '');
  });
  return queries;
}

test('a student finds a class, views it and joins it [SEARCH-1, SEARCH-4, SEARCH-7, SEARCH-8, ROUTE-9]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass({
    courseName: 'Marine Botany',
    subjectAbbreviation: 'bot',
    courseNumber: '711',
    sectionNumber: '04b',
    beginClassTime: '11:30',
    endClassTime: '13:05',
  });
  await (await site.createStudent()).join(classId);
  const ben = await site.createStudent();
  const page = await windows.openWindowAs(ben);
  await page.goto('/search');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Search Classes');
  const box = page.getByRole('searchbox');
  await expect(box).toHaveAttribute('placeholder', 'Search your data here');
  await box.fill('bot711');
  await box.press('Enter');

  const hits = page.getByRole('list', { name: 'Classes' });
  await expect(hits.getByRole('listitem')).toHaveCount(1);
  await expect(hits.getByRole('heading')).toHaveText('Marine Botany');
  for (const fact of [
    '2 members',
    'BOT 711 · Section 04B',
    'Monday & Wednesday',
    '11:30 AM – 1:05 PM',
  ]) {
    await expect(hits.getByText(fact, { exact: true })).toBeVisible();
  }
  const foot = page.getByText(/^powered by /);
  await expect(foot).toBeVisible();
  const list = (await hits.boundingBox())!;
  const footBox = (await foot.boundingBox())!;
  expect(footBox.y).toBeGreaterThanOrEqual(list.y + list.height);

  await expect(hits.getByRole('button')).toHaveText(['Join Class']);
  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('Joining the class failed.');
  const logged = page.waitForEvent('console', (message) =>
    message.text().startsWith('Joining the class failed.'),
  );
  await page.route('**/membership', (route) => route.abort());
  await hits.getByRole('button').click();
  await expect(page.getByText(/^You could not join the class\. /)).toBeVisible();
  await logged;
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/search/);
  await page.unroute('**/membership');

  const paths: string[] = [];
  page.on('framenavigated', (frame) => paths.push(new URL(frame.url()).pathname));
  await hits.getByRole('button').click();
  await expect(page).toHaveURL(`/home/${classId}`);
  await expect(page.getByRole('heading', { name: 'BOT 711', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Start as / })).toBeFocused();
  expect(paths[0]).toBe('/');
  expect((await ben.call('readClass', { params: { classId } })).joined).toBe(true);
});

test('a query of 3 to 512 characters is sent half a second after the last key, or on Enter [SEARCH-10, SEARCH-11]', async ({
  windows,
  site,
}) => {
  await (await site.createStudent()).createClass();
  const page = await windows.openWindowAs(await site.createStudent());
  const queries = recordQueries(page);
  await page.clock.install();
  await page.goto('/search');
  const box = page.getByRole('searchbox');
  const hits = page.getByRole('list', { name: 'Classes' });
  await expect(hits.getByRole('listitem').first()).toBeVisible();
  expect(queries).toEqual(['']);
  await page.clock.pauseAt(Date.now() + 60_000);

  for (const text of ['mar', 'mari', 'marin']) {
    await box.fill(text);
    await page.clock.runFor(499);
  }
  await page.clock.runFor(1);
  await expect.poll(() => queries).toEqual(['', 'marin']);

  // Queries of one and two characters are never sent, neither by waiting nor by Enter.
  for (const text of ['c', 'cs']) {
    await box.fill(text);
    await page.clock.runFor(2000);
    await box.press('Enter');
    await expect(page.getByText('Type at least 3 characters.', { exact: true })).toBeVisible();
  }
  await box.fill('cs1');
  await box.press('Enter');
  await expect.poll(() => queries).toEqual(['', 'marin', 'cs1']);
  await box.fill('marin');
  await box.press('Enter');
  await expect(page).toHaveURL(/q=marin$/);

  await box.fill('');
  await page.keyboard.insertText('x'.repeat(600));
  await expect(box).toHaveValue('x'.repeat(512));
  await box.press('Enter');
  await expect.poll(() => queries).toEqual(['', 'marin', 'cs1', 'x'.repeat(512)]);
});

test('a query that Enter sent is not sent again, and shows no empty result before the reply [SEARCH-10, SEARCH-67]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindowAs(await site.createStudent());
  // Install the fake clock before the page starts timers, because it cannot clear earlier ones.
  await page.clock.install();
  await page.goto('/search?q=nothing like it');
  await expect(page.getByText('No class matches “nothing like it”.')).toBeVisible();
  const queries = recordQueries(page);
  let answer = () => {};
  const arrival = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/queries', async (route) => {
    await arrival;
    await route.continue();
  });
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('searchbox').fill('nor like that');
  await page.getByRole('searchbox').press('Enter');
  await page.clock.runFor(199);
  await expect(page.getByText('No class matches “nothing like it”.')).toBeVisible();
  await page.clock.runFor(1);
  const slow = page.getByRole('status', { name: 'Searching' });
  await expect(slow).toBeVisible();
  await page.clock.runFor(2000);
  await expect(slow).toBeVisible();
  await expect(page.getByText(/No class matches/)).toHaveCount(0);
  // Playwright may report the request later than the page sent it.
  await expect.poll(() => queries).toEqual(['nor like that']);
  answer();
  await page.clock.resume();
  await expect(page.getByText('No class matches “nor like that”.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Create this class' })).toBeVisible();
  expect(queries).toEqual(['nor like that']);
});

/** Creates classes of a separate subject, so that classes of other tests do not match. */
async function createClasses(site: Site, subjectAbbreviation: string, count: number) {
  const ada = await site.createStudent();
  const ids: string[] = [];
  for (let n = 1; n <= count; n++) {
    ids.push(await ada.createClass({ subjectAbbreviation, courseNumber: `${n}` }));
  }
  return ids;
}

const findClassHits = (page: Page) =>
  page.getByRole('list', { name: 'Classes' }).getByRole('listitem');

test('a student sets and removes filters with the keyboard alone [SEARCH-50, SEARCH-66, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const createClass = (
    subjectAbbreviation: string,
    semesterSeason: 'Fall' | 'Winter',
    day: Weekday,
  ) =>
    ada.createClass({
      courseName: 'Filtrology',
      subjectAbbreviation,
      semesterSeason,
      classSchedule: [day],
    });
  await createClass('flta', 'Fall', 'Monday');
  await createClass('FLTA', 'Winter', 'Tuesday');
  await createClass('FLTB', 'Fall', 'Monday');
  const page = await windows.openWindowAs(await site.createStudent());
  await page.goto('/search?q=filtrology');
  const hits = findClassHits(page);
  await expect(hits).toHaveCount(3);

  const subject = page.getByRole('button', { name: /^Subject/ });
  await subject.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox')).toHaveCount(2);
  await checkLooks(page, 'results and a filter');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('checkbox', { name: 'FLTA 2' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(hits).toHaveCount(2);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(hits).toHaveCount(3);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(subject).toBeFocused();

  await page.getByRole('button', { name: /^Season/ }).click();
  await expect(page.getByRole('checkbox')).toHaveCount(4);
  await page.getByRole('checkbox', { name: /^Fall/ }).check();
  await expect(hits).toHaveCount(2);
  // A press outside closes the list and changes nothing.
  await page.getByRole('heading', { name: 'Search Classes' }).click();
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  const url = page.url();
  expect(url).toMatch(/[?&]season=Fall/);

  const chosenFilters = page.getByRole('list', { name: 'Selected filters' });
  await expect(chosenFilters.getByRole('button')).toHaveText(['FLTA', 'FLTB', 'Fall', 'Clear all']);
  await page.reload();
  await expect(hits).toHaveCount(2);
  await chosenFilters.getByRole('button', { name: 'Remove Subject FLTA' }).click();
  await expect(hits).toHaveCount(1);
  await expect(chosenFilters.getByRole('button', { name: 'Remove Subject FLTB' })).toBeFocused();
  await chosenFilters.getByRole('button', { name: 'Clear all' }).click();
  await expect(hits).toHaveCount(3);
  await expect(chosenFilters).toHaveCount(0);
  await expect(page.getByRole('searchbox')).toHaveValue('filtrology');
  await expect(page.getByRole('searchbox')).toBeFocused();
});

test('the filters on a phone are a sheet with a done button [SEARCH-50]', async ({
  windows,
  site,
}) => {
  await createClasses(site, 'fone', 2);
  const page = await windows.openWindowAs(await site.createStudent(), phone);
  await page.goto('/search?q=fone');
  await expect(findClassHits(page)).toHaveCount(2);
  await page.getByRole('button', { name: /^Day/ }).tap();
  const sheet = page.getByRole('group', { name: 'Day' });
  await expect
    .poll(async () => {
      const { y, height } = (await sheet.boundingBox())!;
      return Math.round(y + height);
    })
    .toBe(844);
  await sheet.getByText('Sunday').tap();
  await expect(page.getByText('No class matches “fone” and these filters.')).toBeVisible();
  await sheet.getByRole('button', { name: 'Done' }).tap();
  await expect(sheet).toHaveCount(0);
  await page.getByRole('button', { name: 'Clear the filters' }).tap();
  await expect(findClassHits(page)).toHaveCount(2);
});

test('the keyboard moves from the box through the results and back, and Enter joins [SEARCH-64, SEARCH-7]', async ({
  windows,
  site,
}) => {
  const [first, second, third] = await createClasses(site, 'kbd', 3);
  const ben = await site.createStudent();
  await ben.join(second!);
  const page = await windows.openWindowAs(ben);
  await page.goto('/search');
  const box = page.getByRole('searchbox');
  await box.fill('kbd');
  await box.press('Enter');
  const hits = findClassHits(page);
  await expect(hits).toHaveCount(3);
  // The class with two members is first.
  const open = hits.nth(0).getByRole('link', { name: 'Open' });
  const joins = page.getByRole('button', { name: 'Join Class' });
  await expect(hits.nth(0)).toContainText('Joined · Open');
  await expect(joins).toHaveCount(2);
  await box.press('ArrowDown');
  await expect(open).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(joins.nth(0)).toBeFocused();
  await page.keyboard.press('End');
  await expect(joins.nth(1)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(joins.nth(1)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(open).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(box).toBeFocused();
  await box.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(box).toBeFocused();
  await expect(box).toHaveValue('kbd');
  await page.keyboard.press('Escape');
  await expect(box).toHaveValue('');
  await expect(page).toHaveURL('/search');

  await page.goBack();
  await page.goto('/search?q=kbd');
  await expect(hits).toHaveCount(3);
  await box.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/home/${second}`);
  await page.goBack();
  await expect(hits).toHaveCount(3);

  // `Open` sends no join.
  const joinUrls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') joinUrls.push(request.url());
  });
  await open.click();
  await expect(page).toHaveURL(`/home/${second}`);
  expect(joinUrls).toEqual([]);
  await page.goBack();
  await expect(hits).toHaveCount(3);
  await joins.nth(0).press('Enter');
  await expect(page).toHaveURL(new RegExp(`/home/(${first}|${third})$`));
});

test('a scroll or a button loads the next page of results [SEARCH-11, SEARCH-63]', async ({
  windows,
  site,
}) => {
  await createClasses(site, 'page', 31);
  const page = await windows.openWindowAs(await site.createStudent(), {
    viewport: { width: 1280, height: 500 },
  });
  await page.goto('/search?q=page');
  const hits = findClassHits(page);
  await expect(page.getByText('31 classes found.')).toBeVisible();
  await expect(hits).toHaveCount(10);
  const moreButton = page.getByRole('button', { name: 'Show more' });
  await moreButton.focus();
  await page.keyboard.press('Enter');
  await expect(hits.nth(10).getByRole('button', { name: 'Join Class' })).toBeFocused();
  await hits.last().scrollIntoViewIfNeeded();
  await page.mouse.move(640, 250);
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 3000);
      return hits.count();
    })
    .toBe(31);
  await expect(moreButton).toHaveCount(0);
  const names = await hits.getByText(/^PAGE \d+ · Section 02$/).allTextContents();
  expect(new Set(names).size).toBe(31);
});

test('a failed search keeps its query and filters, and can be repeated [SEARCH-67, LAYOUT-5]', async ({
  windows,
  site,
}) => {
  await createClasses(site, 'fail', 11);
  const page = await windows.openWindowAs(await site.createStudent(), {
    viewport: { width: 1280, height: 500 },
  });
  windows.expectConsoleError('ERR_FAILED');
  let failing = true;
  await page.route('**/queries', (route) => (failing ? route.abort() : route.continue()));
  await page.goto('/search?q=fail&season=Fall');
  const sentence = 'The server cannot be reached. Please check your connection and try again.';
  await expect(page.getByRole('alert')).toContainText(sentence);
  await checkLooks(page, 'a failed search');
  failing = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  const hits = findClassHits(page);
  await expect(hits).toHaveCount(10);
  await expect(page.getByRole('searchbox')).toHaveValue('fail');
  await expect(page.getByRole('button', { name: 'Remove Season Fall' })).toBeVisible();

  failing = true;
  await hits.last().scrollIntoViewIfNeeded();
  await expect(page.getByRole('alert')).toContainText(sentence);
  await expect(hits).toHaveCount(10);
  failing = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(hits).toHaveCount(11);
});

test('results of a rewritten query say which query they match [SEARCH-106]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  await ada.createClass({ courseName: 'Gravimetric Spectroscopy', subjectAbbreviation: 'GSPC' });
  const page = await windows.openWindowAs(ada);
  await page.goto('/search?q=gravimetricspectroscopy');
  const note = page.getByRole('status').filter({ hasText: 'found' });
  await expect(note).toContainText('1 class found.');
  await expect(note).toContainText('Showing results for “gravimetric spectroscopy”');
  await expect(page.getByRole('searchbox')).toHaveValue('gravimetricspectroscopy');
  await expect(page.locator('mark')).toHaveText(['Gravimetric', 'Spectroscopy']);
  expect(await findViolations(page)).toEqual([]);

  await page.goto('/search?q=gravimetric+spectroscopy');
  await expect(note).toHaveText('1 class found.');
});
