import { readFileSync } from 'node:fs';
import { createSite, expect, signIn, test } from './fixtures.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

test('the sign-in pages, the profile and the privacy page end with what the operator links to, and the version [CONF-42, CONF-43, CONF-44, HTTP-11]', async ({
  people,
  site,
}) => {
  const urls = {
    Contact: 'mailto:help@university.edu',
    Imprint: 'https://university.edu/imprint',
    Terms: 'https://university.edu/terms',
    'Source code': 'https://university.edu/chat.git',
  };
  const own = await createSite({
    SUPPORT_CONTACT: 'help@university.edu',
    IMPRINT_URL: urls.Imprint,
    TERMS_URL: urls.Terms,
    SOURCE_URL: urls['Source code'],
  });
  const student = await own.newStudent();
  const page = await people.newWindow({ baseURL: own.origin });
  const expectFooter = async () => {
    const footer = page.getByText(`Backchannel ${version}`).locator('..');
    for (const [name, url] of Object.entries(urls)) {
      await expect(footer.getByRole('link', { name })).toHaveAttribute('href', url);
    }
  };
  for (const path of ['/signin', '/signup', '/privacy']) {
    await page.goto(path);
    await expectFooter();
  }
  await signIn(page, student);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expectFooter();
  expect(await (await fetch(`${own.origin}/healthz`)).text()).toBe(`ok ${version}`);
  await people.closeWindows();
  await own.end();

  const other = await people.newWindow();
  await other.goto(`${site.origin}/signin`);
  await expect(other.getByText(`Backchannel ${version}`)).toBeVisible();
  await expect(other.getByRole('link', { name: 'Imprint' })).toHaveCount(0);
});
