import { createSite, expect, test } from './fixtures.ts';
import { password } from '#tests/support/test-client.ts';

const tooFast = 'You’re doing that too often. Please wait a moment.';

test('a form past a limit shows the error and the wait, and keeps what was typed [LIMIT-30, LOG-17]', async ({
  windows,
}) => {
  const site = await createSite({
    LIMITS: 'signUps=1/2h, failedSignIns=1/1h, resetMails=1/1h',
  });
  try {
    const ada = await site.createStudent();
    windows.expectConsoleError('status of 4');
    const page = await windows.openWindow({ baseURL: site.origin });
    const error = page.getByRole('alert');
    const email = page.getByLabel(/^Email/);
    const secret = page.getByLabel('Password', { exact: true });

    await page.goto('/signup');
    await email.fill('cy@university.edu');
    await secret.fill(password);
    await page.getByRole('button', { name: 'Sign Up' }).click();
    await expect(error).toHaveText(`${tooFast} Try again in 2 hours.`);
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
    await page.close();
  } finally {
    await windows.closeWindows();
    await site.end();
  }
});
