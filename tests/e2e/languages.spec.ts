// The way of a newcomer in languages of both directions: from the link of a class to a message and a report.
import { password } from '#tests/support/test-client.ts';
import { findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';

const german = {
  locale: 'de-AT',
  direction: 'ltr',
  createAccount: 'Konto erstellen',
  email: 'E-Mail-Adresse (muss auf @university.edu enden)',
  wrongEmail: 'Bitte nimm eine gültige E-Mail-Adresse mit @university.edu.',
  password: 'Passwort',
  signUp: 'Registrieren',
  joinClass: 'Kurs beitreten',
  join: 'Beitreten',
  start: /^Als .+ starten$/,
  composer: 'Nachricht an CS 146',
  messages: 'Nachrichten',
  more: 'Mehr',
  report: 'Melden',
  harassment: 'Belästigung',
  thanks: 'Danke für deine Meldung',
};

const arabic: typeof german = {
  locale: 'ar-EG',
  direction: 'rtl',
  createAccount: 'إنشاء حساب',
  email: 'البريد الإلكتروني (يجب أن ينتهي بـ \u2068@university.edu\u2069)',
  wrongEmail: 'يُرجى استخدام عنوان بريد إلكتروني صالح ينتهي بـ \u2068@university.edu\u2069.',
  password: 'كلمة المرور',
  signUp: 'إنشاء حساب',
  joinClass: 'الانضمام إلى الصف',
  join: 'انضمام',
  start: /^البدء باسم /,
  composer: 'رسالة إلى \u2068CS 146\u2069',
  messages: 'الرسائل',
  more: 'المزيد',
  report: 'إبلاغ',
  harassment: 'مضايقة',
  thanks: 'شكرًا على بلاغك',
};

for (const [name, texts] of Object.entries({ German: german, Arabic: arabic })) {
  test(`a newcomer signs up, joins, posts and reports in ${name} [LAYOUT-127, ERROR-1]`, async ({
    windows,
    site,
  }) => {
    const classmate = await site.createStudent();
    const classId = await classmate.createClass();
    await classmate.post(classId, 'Bad words');
    const page = await windows.openWindow({ locale: texts.locale });
    const press = (button: string | RegExp) =>
      page.getByRole('button', { name: button, exact: true }).click();

    await page.goto(`/home/${classId}`);
    await expect(page.locator('html')).toHaveCSS('direction', texts.direction);
    await page.getByRole('link', { name: texts.createAccount }).click();
    // The page before has the same fields.
    await expect(page.getByRole('button', { name: texts.signUp })).toBeVisible();
    await page.getByLabel(texts.email).fill('newcomer@gmail.com');
    await page.getByLabel(texts.password, { exact: true }).fill(password);
    await press(texts.signUp);
    await expect(page.getByRole('alert')).toHaveText(texts.wrongEmail);
    await page.getByLabel(texts.email).fill(`${texts.locale}@university.edu`);
    await press(texts.signUp);

    const offer = page.getByRole('dialog', { name: texts.joinClass });
    await offer.getByRole('button', { name: texts.join, exact: true }).click();
    await press(texts.start);
    await page.getByRole('textbox', { name: texts.composer }).fill('Which chapters?');
    await page.keyboard.press('Enter');
    const room = page.getByRole('group', { name: texts.messages });
    await expect(room.getByText('Which chapters?', { exact: true })).toBeVisible();
    expect(await findViolations(page)).toEqual([]);

    const message = room.getByRole('article').filter({ hasText: 'Bad words' });
    await message.hover();
    await message.getByRole('button', { name: texts.more }).click();
    await page.getByRole('menuitem', { name: texts.report, exact: true }).click();
    await page.getByLabel(texts.harassment).check();
    await press(texts.report);
    await expect(page.getByRole('dialog', { name: texts.thanks })).toBeVisible();
  });
}
