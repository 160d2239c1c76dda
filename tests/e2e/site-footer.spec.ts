import { readFileSync } from 'node:fs';
import { createSite, expect, signIn, test } from './fixtures.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

test('forms name each domain of the university, and pages end with the links of the settings and the version [AUTH-3, AUTH-4, CONF-37, CONF-44, HTTP-11, HTTP-58]', async ({
  windows,
  site,
}) => {
  const urls = {
    'Report something': '/report',
    Contact: 'mailto:help@university.edu',
    Imprint: 'https://university.edu/imprint',
    Terms: 'https://university.edu/terms',
    'Source code': 'https://university.edu/chat.git',
    Licenses: '/licenses.txt',
  };
  const customSite = await createSite({
    EMAIL_DOMAIN: 'uni.edu,university.edu',
    SUPPORT_CONTACT: 'help@university.edu',
    IMPRINT_URL: urls.Imprint,
    TERMS_URL: urls.Terms,
    SOURCE_URL: urls['Source code'],
  });
  const student = await customSite.createStudent();
  const page = await windows.openWindow({ baseURL: customSite.origin });
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
  await page.goto('/signup');
  await page.getByLabel('Email (must end with @uni.edu or @university.edu)').fill('ada@gmail.com');
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'Please use a valid @uni.edu or @university.edu email address.',
  );
  await page.getByLabel(/^Email/).fill('ada@uni.edu');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL(/\/home/);
  // No request of the open page may lack its cookie.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await signIn(page, student);
  await page.getByRole('link', { name: 'Profile' }).click();
  await expectFooter();
  expect(await (await fetch(`${customSite.origin}/healthz`)).text()).toBe(`ok ${version}`);
  await windows.closeWindows();
  await customSite.end();

  const other = await windows.openWindow();
  await other.goto(`${site.origin}/signin`);
  await expect(other.getByText(`Backchannel ${version}`)).toBeVisible();
  await expect(other.getByRole('link', { name: 'Imprint' })).toHaveCount(0);
});
