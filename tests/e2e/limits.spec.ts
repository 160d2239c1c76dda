import { createSite, expect, signIn, test } from './fixtures.ts';
import { password } from '#tests/support/test-client.ts';

const tooFast = 'You’re doing that too often. Please wait a moment.';

test('a form past a limit shows the error and the wait, and keeps what was typed [LIMIT-30, LIMIT-26]', async ({
  windows,
}) => {
  const site = await createSite({
    LIMIT_SIGN_UPS: '2/2h',
    LIMIT_FAILED_SIGN_INS: '1/1h',
    LIMIT_RESET_MAILS: '1/1h',
    LIMIT_NEW_CLASSES: '1/1d',
    LIMIT_SEARCHES: '3/3h',
  });
  try {
    const ada = await site.createStudent();
    const ben = await site.createStudent();
    windows.expectConsoleError('status of 4');
    const page = await windows.openWindow({ baseURL: site.origin });
    const error = page.getByRole('alert');
    const email = page.getByLabel(/^Email/);
    const secret = page.getByLabel('Password', { exact: true });

    await page.goto('/signup');
    await email.fill('cy@university.edu');
    await secret.fill(password);
    await page.getByRole('button', { name: 'Sign Up' }).click();
    await expect(error).toHaveText(
      /^You’re doing that too often\. Please wait a moment\. Try again in \d+ minutes\.$/,
    );
    await expect(email).toHaveValue('cy@university.edu');
    await expect(secret).toHaveValue(password);

    await page.goto('/signin');
    await email.fill(ada.email);
    await page.getByRole('button', { name: 'Forgot Password?' }).click();
    await expect(page.getByText('Password reset email sent!')).toBeVisible();
    await page.getByRole('button', { name: 'Forgot Password?' }).click();
    await expect(error).toHaveText(`${tooFast} Try again in 60 minutes.`);

    await secret.fill('not this one');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await expect(error).not.toContainText('minutes');
    await expect(error).toHaveText('Invalid email or password.');
    // A slow machine may already have waited before it asks again. Then the server gives a longer wait.
    await expect(async () => {
      await page.getByRole('button', { name: 'Sign In' }).click();
      await expect(error).toHaveText(
        /^You’re doing that too often\. .* Try again in \d+ seconds?\.$/,
        {
          timeout: 2000,
        },
      );
    }).toPass();
    await expect(email).toHaveValue(ada.email);
    await expect(secret).toHaveValue('not this one');

    await signIn(page, ben);
    await ben.createClass({ courseName: 'Data Structures' });
    windows.expectConsoleError('Could not create class.');
    await page.goto('/create');
    await page.getByLabel('Course name').fill('Compilers');
    await page.getByLabel('Subject abbreviation').fill('CS');
    await page.getByLabel('Course number').fill('143');
    await page.getByLabel('Section number').fill('1');
    await page.getByLabel('Semester season').selectOption('Fall');
    const days = page.getByRole('combobox', { name: 'Days of the week' });
    await days.click();
    await page.getByRole('option', { name: 'Monday' }).click();
    await days.click();
    await page.getByLabel('Begin class time').fill('09:00');
    await page.getByLabel('End class time').fill('10:00');
    await page.getByRole('button', { name: 'Create class' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click();
    await expect(page.getByText(`${tooFast} Try again in 24 hours.`)).toBeVisible();
    await expect(page.getByLabel('Course name')).toHaveValue('Compilers');

    await page.goto('/search');
    const box = page.getByPlaceholder('Search your data here');
    const rejection = page.getByText(`${tooFast} Try again in 60 minutes.`);
    // Each of three nodes counts the searches by itself.
    for (let length = 3; length <= 'data structures'.length; length++) {
      await box.fill('data structures'.slice(0, length));
      await box.press('Enter');
      await expect(page.getByText('Data Structures').or(rejection).first()).toBeVisible();
      if (await rejection.isVisible()) break;
    }
    await box.fill('compilers');
    await box.press('Enter');
    await expect(rejection).toBeVisible();
    await expect(box).toHaveValue('compilers');
    await page.close();
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});
