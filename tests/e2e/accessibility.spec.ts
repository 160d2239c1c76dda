import { checkScreens, violations } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { choose, loaded, photo, pictures, sendPicture, staged } from './picture-files.ts';
import { message } from './room.ts';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const options = { colorScheme, viewport };
    const look = `${colorScheme}, ${viewport.width} wide`;

    test(`axe finds no problem on the screens of signed-out visitors, ${look} [LAYOUT-5]`, async ({
      people,
    }) => {
      const out = await people.newWindow(options);
      for (const path of [
        '/signin',
        '/signup',
        '/privacy',
        '/reset-password?token=x',
        '/verify-email?token=x',
      ]) {
        await out.goto(path);
        await expect(out.getByRole('heading').first()).toBeVisible();
        expect(await violations(out), path).toEqual([]);
      }
      await out.goto('/signin');
      await out.getByRole('button', { name: 'Forgot Password?' }).click();
      await expect(out.getByRole('alert')).toBeVisible();
      expect(await violations(out), 'an error at sign-in').toEqual([]);
    });

    test(`axe finds no problem on any screen, ${look} [LAYOUT-5]`, async ({ people, site }) => {
      const student = await site.newStudent();
      const page = await people.newWindowOf(student, options);
      await expect(page.getByText('You are not enrolled in any classes.').first()).toBeVisible();
      expect(await violations(page), 'no classes').toEqual([]);

      const classId = await student.createClass();
      const socket = await student.connect();
      for (const text of ['Hello', 'See https://university.edu', 'שלום', 'x'.repeat(300)]) {
        await socket.post(classId, text);
      }
      await page.goto(`/home/${classId}`);
      await expect(page.getByText('שלום')).toBeVisible();
      expect(await violations(page), 'chat').toEqual([]);

      await checkScreens(page, student.email);
    });

    test(`axe finds no problem in the dialogs and menus of the screens, ${look} [LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const student = await site.newStudent();
      await student.createClass();
      const page = await people.newWindowOf(student, options);
      await page.goto('/create');
      await page.getByRole('combobox', { name: /days/i }).click();
      await expect(page.getByRole('listbox')).toBeVisible();
      expect(await violations(page), 'days').toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Create class' }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      expect(await violations(page), 'alert').toEqual([]);

      const other = await (await site.newStudent()).createClass({ courseNumber: '9' });
      await page.goto(`/home/${other}`);
      await expect(page.getByText('Would you like to join CS 9?')).toBeVisible();
      expect(await violations(page), 'join dialog').toEqual([]);
      await page.getByRole('button', { name: 'Cancel' }).click();

      await expect(page.getByRole('heading', { name: 'CS 146' })).toBeVisible();
      if (viewport.width < 768) await page.getByRole('button', { name: 'Class list' }).click();
      await expect(page.getByText('My Classes')).toBeVisible();
      expect(await violations(page), 'class list').toEqual([]);
      await page.getByRole('button', { name: 'Options for CS 146' }).click();
      await expect(page.getByRole('menu')).toBeVisible();
      expect(await violations(page), 'menu').toEqual([]);
    });

    test(`axe finds no problem in the dialogs and menus of a room, ${look} [LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const student = await site.newStudent();
      const classId = await student.createClass();
      const socket = await student.connect();
      await socket.post(classId, 'By me');
      const page = await people.newWindowOf(student, options);
      const neighbour = await site.newStudent();
      await neighbour.join(classId);
      const { id } = await neighbour.post(classId, 'By a neighbour');
      await expect(message(page, 'By a neighbour')).toBeVisible();
      for (const [rid, emoji] of (['❤️', '👍'] as const).entries()) {
        socket.send({ type: 'react', rid: 1000 + rid, classId, messageId: id, emoji });
      }
      await expect(message(page, 'By a neighbour').getByRole('list')).toHaveText('Thumbs up: 1');
      await page.getByRole('group', { name: 'Messages' }).focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowRight');
      await expect(page.getByRole('button', { name: 'Heart', exact: true })).toBeFocused();
      expect(await violations(page), 'reaction picker').toEqual([]);
      await page.keyboard.press('Home');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('menuitemcheckbox', { name: 'Thumbs up' })).toBeVisible();
      expect(await violations(page), 'message menu').toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Edit your message' }).fill(' ');
      await page.keyboard.press('Enter');
      await expect(page.getByText('Please write something first.')).toBeVisible();
      expect(await violations(page), 'editing').toEqual([]);
      await page.keyboard.press('Escape');
      await message(page, 'By me').click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      expect(await violations(page), 'question').toEqual([]);
    });

    test(`axe finds no problem in any part with pictures, ${look} [LAYOUT-5]`, async ({
      people,
      site,
    }) => {
      const student = await site.newStudent();
      const classId = await student.createClass();
      await sendPicture(student, classId, await photo(), { alt: 'A board' });
      await sendPicture(student, classId, await photo(), { text: 'No words for it' });
      const page = await people.newWindowOf(student, options);
      await loaded(pictures(page).last());
      expect(await violations(page), 'pictures in the room').toEqual([]);

      people.expectConsoleError('ERR_FAILED');
      await page.route('**/api/classes/*/images', () => undefined);
      await choose(page, await photo());
      await expect(staged(page).getByRole('progressbar')).toBeVisible();
      expect(await violations(page), 'uploading').toEqual([]);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(message(page, '').getByRole('progressbar')).toBeVisible();
      expect(await violations(page), 'sending').toEqual([]);
      await page.unroute('**/api/classes/*/images');
      await page.route('**/api/classes/*/images', (route) => route.abort());
      await choose(page, await photo());
      await expect(staged(page).getByRole('button', { name: 'Retry' })).toBeVisible();
      expect(await violations(page), 'not uploaded').toEqual([]);
      await staged(page).getByRole('button', { name: 'Remove picture' }).click();
      await expect(staged(page)).toHaveCount(0);

      // The list may still be moving, so a click could hit the previous target.
      await expect(async () => {
        await pictures(page).first().click();
        await expect(page.getByRole('dialog')).toBeVisible({ timeout: 2000 });
      }).toPass();
      await expect(page.getByRole('dialog')).toHaveAccessibleName(/^Picture 1 of/);
      await loaded(page.getByRole('dialog'));
      expect(await violations(page), 'overlay').toEqual([]);
    });
  }
}
