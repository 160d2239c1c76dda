// Staff hold a lecture, a student asks, and the questions are on the screen of the hall.
import type { Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { checkLooks, findViolations } from './axe.ts';
import { expect, smallPhone, test, type Site, type Windows } from './fixtures.ts';
import { findComposer, findRoom } from './room.ts';

const findPanel = (page: Page) => page.getByRole('region', { name: 'Questions in CS 146' });

/** Lee may hold lectures, Ben is a student. */
async function createClass(site: Site) {
  const { ada: lee, ben, classId } = await createClassWithTwoMembers(site);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  return { lee, ben, classId };
}

async function startLecture(site: Site) {
  const { lee, ben, classId } = await createClass(site);
  const params = { classId };
  await lee.call('startLecture', { params, body: { hours: 1 } });
  return { lee, ben, classId, params };
}

async function openRooms(windows: Windows, site: Site) {
  const { lee, ben, classId } = await createClass(site);
  // Far from the school, whose clock the hours of a class mean.
  const leePage = await windows.openWindowAs(lee, { timezoneId: 'Asia/Kathmandu' });
  const benPage = await windows.openWindowAs(ben);
  for (const page of [leePage, benPage]) await expect(findComposer(page)).toBeVisible();
  return { lee, ben, classId, leePage, benPage };
}

async function askQuestions(student: TestClient, classId: string, texts: readonly string[]) {
  const socket = await student.connectTo(classId);
  for (const text of texts) {
    await socket.request({ type: 'post', classId, id: crypto.randomUUID(), text, question: true });
  }
}

/** Opens the page of the hall with the digits that staff see. */
async function typeCode(windows: Windows, site: Site, staffPage: Page): Promise<Page> {
  await findPanel(staffPage).getByRole('button', { name: 'Code for the hall' }).click();
  await expect(findPanel(staffPage).getByText(/^Works once, for 1[01] more minutes/)).toBeVisible();
  const digits = await findPanel(staffPage)
    .getByText(/^\d{3} \d{3}$/)
    .innerText();
  const hallPage = await windows.openWindow();
  await hallPage.goto(`${site.origin}/present`);
  const field = hallPage.getByLabel('Six digits from the lecturer');
  await expect(field).toBeFocused();
  expect(await findViolations(hallPage)).toEqual([]);
  windows.expectConsoleError('404');
  await field.fill(digits === '000 000' ? '000001' : '000000');
  await field.press('Enter');
  await expect(hallPage.getByText('This code does not work')).toBeVisible();
  await field.fill(digits);
  await field.press('Enter');
  return hallPage;
}

test('staff hold a lecture, and its questions are open, done and printed [LECT-50, LECT-51, LECT-52, LECT-53, LECT-58, LECT-96, LECT-28]', async ({
  windows,
  site,
}) => {
  const { classId, leePage, benPage } = await openRooms(windows, site);
  const strip = benPage.getByRole('button', { name: /^Lecture until/ });
  await benPage.keyboard.press('Alt+q');
  await expect(findPanel(benPage).getByRole('button', { name: 'Lecture' })).toHaveCount(0);
  await benPage.keyboard.press('Alt+q');

  await leePage.keyboard.press('Alt+q');
  await findPanel(leePage).getByRole('button', { name: 'Lecture' }).click();
  await findPanel(leePage).getByLabel('Length').selectOption('3 hours');
  await checkLooks(leePage, 'the start of a lecture');
  await findPanel(leePage).getByRole('button', { name: 'Start lecture' }).click();

  await expect(strip).toContainText('No open questions');
  await findComposer(benPage).fill('What is due?');
  await benPage.getByRole('button', { name: 'Ask as a question', exact: true }).first().click();
  await findComposer(benPage).press('Enter');
  await expect(findRoom(benPage).getByText('What is due?')).toBeVisible();
  await expect(strip).toContainText('1 open question');
  await strip.click();
  await expect(findPanel(benPage).getByRole('listitem')).toHaveText(/What is due\?/);
  await expect(findPanel(benPage).getByRole('button', { name: 'Mark as done' })).toHaveCount(0);

  await findPanel(leePage).getByRole('button', { name: 'Mark as done' }).click();
  await expect(
    findPanel(leePage).getByRole('button', { name: 'Done', pressed: true }),
  ).toBeVisible();
  await expect(strip).toContainText('No open questions');
  await expect(findPanel(benPage)).toContainText('Answered in the lecture');
  await checkLooks(leePage, 'a lecture');

  // The dialog of the browser would stop the test.
  await benPage.evaluate(() => {
    window.print = () => {
      document.body.dataset['printed'] = document.querySelector('body > article')?.textContent;
    };
  });
  await findPanel(benPage).getByRole('button', { name: 'Print questions' }).click();
  await expect(benPage.locator('body')).toHaveAttribute(
    'data-printed',
    /CS 146.*Input\/Output & Interrupts.*20\d\d.*What is due\?/,
  );
  await benPage.emulateMedia({ media: 'print' });
  await expect(benPage.getByRole('main')).toBeHidden();
  await benPage.emulateMedia({ media: null });
  await benPage.evaluate(() => void window.dispatchEvent(new Event('afterprint')));

  await leePage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { promise: isWaiting, resolve: release } = Promise.withResolvers<void>();
  await leePage.route('**/lecture/links', async (route) => {
    await isWaiting;
    await route.continue();
  });
  const copyButton = findPanel(leePage).getByRole('button', { name: 'Copy link' });
  await copyButton.click();
  // A second press makes no second link.
  await expect(copyButton).toBeDisabled();
  release();
  await expect(leePage.getByText('Copied.')).toBeVisible();
  const link = await leePage.evaluate(() => navigator.clipboard.readText());
  const opening = leePage.context().waitForEvent('page');
  await findPanel(leePage).getByRole('button', { name: 'Open the hall screen' }).click();
  const openedPage = await opening;
  await expect(openedPage.getByText('What is due?')).toBeVisible();
  expect(openedPage.url()).toBe(link);
  await openedPage.close();

  const hallPage = await typeCode(windows, site, leePage);
  await expect(hallPage.getByText('What is due?')).toBeVisible();
  const letters = await hallPage.getByRole('complementary').locator('b').innerText();
  await benPage.goto(`${site.origin}/c/${letters.toLowerCase()}`);
  await expect(benPage).toHaveURL(`${site.origin}/home/${classId}`);
  await findPanel(leePage).getByRole('button', { name: 'End…' }).click();
  windows.expectConsoleError('404');
  await leePage.getByRole('alertdialog').getByRole('button', { name: 'End lecture' }).click();
  await expect(strip).toHaveCount(0);
  await expect(hallPage.getByText('This lecture is over')).toBeVisible();
});

test('the screen of the hall fits a projector and a 4K screen [LECT-57]', async ({
  windows,
  site,
}) => {
  const { lee, ben, classId, params } = await startLecture(site);
  const texts = [`${'Why '.repeat(29)}so?`, 'Is it open book?', 'When?', 'Where?', 'Who?'];
  await askQuestions(ben, classId, texts);
  const { presenterToken } = await lee.call('createPresenterLink', { params });
  const page = await windows.openWindow();

  for (const [width, height, colorScheme] of [
    [1024, 768, 'light'],
    [3840, 2160, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${site.origin}/present#${presenterToken}`);
    await expect(page.getByText('1 of 5')).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    const overflow = await page
      .getByRole('article')
      .locator('[tabindex="0"]')
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.keyboard.press('q');
    await expect(page.getByRole('img', { name: 'QR code of the class' })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('q');
  }
  await page.setViewportSize({ width: 320, height: 640 });
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
});

test('staff show a poll in the hall from its menu, and stop it in the lecture [LECT-70, LECT-71]', async ({
  windows,
  site,
}) => {
  const { lee, classId, leePage, benPage } = await openRooms(windows, site);
  const params = { classId };
  const socket = await lee.connectTo(classId);
  const poll = { options: ['Monday', 'Friday'], several: false, resultsAfter: 'vote', minutes: 10 };
  const post = { type: 'post', classId, text: 'When?', poll };
  await socket.request({ ...post, id: crypto.randomUUID(), staff: true });
  await lee.call('startLecture', { params, body: { hours: 1 } });
  const { presenterToken } = await lee.call('createPresenterLink', { params });
  const hallPage = await windows.openWindow();
  await hallPage.goto(`${site.origin}/present#${presenterToken}`);
  await expect(hallPage.getByText('No questions yet.')).toBeVisible();

  await findRoom(leePage)
    .getByRole('article', { name: /poll: When\?$/ })
    .focus();
  await leePage.keyboard.press('Enter');
  await leePage.getByRole('menuitem', { name: 'Show in the hall' }).click();

  const hallPoll = hallPage.getByRole('article', { name: 'Poll' });
  await expect(hallPoll).toContainText('Counts appear when 5 people have voted.');
  await expect(hallPoll.getByRole('listitem')).toHaveText(['AMonday', 'BFriday']);
  await expect(findRoom(benPage).getByText('shown in the hall')).toBeVisible();
  await leePage.keyboard.press('Alt+q');
  await findPanel(leePage).getByRole('button', { name: 'Lecture' }).click();
  await findPanel(leePage).getByRole('button', { name: 'Stop showing the poll' }).click();
  await expect(hallPage.getByText('No questions yet.')).toBeVisible();
});

test('staff prepare a poll, open it with one press, and see its state without a vote [LECT-92, LECT-93]', async ({
  windows,
  site,
}) => {
  const { classId, leePage, benPage } = await openRooms(windows, site);
  await leePage.keyboard.press('Alt+q');
  const panel = findPanel(leePage);
  await panel.getByRole('button', { name: 'Lecture' }).click();
  await panel.getByLabel(/^Start at the class's time/).click();
  await panel.getByRole('button', { name: 'Prepare a poll' }).click();
  const dialog = leePage.getByRole('dialog', { name: 'Prepare a poll' });
  await dialog.getByRole('textbox', { name: 'Question' }).fill('Balanced?');
  await dialog.getByRole('textbox', { name: 'Option 1' }).fill('Yes');
  await leePage.keyboard.press('Enter');
  await leePage.keyboard.type('No');
  await checkLooks(leePage, 'the dialog of a prepared poll');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toContainText('Only you see it · Yes · No');
  await leePage.reload();
  await expect(panel.getByLabel(/^Start at the class's time/)).toBeChecked();
  const [plan] = await site.query(
    `select "lectureZone" from "classSettings" where "classId" = '${classId}'`,
  );
  expect(plan).toEqual({ lectureZone: new Intl.DateTimeFormat().resolvedOptions().timeZone });
  await expect(findRoom(benPage).getByRole('article')).toHaveCount(0);

  await panel.getByRole('button', { name: 'Open the poll' }).click();

  await expect(findRoom(benPage).getByRole('article', { name: /poll: Balanced\?$/ })).toBeVisible();
  await expect(panel).not.toContainText('Only you see it');
  await expect(panel).toContainText('Counts appear when 5 people have voted');
  await checkLooks(leePage, 'the polls of a lecture');
  await panel.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(panel.getByRole('button', { name: 'Close', exact: true })).toHaveCount(0);
});

test('a poll fits a projector and a 4K screen [LECT-57]', async ({ windows, site }) => {
  const page = await windows.openWindow();
  const reply = (optionCount: number, optionText: string) => ({
    className: 'CS 146',
    presentedQuestions: [],
    presentedPoll: {
      pollKey: 'p'.repeat(16),
      pollText: `${'Why '.repeat(29)}so?`,
      pollOptions: Array.from({ length: optionCount }, (_, n) => `${n} ${optionText}`),
      pollOpen: true,
      pollCountsAfter: 'vote',
      pollCounts: {
        pollVoters: 1200,
        optionCounts: Array.from({ length: optionCount }, () => 300),
      },
    },
  });
  let json = reply(4, 'An option of some length');
  await page.route('**/api/presentation', (route) => route.fulfill({ json }));
  const poll = page.getByRole('article', { name: 'Poll' });
  const measureOverflow = () =>
    poll.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);

  for (const [width, height, colorScheme] of [
    [1024, 768, 'light'],
    [3840, 2160, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${site.origin}/present#${'t'.repeat(48)}`);
    await expect(poll.getByText('300 · 25%')).toHaveCount(4);
    expect(await findViolations(page)).toEqual([]);
    expect(await measureOverflow()).toBeLessThanOrEqual(0);
  }
  json = reply(8, 'long '.repeat(19));
  await page.setViewportSize({ width: 320, height: 640 });
  await page.reload();
  await expect(poll.getByText('300 · 25%')).toHaveCount(8);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
  await poll.focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => poll.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

test('the tab of the lecture scrolls as one on a phone [LECT-92]', async ({ windows, site }) => {
  const { lee, ben, classId, params } = await startLecture(site);
  await askQuestions(ben, classId, ['Is it open book?', 'When?']);
  await lee.call('holdQuestions', { params, body: { held: true } });
  await askQuestions(ben, classId, ['Where?', 'Who?', 'How?']);
  const page = await windows.openWindowAs(lee, smallPhone);
  await page.getByRole('button', { name: /^Lecture until/ }).tap();
  await expect(findPanel(page)).toContainText('Waiting for you · 3');

  const last = findPanel(page).getByRole('listitem').last();
  await last.scrollIntoViewIfNeeded();

  await expect(last).toContainText('When?');
  await expect(last).toBeInViewport({ ratio: 1 });
});

test('formulas of questions are drawn in the hall, in the panel and on paper [LECT-91, LECT-58]', async ({
  windows,
  site,
}) => {
  const { lee, ben, classId, params } = await startLecture(site);
  await askQuestions(ben, classId, ['Is $\\frac12$ rational?', 'Is $$\\pi$$ *rational*?']);
  const { presenterToken } = await lee.call('createPresenterLink', { params });
  const hallPage = await windows.openWindow();
  const page = await windows.openWindowAs(ben);

  await hallPage.goto(`${site.origin}/present#${presenterToken}`);
  await expect(hallPage.getByRole('article', { name: 'Question' }).locator('mfrac')).toBeVisible();
  await expect(hallPage.getByRole('list').locator('math')).toBeVisible();
  await expect(hallPage.getByRole('list')).toContainText('rational?');
  expect(await findViolations(hallPage)).toEqual([]);
  await page.getByRole('button', { name: /^Lecture until/ }).click();
  await expect(findPanel(page).locator('math')).toHaveCount(2);
  await checkLooks(page, 'questions with formulas');

  await page.evaluate(() => {
    window.print = () => {
      window.dispatchEvent(new Event('beforeprint'));
      const count = document.querySelectorAll('body > article math').length;
      document.body.dataset['printed'] = String(count);
    };
  });
  await findPanel(page).getByRole('button', { name: 'Print questions' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-printed', '2');
});
