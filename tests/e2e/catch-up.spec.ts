// A member comes back to a class with more than fifty unread messages.
import { ask } from '#tests/support/questions.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { findClassLink, findMessage, findNewMessagesLine, waitUntilListIsStill } from './room.ts';

test('the card is above the line of new messages, its lines jump, and Esc closes it before that line [CATCH-4, CATCH-5]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const socket = await ada.connectTo(classId);
  await socket.post(classId, 'old');
  const page = await windows.openWindowAs(ben);
  await page.goto('/home');
  await findClassLink(page, /^MATH 32/).click();
  await expect(findClassLink(page, /^CS 146/)).not.toContainText('unread');
  for (let n = 1; n <= 4; n++) await socket.post(classId, `new ${n}`);
  const question = 'Is the exam open book?';
  await ask(socket, classId, question);
  for (let n = 5; n <= 54; n++) await socket.post(classId, `new ${n}`);
  await expect(findClassLink(page, /^CS 146/)).toContainText('50+ unread');

  await findClassLink(page, /^CS 146/).click();
  const card = page.getByRole('region', { name: 'While you were away' });
  await expect(card.getByRole('listitem')).toHaveText([`${question}open`]);
  await waitUntilListIsStill(page);
  const { y, height } = (await card.boundingBox())!;
  expect(y + height).toBeLessThanOrEqual((await findNewMessagesLine(page).boundingBox())!.y);
  await expect(findMessage(page, 'new 1').first()).toBeInViewport();
  await expect(card.locator(':focus')).toHaveCount(0);
  await checkLooks(page, 'the card for a member who comes back');
  await card.getByRole('button', { name: question }).click();
  await expect(findMessage(page, question)).toBeFocused();
  await expect(findNewMessagesLine(page)).toHaveCount(1);
  await page.keyboard.press('Escape');

  await expect(card).toHaveCount(0);
  await expect(findNewMessagesLine(page)).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(findNewMessagesLine(page)).toHaveCount(0);
});
