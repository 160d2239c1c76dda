import { expect, test } from './fixtures.ts';
import { openClassAlone, findMessageText } from './room.ts';

test('Enter sends a message, except with Shift or during input composition [SEND-1, SEND-4, SEND-6, CHAT-4]', async ({
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
