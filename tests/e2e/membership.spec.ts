import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { chooseClassAction, findClassLink, openTab, findRoom, findMessageText } from './room.ts';

test('a student can decline the offer to join, and repeat a join that failed [JOIN-1, JOIN-2, JOIN-7, LAYOUT-9, LAYOUT-11, ROUTE-8]', async ({
  windows,
  site,
}) => {
  const classId = await (
    await site.createStudent()
  ).createClass({ courseName: 'Botany', sectionNumber: '2b' });
  const page = await windows.openWindowAs(await site.createStudent());
  const offer = page.getByRole('dialog', { name: 'Join Class' });
  const alert = page.getByRole('alertdialog');
  const open = async () => {
    await page.goto(`/home/${classId}`);
    await expect(offer.getByRole('heading')).toHaveText('Join Class');
    await expect(offer.getByRole('paragraph')).toHaveText('Would you like to join CS 146?');
    await expect(offer.getByRole('button')).toHaveText(['Cancel', 'Join']);
  };

  await open();
  await expect(offer).toContainText('Botany');
  await expect(offer).toContainText('Section 2B · 1 member');
  await expect(offer).toContainText('Monday & Wednesday · 9:00 AM – 10:15 AM');
  await offer.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/home');
  await expect(offer).toHaveCount(0);

  windows.expectConsoleError('ERR_FAILED');
  windows.expectConsoleError('Joining the class failed.');
  await open();
  await page.route('**/membership', (route) => route.abort());
  await offer.getByRole('button', { name: 'Join' }).click();
  await expect(alert.getByRole('paragraph')).toHaveText('Unable to join class. Please try again.');
  await expect(alert.getByRole('button')).toHaveText(['OK']);
  // Each Esc closes only the topmost element.
  await page.keyboard.press('Escape');
  await expect(alert).toHaveCount(0);
  await expect(offer).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/home');

  // After OK the offer stays open for a retry.
  await open();
  await offer.getByRole('button', { name: 'Join' }).click();
  await alert.getByRole('button', { name: 'OK' }).click();
  await page.unroute('**/membership');
  await offer.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByRole('heading', { name: 'CS 146', exact: true })).toBeVisible();
  await expect(offer).toHaveCount(0);
  expect(new URL(page.url()).pathname).toBe(`/home/${classId}`);

  await page.goto('/privacy');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  await expect(page).toHaveURL(`/home/${classId}`);
});

test('the link of a class that was just left offers nothing in that tab until the student has rejoined [LEAVE-5, LEAVE-14, LIST-11, PANEL-2]', async ({
  windows,
  site,
}) => {
  const ben = await site.createStudent();
  const classId = await (await site.createStudent()).createClass();
  const other = await (await site.createStudent()).createClass({ courseNumber: '9' });
  await ben.join(classId);
  const page = await windows.openWindowAs(ben);
  const offer = page.getByRole('dialog', { name: 'Join Class' });
  await chooseClassAction(page, 'Delete Class');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText(
    'Leave CS 146? Your messages stay, under your anonymous name.',
  );
  await expect(question.getByRole('button')).toHaveText(['Cancel', 'Leave']);
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/home');
  await expect(page.getByText('You left CS 146.')).toBeVisible();

  // Each visit is a full page load.
  for (let visit = 0; visit < 2; visit++) {
    await page.goto(`/home/${classId}`);
    await expect(page).toHaveURL('/home');
    await expect(offer).toHaveCount(0);
  }
  // The flag is stored per class and per tab.
  await page.goto(`/home/${other}`);
  await expect(offer).toBeVisible();
  const tab = await openTab(page, classId);
  await tab.getByRole('button', { name: 'Join', exact: true }).click();
  await expect(tab.getByRole('heading', { name: 'CS 146', exact: true })).toBeVisible();

  const row = findClassLink(page, /^CS 146/);
  await expect(row).toHaveText(/^CS 146/);
  await ben.leave(classId);
  await expect(row).toHaveCount(0);
  await page.goto(`/home/${classId}`);
  await expect(offer).toContainText('Would you like to join CS 146?');
});

test('a member who leaves a class and joins it again comes to its newest message [LEAVE-3]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= 40; n++) await socket.post(classId, `Line ${n}`);
  const page = await windows.openWindowAs(ben);
  await expect(findMessageText(page, 'Line 40')).toBeInViewport();
  await findRoom(page).focus();
  await page.keyboard.press('PageUp');
  await expect(page.getByRole('button', { name: 'Go to the newest message' })).toBeVisible();
  await ben.call('leaveClass', { params: { classId } });
  await expect(page).toHaveURL('/home');
  await ben.join(classId);
  await findClassLink(page, /^CS 146/).click();
  await expect(findMessageText(page, 'Line 40')).toBeInViewport({ ratio: 1 });
});
