import { expect, test } from './fixtures.ts';

test('the app explains each state in which there is nothing to show [LAYOUT-8, CHAT-13, LIST-6]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
  await expect(page.getByText('Join a class to start chatting.')).toBeVisible();
  await page.goto('/search?q=nothing like it');
  await expect(page.getByText('No class matches “nothing like it”.')).toBeVisible();

  windows.expectConsoleError('ERR_FAILED');
  await page.route('**/api/classes', (route) => route.abort());
  await page.goto('/home');
  const panel = page.getByRole('navigation', { name: 'My Classes' });
  await expect(panel.getByRole('alert')).toContainText(
    'The server cannot be reached. Please check your connection and try again.',
  );
  await page.unroute('**/api/classes');
  await panel.getByRole('button', { name: 'Retry' }).click();
  await expect(panel.getByText('You are not enrolled in any classes.')).toBeVisible();

  const theirs = await (await site.createStudent()).createClass({ courseNumber: '9' });
  await page.goto(`/home/${theirs}`);
  await expect(page.getByText('Join this class to see its chat.')).toBeVisible();

  await student.join(theirs);
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.routeWebSocket('**/live', async (socket) => {
    await gate;
    socket.connectToServer();
  });
  await page.goto(`/home/${theirs}`);
  await expect(page.getByRole('status', { name: 'Loading messages' })).toBeVisible();
  open();
  await expect(page.getByText('No messages yet. Say hello, or share the class.')).toBeVisible();

  windows.expectConsoleError('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await expect(
    page.getByText('You are offline. Messages will be sent when you are back.', { exact: true }),
  ).toBeVisible();
});

test('a screen whose code is loading says so [LAYOUT-8]', async ({ windows, site }) => {
  const page = await windows.openWindowAs(await site.createStudent());
  for (const [link, heading, file] of [
    ['Create', 'Create Backchannel', 'create-screen'],
    ['Search', 'Search Classes', 'search-page'],
    ['Profile', 'Profile', 'profile-screen'],
  ] as const) {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await page.route(`**/assets/${file}-*.js`, async (route) => {
      await gate;
      await route.continue();
    });
    await page.getByRole('link', { name: link, exact: true }).click();
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    open();
    await expect(page.getByRole('heading', { name: heading })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading', exact: true })).toHaveCount(0);
  }
});
