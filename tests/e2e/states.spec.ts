import type { Page } from '@playwright/test';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, test } from './fixtures.ts';
import { deleteClass, findClassLink, findRoom } from './room.ts';

test('the app explains each state in which there is nothing to show [LAYOUT-8, LIST-1]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student);
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

  const classId = await student.createClass();
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  await page.routeWebSocket('**/live', async (socket) => {
    await gate;
    socket.connectToServer();
  });
  await page.goto(`/home/${classId}`);
  await expect(page.getByRole('status', { name: 'Loading messages' })).toBeVisible();
  open();
  await expect(page.getByText('No messages yet. Say hello, or share the class.')).toBeVisible();
});

test('a page that Chrome translates shows what changes, and breaks nowhere [LAYOUT-123]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const otherId = await ada.createClass({ courseNumber: '9', courseName: 'Translatology' });
  await ben.join(otherId);
  const socket = await ben.connectTo(classId);
  const { id } = await ben.post(classId, 'first **words** of mine');
  const page = await windows.openWindowAs(ada);
  await page.goto(`/home/${classId}`);
  await expect(findRoom(page).getByText('first words of mine')).toBeVisible();
  await translatePage(page);
  await expect(findRoom(page).getByText(/^FIRST WORDS OF MINE$/)).toBeVisible();

  await socket.request({ type: 'edit', classId, messageId: id, text: 'other **letters** of mine' });
  await expect(findRoom(page).getByText(/^OTHER LETTERS OF MINE \(EDITED\)$/)).toBeVisible();
  for (const unread of ['1 UNREAD MESSAGE', '2 UNREAD MESSAGES']) {
    await ben.post(otherId, unread);
    await expect(findClassLink(page, /^CS 9 /).getByText(unread, { exact: true })).toHaveCount(1);
  }

  await page.getByRole('link', { name: /^search$/i }).click();
  const box = page.getByRole('searchbox');
  for (const query of ['transl', 'translato', 'nothing like it', 'translatology']) {
    await box.fill(query);
    await box.press('Enter');
    const answer = query.includes(' ') ? `NO CLASS MATCHES “${query}”` : /1 CLASS FOUND/;
    await expect(page.getByRole('main')).toContainText(answer, { ignoreCase: true });
  }
  await page.getByRole('link', { name: /^home/i }).click();
  await deleteClass(page, 'CS 9');
  await expect(findClassLink(page, /^CS 9 /)).toHaveCount(0);
});

/** Replaces texts by `<font>` elements, also those that come later. */
async function translatePage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const translate = (root: Node) => {
      const texts: Text[] = [];
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node: Node | null = root; node; node = walker.nextNode()) {
        if (node instanceof Text && node.data.trim()) texts.push(node);
      }
      for (const text of texts) {
        if (text.parentElement?.closest('font, textarea, [translate="no"]')) continue;
        const font = document.createElement('font');
        font.appendChild(document.createElement('font')).textContent = text.data.toUpperCase();
        text.replaceWith(font);
      }
    };
    translate(document.body);
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) [target, ...addedNodes].forEach(translate);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}
