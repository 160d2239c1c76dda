// The panel of the open class: details, people, pictures and files.
import { createManyPages } from '#tests/support/pdf-files.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, phone, test } from './fixtures.ts';
import { createPhoto, sendPicture, sendPictures } from './picture-files.ts';
import {
  findClassLink,
  findClassPanel,
  findComposer,
  findMessage,
  findMessageText,
  openClassPanel,
} from './room.ts';

test('the header of a room opens the panel of its class next to the room [PANEL-2, PANEL-5]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.post(classId, 'Hello');
  const page = await windows.openWindowAs(ben);
  const panel = findClassPanel(page);
  const header = page.getByRole('heading', { level: 1 }).getByRole('button', { name: 'CS 146' });
  await expect(findMessageText(page, 'Hello')).toBeVisible();
  await expect(findComposer(page)).toBeFocused();

  await header.click();
  await expect(panel).toBeFocused();
  await expect(header).toHaveAttribute('aria-expanded', 'true');
  await expect(panel.getByRole('navigation').getByRole('button')).toHaveText([
    'Details',
    'People',
    'Pictures and files',
  ]);
  await expect(panel).toContainText('2 members');
  await expect(panel).toContainText('This class has no description and no rules yet.');
  await expect(panel.getByRole('list').getByRole('button')).toHaveText([
    'Share Class',
    'Mute Class',
    'Ignored and Hidden',
    'Your Reports',
    'Delete Class',
  ]);
  await expect(findMessageText(page, 'Hello')).toBeInViewport();
  await checkLooks(page, 'class panel');

  await panel.getByRole('button', { name: 'Mute Class' }).click();
  await expect(panel.getByRole('button', { name: 'Unmute Class' })).toBeVisible();
  await expect(findClassLink(page, /CS 146.*Muted/)).toBeVisible();
  // Esc closes the dialog first.
  await panel.getByRole('button', { name: 'Your Reports' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(panel).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(findComposer(page)).toBeFocused();

  await header.focus();
  await page.keyboard.press('Enter');
  await expect(panel).toBeFocused();
  await panel.getByRole('button', { name: 'Close class details' }).click();
  await expect(header).toBeFocused();

  // The search takes its place, and the panel the place of the search.
  await header.click();
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Words in the messages' })).toBeFocused();
  await expect(panel).toHaveCount(0);
  await header.click();
  await expect(panel).toBeVisible();
  await expect(page.getByRole('search')).toHaveCount(0);
  // A mention keeps it open.
  await openClassPanel(page, 'People');
  await panel.getByRole('button', { name: /^Options for .*, Anonymous$/ }).click();
  await page.getByRole('menuitem', { name: 'Mention' }).click();
  await expect(findComposer(page)).toBeFocused();
  await expect(findComposer(page)).toHaveValue(/^@[A-Z][a-z]+ [A-Z][a-z]+ $/);
  await expect(panel).toBeVisible();
  await header.click();
  await expect(panel).toHaveCount(0);
});

test('on a phone the panel covers the room, Back closes it, and a mention leads to the message field [PANEL-1, PANEL-4, PANEL-5, LAYOUT-28]', async ({
  windows,
  site,
}) => {
  const courseName = 'Data Structures and Algorithms for Everyone';
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const classId = await ada.createClass({ courseName });
  await ben.join(classId);
  await ada.call('changePersona', { params: { classId }, body: { anonymousName: 'Blue Fox' } });
  const page = await windows.openWindowAs(ben, phone);
  await findComposer(page).fill('Thanks');
  const header = page.getByRole('heading', { level: 1 });
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    const code = (await header.boundingBox())!;
    const name = (await page.getByRole('main').getByText(courseName).boundingBox())!;
    expect(name.y).toBeGreaterThanOrEqual(code.y + code.height - 1);
    expect(Math.round(name.x)).toBe(Math.round(code.x));
  }

  await header.getByRole('button').tap();
  const panel = findClassPanel(page);
  await expect(panel).toBeFocused();
  await page.goBack();
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(`/home/${classId}`);

  await openClassPanel(page, 'People');
  await expect(panel.getByText('1 person')).toBeVisible();
  await checkLooks(page, 'people');
  await panel.getByRole('button', { name: 'Options for Blue Fox' }).tap();
  await page.getByRole('menuitem', { name: 'Mention' }).tap();
  await expect(panel).toHaveCount(0);
  await expect(findComposer(page)).toBeFocused();
  await page.keyboard.type('!');
  await expect(findComposer(page)).toHaveValue('Thanks @Blue Fox !');
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect(findMessage(page, 'Thanks').getByText('@Blue Fox')).toBeVisible();
});

test('a picture of the panel leads to its message, and on a phone Back returns to the pictures [PANEL-6]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const id = await sendPicture(ada, classId, await createPhoto());
  const socket = await ada.connect();
  for (let n = 0; n < 40; n++) await socket.post(classId, `Line ${n}`);
  const page = await windows.openWindowAs(ben);
  const panel = await openClassPanel(page, 'Pictures and files');
  const pictures = panel.getByRole('list', { name: 'Pictures and files' }).getByRole('link');
  await expect(pictures).toHaveCount(1);
  await sendPictures(ada, classId, [
    { name: 'sheet.pdf', mimeType: 'application/pdf', buffer: createManyPages(3) },
  ]);
  await expect(pictures).toHaveText([/^PDF · 3 pages, Today/, /^Picture, Today/]);
  await expect(pictures.last().locator('img')).toBeVisible();
  await checkLooks(page, 'pictures and files');
  await pictures.last().click();
  await expect(page).toHaveURL(`/home/${classId}?message=${id}`);
  const picture = page.getByRole('group', { name: 'Messages' }).getByRole('button', {
    name: 'Picture',
  });
  await expect(picture).toBeInViewport();
  await expect(panel).toBeVisible();

  const small = await windows.openWindowAs(ben, phone);
  const smallPanel = await openClassPanel(small, 'Pictures and files');
  const smallPictures = smallPanel.getByRole('list').getByRole('link');
  await smallPictures.last().tap();
  await expect(smallPanel).toHaveCount(0);
  await expect(small).toHaveURL(`/home/${classId}?message=${id}`);
  await small.goBack();
  await expect(smallPictures).toHaveCount(2);
  await small.goBack();
  await expect(smallPanel).toHaveCount(0);
  await expect(small).toHaveURL(`/home/${classId}`);
});
