import { password } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';

test('the forms announce an empty field or a wrong domain, and send nothing [AUTH-1, AUTH-3, AUTH-4, AUTH-7, AUTH-8, AUTH-10, AUTH-24, AUTH-25]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  const methods: string[] = [];
  page.on('request', (request) => methods.push(request.method()));
  for (const [path, button] of [
    ['/signin', 'Sign In'],
    ['/signup', 'Sign Up'],
    ['/signin', 'Forgot Password?'],
  ] as const) {
    await page.goto(path);
    await page.getByLabel('Email (must end with @university.edu)').fill('ada@gmail.com');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('alert')).toHaveText(
      'Please use a valid @university.edu email address.',
    );
    await expect(page.getByLabel(/^Email/)).toHaveValue('ada@gmail.com');
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue(password);
  }

  const email = page.getByLabel(/^Email/);
  const secret = page.getByLabel('Password', { exact: true });
  for (const [path, button, short] of [
    ['/signin', 'Sign In', 'Please enter your password.'],
    ['/signup', 'Sign Up', 'Please choose a password of 8 to 128 characters.'],
  ] as const) {
    await page.goto(path);
    // The area must exist before it has text, because screen readers do not announce an area that appears
    // with its text.
    await expect(page.getByRole('alert')).toHaveCount(1);
    await expect(page.getByRole('alert')).toBeEmpty();
    await expect(page.getByRole('main').getByRole('status')).toHaveCount(1);
    await expect(page.getByRole('main').getByRole('status')).toBeEmpty();

    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('alert')).toHaveText('Please enter your email.');
    await expect(email).toBeFocused();
    await expect(email).toHaveAttribute('aria-invalid', 'true');
    await email.fill('ada@university.edu');
    await page.getByRole('button', { name: button }).click();
    await expect(secret).toHaveAccessibleDescription(short);
    await expect(secret).toBeFocused();
    await expect(secret).toHaveAttribute('aria-invalid', 'true');
    await expect(email).toHaveAttribute('aria-invalid', 'false');
  }

  await page.goto('/signin');
  await expect(email).toHaveAttribute('autocomplete', 'username');
  await expect(email).toHaveAttribute('type', 'email');
  await expect(secret).toHaveAttribute('autocomplete', 'current-password');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Forgot Password?' })).toBeVisible();

  await secret.fill('seen for a moment');
  await expect(secret).toHaveAttribute('type', 'password');
  await page.getByRole('button', { name: 'Show what I typed' }).click();
  await expect(secret).toHaveAttribute('type', 'text');
  await expect(secret).toHaveValue('seen for a moment');
  await page.getByRole('button', { name: 'Hide what I typed' }).click();
  await expect(secret).toHaveAttribute('type', 'password');

  await page.getByRole('link', { name: 'Create an account' }).click();
  await expect(page).toHaveURL('/signup');
  await expect(email).toHaveAttribute('autocomplete', 'username');
  await expect(secret).toHaveAttribute('autocomplete', 'new-password');
  await expect(page.getByRole('button', { name: 'Sign Up' })).toBeVisible();
  await page.getByRole('link', { name: 'Sign in instead' }).click();
  await expect(page).toHaveURL('/signin');
  await page.goto('/reset-password#token=x');
  await expect(page.getByLabel('New password', { exact: true })).toHaveAttribute(
    'autocomplete',
    'new-password',
  );
  expect(methods).not.toContain('POST');
});

test('a student resets a forgotten password by the mailed link [AUTH-1, AUTH-12, AUTH-13, AUTH-15, ROUTE-8]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindow();
  await page.goto('/signin');
  await page.getByRole('button', { name: 'Forgot Password?' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'Please enter your email to reset your password.',
  );
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByRole('button', { name: 'Forgot Password?' }).click();
  await expect(page.getByRole('main').getByRole('status')).toHaveText(
    'Password reset email sent! Please check your inbox.',
  );

  const link =
    /http:\S+\/reset-password\S+/.exec(await site.waitForMailTo(student.email))?.[0] ?? '';
  await page.goto(link);
  await page.getByLabel('New password', { exact: true }).fill('an entirely new one');
  await page.keyboard.press('Enter');
  // Only the final page has this link. 'Back to sign in' would match an earlier page.
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill('an entirely new one');
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL('/home');
});
