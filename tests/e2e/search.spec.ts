import type { Page } from '@playwright/test';
import { joinClass, newClass } from '../app/running-app.ts';
import { expect, test } from './fixtures.ts';

/** What the page asks the search for, in order. */
function queriesOf(page: Page): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    if (!request.url().endsWith('/1/indexes/*/queries')) return;
    const { requests } = request.postDataJSON() as { requests: { query: string }[] };
    queries.push(requests[0]?.query ?? '');
  });
  return queries;
}

test('a class is found, looked at and joined [SEARCH-1, SEARCH-2, SEARCH-3, SEARCH-4, SEARCH-5, SEARCH-6, SEARCH-7, SEARCH-8, ROUTE-9]', async ({
  people,
  site,
}) => {
  const ada = await site.newStudent();
  const classId = await newClass(ada, {
    courseName: 'Marine Botany',
    subjectAbbreviation: 'bot',
    courseNumber: '711',
    sectionNumber: '04b',
    beginClassTime: '11:30',
    endClassTime: '13:05',
  });
  await joinClass(await site.newStudent(), classId);
  const ben = await site.newStudent();
  const page = await people.newWindowOf(ben);
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
  const [list, below] = [await hits.boundingBox(), await foot.boundingBox()];
  expect(below!.y).toBeGreaterThanOrEqual(list!.y + list!.height);

  const paths: string[] = [];
  page.on('framenavigated', (frame) => paths.push(new URL(frame.url()).pathname));
  await expect(hits.getByRole('button')).toHaveText(['Join Class']);
  await hits.getByRole('button').click();
  await expect(page).toHaveURL(`/home/${classId}`);
  await expect(page.getByRole('heading', { name: 'BOT 711', exact: true })).toBeVisible();
  expect(paths[0]).toBe('/');
  expect((await ben.call('readClass', { params: { classId } })).joined).toBe(true);
});

test('a schedule that is none is said, and a failed join told without an alert [SEARCH-5, SEARCH-9]', async ({
  people,
  site,
}) => {
  await newClass(await site.newStudent(), { courseName: 'Unscheduled' });
  const page = await people.newWindowOf(await site.newStudent());
  await page.route('**/queries', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { results: { hits: object[] }[] };
    const hits = answer.results[0]?.hits ?? [];
    const odd = [null, []].map((classSchedule, n) => ({ ...hits[n]!, classSchedule }));
    await route.fulfill({ json: { results: [{ ...answer.results[0], hits: odd }] } });
  });
  await newClass(await site.newStudent());
  await page.goto('/search');
  await expect(page.getByText('No Schedule Available', { exact: true })).toHaveCount(2);

  people.expectConsoleError('ERR_FAILED');
  people.expectConsoleError('Joining the class failed.');
  const logged = page.waitForEvent('console', (message) =>
    message.text().startsWith('Joining the class failed.'),
  );
  await page.route('**/membership', (route) => route.abort());
  await page.getByRole('button', { name: 'Join Class' }).first().click();
  await expect(page.getByText(/^The class was not joined\. /)).toBeVisible();
  await logged;
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page).toHaveURL('/search');
});

test('a query waits half a second after the last key, or for Enter, and has 3 to 512 characters [SEARCH-10, SEARCH-11, SEARCH-12, SEARCH-13, SEARCH-21]', async ({
  people,
  site,
}) => {
  await newClass(await site.newStudent());
  const page = await people.newWindowOf(await site.newStudent());
  const queries = queriesOf(page);
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

  // One and two characters are not sent, neither by waiting nor by Enter; three are.
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

test('a search without an answer for 200 ms is shown as slow [SEARCH-15]', async ({
  people,
  site,
}) => {
  const page = await people.newWindowOf(await site.newStudent());
  await page.clock.install();
  await page.route('**/queries', () => {});
  await page.goto('/search');
  const slow = page.getByRole('status', { name: 'Searching' });
  await expect(slow).toBeVisible();
  // Once more, with the screen's code at hand and the clock in ours.
  await page.getByRole('link', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Create Backchannel' })).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Search Classes' })).toBeVisible();
  await page.clock.runFor(199);
  await expect(slow).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(slow).toBeVisible();
});
