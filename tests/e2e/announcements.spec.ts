// The banner of announcements, and the screen on which operators make them.
import type { Page } from '@playwright/test';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import { violations } from './axe.ts';
import { expect, stopServer, test, type Site } from './fixtures.ts';
import { grant } from './moderation.ts';
import { composer } from './room.ts';

const hourMs = 3_600_000;

async function newOperator(site: Site): Promise<TestClient> {
  const operator = await site.newStudent();
  await grant(site, operator, null, 'Kim');
  return operator;
}

async function announce(by: TestClient, text: string, classId: string | null = null) {
  const body = { text, classId, endsAt: Date.now() + hourMs };
  return (await by.call('announce', { body })).announcementId;
}

const withdraw = (by: TestClient, announcementId: string) =>
  by.call('withdrawAnnouncement', { params: { announcementId } });

async function withdrawAll(by: TestClient): Promise<void> {
  const { announcements } = await by.call('listAnnouncements', {});
  for (const { announcementId } of announcements) await withdraw(by, announcementId);
}

const banner = (page: Page) => page.getByRole('region', { name: 'Announcements' });
const texts = (page: Page) => banner(page).locator('p[dir]');
const dismissFirst = (page: Page) =>
  banner(page).getByRole('button', { name: 'Dismiss announcement' }).first().click();

/** Those of other tests on this server. */
test.afterEach(async ({ site }) => {
  await withdrawAll(await newOperator(site));
});

test('a banner appears in two windows without a reload, and goes when it is withdrawn [ADMIN-37, ADMIN-56]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const [ada, ben] = [await site.newStudent(), await site.newStudent()];
  await ada.createClass();
  const pages = [await people.newWindowOf(ada), await people.newWindowOf(ben)];
  await pages[0]!.goto('/home');
  await pages[1]!.goto('/profile');
  const id = await announce(operator, 'The server restarts at 18:00.');
  const [first] = pages;
  await expect(first!.getByRole('status').getByText('The server restarts')).toBeAttached();
  for (const page of pages) {
    await expect(texts(page)).toHaveText(['The server restarts at 18:00.']);
    await expect(page.getByText('Announcement', { exact: true })).toBeVisible();
  }
  await announce(operator, 'Exams begin on Monday.');
  await expect(texts(first!)).toHaveText([
    'Exams begin on Monday.',
    'The server restarts at 18:00.',
  ]);
  // Who comes later sees them, too. Each is announced once.
  const late = await people.newWindowOf(ben);
  await late.goto('/search');
  await expect(texts(late)).toHaveCount(2);
  await withdraw(operator, id);
  for (const page of [...pages, late]) {
    await expect(texts(page)).toHaveText(['Exams begin on Monday.']);
  }
  // Nothing is shown on pages without a session.
  const signedOut = await people.newWindow();
  await signedOut.goto('/signin');
  await expect(signedOut.getByRole('button', { name: 'Sign In' })).toBeVisible();
  await expect(banner(signedOut)).toHaveCount(0);
});

test('a dismissed banner stays dismissed on this device, in all tabs, and a new one shows again [ADMIN-57]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const ada = await site.newStudent();
  const page = await people.newWindowOf(ada);
  await page.goto('/home');
  const other = await page.context().newPage();
  await other.goto('/profile');
  await announce(operator, 'First');
  await announce(operator, 'Second');
  await expect(texts(other)).toHaveText(['Second', 'First']);
  await dismissFirst(page);
  await expect(banner(page)).toBeFocused();
  for (const tab of [page, other]) await expect(texts(tab)).toHaveText(['First']);
  await banner(page).getByRole('button').press('Enter');
  await expect(banner(page)).toHaveCount(0);
  await expect(page.locator('#main')).toBeFocused();
  await expect(banner(other)).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('main')).toBeVisible();
  await announce(operator, 'Third');
  await expect(texts(page)).toHaveText(['Third']);
  // Another device knows nothing of it.
  const phone = await people.newWindowOf(ada);
  await phone.goto('/home');
  await expect(texts(phone)).toHaveText(['Third', 'Second', 'First']);
});

test('an announcement for a class is shown in its room only [ADMIN-38]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const ada = await site.newStudent();
  const zoo = await ada.createClass({ subjectAbbreviation: 'Zoo', courseNumber: '9' });
  const art = await ada.createClass({ subjectAbbreviation: 'Art', courseNumber: '1' });
  const page = await people.newWindowOf(ada);
  await page.goto(`/home/${zoo}`);
  await expect(composer(page)).toBeVisible();
  await announce(operator, 'Feeding at noon', zoo);
  await expect(texts(page)).toHaveText(['Feeding at noon']);
  await expect(banner(page).getByText('Announcement for ZOO 9')).toBeVisible();
  await page.getByRole('link', { name: /ART 1/ }).click();
  await expect(page).toHaveURL(new RegExp(art));
  await expect(banner(page)).toHaveCount(0);
  await announce(operator, 'For all');
  await expect(texts(page)).toHaveText(['For all']);
  await page.getByRole('link', { name: /ZOO 9/ }).click();
  await expect(texts(page)).toHaveText(['Feeding at noon', 'For all']);
  // A student who is not in the class sees the offer to join, and no announcement of it.
  const stranger = await people.newWindowOf(await site.newStudent());
  await stranger.goto(`/home/${zoo}`);
  await expect(texts(stranger)).toHaveText(['For all']);
});

test('a banner goes at its end, also while the server is gone or the clock is wrong [ADMIN-37, ADMIN-58]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const page = await people.newWindowOf(await site.newStudent());
  // A clock that is a day ahead.
  await page.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 86_400_000;
  });
  await page.goto('/home');
  await announce(operator, 'Ends soon');
  await announce(operator, 'Stays');
  await expect(texts(page)).toHaveText(['Stays', 'Ends soon']);
  await site.query(
    `update announcements set "endsAt" = ${Date.now() + 8000} where text = 'Ends soon'`,
  );
  await announce(operator, 'Read again');
  await expect(texts(page)).toHaveText(['Read again', 'Stays', 'Ends soon']);
  await stopServer(people, site);
  await expect(texts(page)).toHaveText(['Read again', 'Stays', 'Ends soon']);
  await expect(texts(page)).toHaveText(['Read again', 'Stays'], { timeout: 15_000 });
  await site.start();
  await expect(texts(page)).toHaveText(['Read again', 'Stays']);
});

test('addresses in the text are links, and the rest is plain text [ADMIN-56]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const page = await people.newWindowOf(await site.newStudent());
  await page.goto('/home');
  const text =
    'See https://status.university.edu/x?a=1. <b>Not bold</b> **nor this** javascript:alert(1)\nAsk help@university.edu!';
  await announce(operator, text);
  await expect(texts(page)).toHaveText([text]);
  const links = banner(page).getByRole('link');
  await expect(links).toHaveText(['https://status.university.edu/x?a=1', 'help@university.edu']);
  await expect(links.first()).toHaveAttribute('href', 'https://status.university.edu/x?a=1');
  await expect(links.first()).toHaveAttribute('rel', 'noreferrer noopener nofollow');
  await expect(links.last()).toHaveAttribute('href', 'mailto:help@university.edu');
});

const longText = `${'Due to works on the power supply, '.repeat(8)}see https://status.university.edu/${'x'.repeat(120)}`;

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390, 320]) {
    test(`long banners hide no composer, and axe finds no problem, ${colorScheme}, ${width} wide [ADMIN-56, LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const operator = await newOperator(site);
      const ada = await site.newStudent();
      const classId = await ada.createClass();
      await announce(operator, longText);
      await announce(operator, 'The room changes to 12.', classId);
      const page = await people.newWindowOf(ada, { colorScheme, viewport: { width, height: 640 } });
      await page.goto(`/home/${classId}`);
      await expect(texts(page)).toHaveCount(2);
      await expect(composer(page)).toBeInViewport({ ratio: 1 });
      const box = await banner(page).boundingBox();
      expect(box!.height).toBeLessThanOrEqual(0.3 * 640 + 1);
      await expect(page.getByRole('heading', { level: 1 })).toBeInViewport({ ratio: 1 });
      expect(await violations(page)).toEqual([]);
      const overflow = await page.evaluate(() => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
        return [scrollWidth - clientWidth, scrollHeight - clientHeight];
      });
      expect(overflow).toEqual([0, 0]);
      const { ADMIN_SHOTS: folder } = process.env;
      if (folder) await page.screenshot({ path: `${folder}/banner-${colorScheme}-${width}.png` });
      // The end of other screens is in view, too.
      await page.goto('/privacy');
      await expect(texts(page)).toHaveCount(1);
      await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
      const bottom = await page.getByRole('main').evaluate((main) => {
        return window.innerHeight - main.getBoundingClientRect().bottom;
      });
      expect(bottom).toBe(0);
    });
  }
}

test('an operator announces to a class, sees it, and withdraws it [ADMIN-59, ADMIN-36]', async ({
  people,
  site,
}) => {
  const operator = await newOperator(site);
  const ada = await site.newStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'Lynx', courseNumber: '12' });
  const reader = await people.newWindowOf(ada);
  await reader.goto(`/home/${classId}`);
  await expect(composer(reader)).toBeVisible();
  const page = await people.newWindowOf(operator);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Announcements' }).click();
  await expect(page.getByText('No announcement is shown.')).toBeVisible();
  await page.getByRole('button', { name: 'Announce…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Announce' });
  const send = dialog.getByRole('button', { name: 'Announce', exact: true });
  await send.click();
  await expect(dialog.getByRole('alert').last()).toHaveText(/Please write the text/);
  await dialog.getByLabel('Text').fill('Bring boots,\nplease.');
  await expect(dialog.getByText('20 of 500 characters')).toBeVisible();
  await dialog.getByLabel('For', { exact: true }).selectOption('The members of one class');
  await send.click();
  await expect(dialog.getByRole('alert').last()).toHaveText(/Please choose a class/);
  await dialog.getByLabel('Search a class').fill('lynx');
  await dialog.getByLabel('Class', { exact: true }).selectOption({
    label: `LYNX 12, ${someClass.courseName}, Fall, ${new Date().getUTCFullYear()}`,
  });
  await dialog.getByLabel('End').fill('2020-01-01T12:00');
  await send.click();
  await expect(dialog.getByRole('alert').last()).toHaveText(/The end must be in the future/);
  // What was typed stays, also without a connection.
  people.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  people.expectConsoleError('status of 400');
  const inTwoDays = new Date(Date.now() + 48 * hourMs).toISOString().slice(0, 16);
  await dialog.getByLabel('End').fill(inTwoDays);
  await page.route('**/api/admin/announcements', (route) =>
    route.request().method() === 'POST' ? route.abort('internetdisconnected') : route.fallback(),
  );
  await send.click();
  await expect(dialog.getByRole('alert').last()).not.toBeEmpty();
  await expect(dialog.getByLabel('Text')).toHaveValue('Bring boots,\nplease.');
  await page.unroute('**/api/admin/announcements');
  await send.click();
  await expect(dialog).toHaveCount(0);
  await expect(texts(reader)).toHaveText(['Bring boots, please.']);
  const shownNow = page.getByRole('list', { name: 'Shown now' }).getByRole('listitem');
  await expect(shownNow).toHaveText([/Bring boots,\s+please\.For LYNX 12\. Announced .* Ends /]);
  // The operator is not in the class.
  await expect(banner(page)).toHaveCount(0);

  await shownNow.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(texts(reader)).toHaveCount(1);
  await shownNow.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect(shownNow).toHaveCount(0);
  await expect(banner(reader)).toHaveCount(0);
  const past = page.getByRole('list', { name: 'Of the last 30 days' }).getByRole('listitem');
  await expect(past.filter({ hasText: 'Bring boots' })).toHaveText(/Withdrawn /);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390, 320]) {
    test(`axe finds no problem on the announcements, ${colorScheme}, ${width} wide [ADMIN-59, LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const operator = await newOperator(site);
      await withdraw(operator, await announce(operator, 'This one was withdrawn.'));
      await announce(operator, longText);
      const page = await people.newWindowOf(operator, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await page.goto('/admin/announcements');
      await expect(page.getByRole('button', { name: 'Withdraw' })).toBeVisible();
      await expect(banner(page)).toBeVisible();
      const { ADMIN_SHOTS: folder } = process.env;
      const check = async (name: string) => {
        expect(await violations(page)).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBe(0);
        if (folder)
          await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
      };
      await check('announcements');
      await page.getByRole('button', { name: 'Announce…' }).click();
      await page.getByLabel('Text').fill('Exams begin on Monday. See https://exams.university.edu');
      await page.getByLabel('For', { exact: true }).selectOption('The members of one class');
      await expect(page.getByText('Preview')).toBeVisible();
      await check('announce');
    });
  }
}
