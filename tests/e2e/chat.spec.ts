import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { openClassAlone, findRoom, findMessageText, waitUntilListIsStill } from './room.ts';

test('a list at its end follows new messages, and one that is scrolled up counts them [CHAT-8]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const socket = await ada.connect();
  for (let n = 1; n <= 40; n++) await socket.post(classId, `number ${n}`);
  const page = await windows.openWindowAs(ben);
  await expect(findMessageText(page, 'number 40')).toBeInViewport();
  await socket.post(classId, 'one more');
  await expect(findMessageText(page, 'one more')).toBeInViewport();

  await findRoom(page).hover();
  await page.mouse.wheel(0, -600);
  await expect(page.getByRole('button', { name: 'Go to the newest message' })).toBeVisible();
  await expect(findMessageText(page, 'one more')).not.toBeInViewport();
  const numberLines = findRoom(page).getByText(/^number \d+$/);
  await waitUntilListIsStill(page);
  const anchor = findMessageText(page, (await numberLines.nth(8).textContent()) ?? '');
  const boxBefore = await anchor.boundingBox();
  for (const text of ['first new', 'second new', 'third new']) await socket.post(classId, text);
  const jump = page.getByRole('button', { name: '3 new', exact: true });
  await expect(jump).toBeVisible();
  expect((await anchor.boundingBox())?.y).toBe(boxBefore?.y);
  await jump.click();
  await expect(findMessageText(page, 'third new')).toBeInViewport();
  await expect(jump).toHaveCount(0);
});

test('Enter sends a message, except with Shift or during input composition [SEND-1, SEND-4, SEND-6, CHAT-5]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const field = page.getByPlaceholder('Type a message...');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(field).toHaveAttribute('placeholder', 'Type a message...');
  await expect(send).toHaveAttribute('title', 'Send');

  await field.fill(' \n ');
  await field.press('Enter');
  await send.click({ force: true });
  await field.fill('x'.repeat(4000));
  const problem = page.getByRole('alert').filter({ hasText: /\S/ });
  await expect(page.getByText('4,000 / 4,000')).toBeVisible();
  await expect(problem).toHaveCount(0);
  await field.press('End');
  await page.keyboard.insertText('y');
  await expect(problem).toHaveText(
    'A message can have at most 4,000 characters. Please shorten yours.',
  );
  await field.press('Enter');
  await send.click({ force: true });
  await expect(field).toHaveValue(`${'x'.repeat(4000)}y`);

  await field.fill('two');
  await field.press('Shift+Enter');
  await page.keyboard.insertText('lines');
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await expect(field).toHaveValue('two\nlines');
  await field.press('Enter');
  await expect(field).toHaveValue('');
  await expect(findMessageText(page, 'two lines')).toBeVisible();
  await expect(async () => {
    const { messages } = await student.call('listMessages', { params: { classId }, query: {} });
    expect(messages.map(({ text }) => text)).toEqual(['two\nlines']);
  }).toPass();
});
