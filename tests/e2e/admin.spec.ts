// The screen of operators who run the server.
import { violations } from './axe.ts';
import { admin } from '#tests/support/run-command.ts';
import { expect, test } from './fixtures.ts';
import { grant } from './moderation.ts';

test('an operator opens the overview from the screen of moderators, by keyboard [ADMIN-16, ADMIN-17, ADMIN-18]', async ({
  people,
  site,
}) => {
  const operator = await site.newStudent();
  await grant(site, operator, null, 'Kim');
  const page = await people.newWindowOf(operator);
  await page.goto('/moderation');
  await page.getByRole('link', { name: 'Administration' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Administration', level: 1 })).toBeFocused();
  await expect(page).toHaveTitle(/Administration/);
  const health = page.getByRole('list', { name: 'Health of each part' }).getByRole('listitem');
  await expect(health).toHaveText([
    /^Disk/,
    /^DatabaseGoodIt answers\.$/,
    /^MailWarningSMTP_URL is not set/,
    /^PicturesGood/,
    /^SearchGoodIt is built in\.$/,
  ]);
  await expect(page.getByText('Below 0.5 GB').first()).toBeVisible();
  const summary = page.getByText('Show as a table');
  await summary.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(15);
});

test('the screen does not exist for others, and disappears with the role [ADMIN-16]', async ({
  people,
  site,
}) => {
  const student = await site.newStudent();
  const page = await people.newWindowOf(student);
  await page.goto('/admin');
  await expect(page).toHaveURL(/\/home$/);
  const classId = await student.createClass();
  await grant(site, student, classId, 'Kim');
  await page.goto('/admin');
  await expect(page).toHaveURL(/\/home/);

  await grant(site, student, null, 'Kim');
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
  await admin({ DATA_DIR: site.dataDir }, 'revoke-role', student.email);
  await expect(page).toHaveURL(/\/home/);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 768, 390, 320]) {
    test(`axe finds no problem on the overview, ${colorScheme}, ${width} wide [LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const operator = await site.newStudent();
      await grant(site, operator, null, 'Kim');
      const page = await people.newWindowOf(operator, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await page.goto('/admin');
      await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
      await page.getByText('Show as a table').click();
      expect(await violations(page)).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
      const { ADMIN_SHOTS: folder } = process.env;
      if (folder) await page.screenshot({ path: `${folder}/overview-${colorScheme}-${width}.png` });
    });
  }
}
