// Two students and staff ask, vote, answer and endorse. The numbers of other people's votes arrive at random moments, so
// these tests look at the voter's own window.
import type { Locator, Page } from '@playwright/test';
import { grantStaffByCommand } from '#tests/support/roles.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { findComposer, findRoom, meet, openClassAlone, say } from './room.ts';

const findToggle = (page: Page) =>
  page.getByRole('button', { name: 'Ask as a question', exact: true, pressed: false });
const findOffer = (page: Page) =>
  page.getByRole('status').getByRole('button', { name: 'Ask as a question' });
const findVote = (place: Page | Locator) =>
  place.getByRole('button', { name: /^I have this question too, \d/ });
const findPanel = (page: Page) => page.getByRole('region', { name: 'Questions in CS 146' });

/** The message itself, and not a reply that quotes it or a question that it answers. */
const findMessage = (page: Page, text: string) =>
  findRoom(page).getByRole('article', { name: `: ${text}` });

async function openMenu(page: Page, text: string): Promise<void> {
  await findMessage(page, text).hover();
  await findMessage(page, text).getByRole('button', { name: 'More' }).click();
}

async function ask(page: Page, text: string): Promise<void> {
  await findComposer(page).fill(text);
  await findToggle(page).first().click();
  await findComposer(page).press('Enter');
  await expect(findMessage(page, text).getByText('Question · open')).toBeVisible();
}

async function choose(page: Page, text: string, label: string): Promise<void> {
  await openMenu(page, text);
  await page.getByRole('menuitem', { name: label }).click();
}

async function reply(page: Page, to: string, text: string): Promise<void> {
  await choose(page, to, 'Reply');
  await say(page, text);
  await expect(findMessage(page, text)).toBeVisible();
}

test('The button that asks leaves the focus in the field, so that no letter is lost [QUEST-50]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);

  await findToggle(page).click();
  await page.keyboard.type('Is this a question');

  await expect(findComposer(page)).toHaveValue('Is this a question');
  await expect(findComposer(page)).toHaveAttribute('placeholder', 'Ask a question…');
  await checkLooks(page, 'a question in the composer');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(findMessage(page, 'Is this a question')).toHaveAccessibleName(/, question: /);
  await expect(findComposer(page)).toHaveAttribute('placeholder', 'Type a message...');
});

test('a question mark offers to ask a question, without moving anything [QUEST-50, QUEST-52]', async ({
  windows,
  site,
}) => {
  const { benPage, adaPage } = await meet(windows, site);
  await say(benPage, 'Hello');
  await findComposer(benPage).fill('Is the exam open book');
  await expect(findOffer(benPage)).toHaveCount(0);
  const measure = async () => [
    await findComposer(benPage).boundingBox(),
    await findRoom(benPage).boundingBox(),
  ];
  const places = await measure();

  await findComposer(benPage).press('End');
  await benPage.keyboard.type('?');
  await expect(findOffer(benPage)).toBeVisible();
  expect(await measure()).toEqual(places);
  await checkLooks(benPage, 'the offer to ask a question');
  await findOffer(benPage).click();
  await expect(findComposer(benPage)).toBeFocused();
  await expect(findOffer(benPage)).toHaveCount(0);
  await expect(benPage.getByText('Your next message is a question.')).toBeVisible();
  const { x, y } = places[0]!;
  expect(await findComposer(benPage).boundingBox()).toMatchObject({ x, y });
  await benPage.reload();
  await expect(
    benPage.getByRole('button', { name: 'Ask as a question', pressed: true }),
  ).toBeVisible();
  await findComposer(benPage).press('Enter');

  await expect(
    findMessage(adaPage, 'Is the exam open book?').getByText('Question · open'),
  ).toBeVisible();
  await expect(findMessage(adaPage, 'Is the exam open book?')).toHaveAccessibleName(
    /^[A-Z][a-z]+ [A-Z][a-z]+( \w+)?, Anonymous.*, question: Is the exam open book\?$/,
  );
  await expect(findToggle(benPage)).toBeVisible();
});

test('students ask, vote and answer, and staff endorses [QUEST-53, QUEST-58, QUEST-59]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const lee = await site.createStudent();
  await lee.join(classId);
  await grantStaffByCommand(site.settings, { email: lee.email, classId }, 'Prof. Lee');
  const adaPage = await windows.openWindowAs(ada);
  const benPage = await windows.openWindowAs(ben);
  const leePage = await windows.openWindowAs(lee);
  const question = 'Is the midterm open book?';
  await ask(benPage, question);
  for (const page of [benPage, leePage]) {
    await expect(
      findMessage(page, question).getByRole('img', { name: '0 people have this question too' }),
    ).toBeVisible();
    await expect(findVote(findMessage(page, question))).toHaveCount(0);
  }

  const vote = findVote(findMessage(adaPage, question));
  await expect(vote).toHaveAttribute('aria-pressed', 'false');
  await vote.click();
  await expect(vote).toHaveAttribute('aria-pressed', 'true');
  await expect(vote).toHaveAccessibleName('I have this question too, 1');

  await reply(adaPage, question, 'Yes, one page of notes.');
  await openMenu(adaPage, 'Yes, one page of notes.');
  await expect(adaPage.getByRole('menuitem', { name: 'Mark as answer' })).toHaveCount(0);
  await adaPage.keyboard.press('Escape');
  await choose(benPage, 'Yes, one page of notes.', 'Mark as answer');
  const answer = findMessage(adaPage, question).getByRole('button', { name: /^Answer/ });
  await expect(answer).toHaveText(/Yes, one page of notes\.$/);
  await choose(leePage, 'Yes, one page of notes.', 'Endorse as staff');
  await expect(answer).toHaveAccessibleName(/^Answer, endorsed by staff/);
  await checkLooks(adaPage, 'an answered question');
  await answer.click();
  await expect(findMessage(adaPage, 'Yes, one page of notes.')).toBeFocused();

  await choose(benPage, question, 'Take back the answer mark');
  await expect(
    findMessage(adaPage, question).getByRole('button', { name: /^Endorsed by staff/ }),
  ).toBeVisible();
});

test('the panel of questions opens with Alt+Q, and earlier questions are offered while one is typed [QUEST-60, QUEST-62, QUEST-63]', async ({
  windows,
  site,
}) => {
  const { benPage, adaPage } = await meet(windows, site);
  await ask(benPage, 'Is the midterm open book?');
  await ask(benPage, 'What is a heap?');
  await reply(adaPage, 'What is a heap?', 'A tree with an order.');
  await choose(benPage, 'A tree with an order.', 'Mark as answer');
  const header = adaPage.getByRole('button', { name: 'Questions: 1 unanswered' });
  await expect(header).toBeVisible();

  await adaPage.keyboard.press('Alt+q');
  await expect(findPanel(adaPage)).toBeFocused();
  await expect(header).toHaveAttribute('aria-expanded', 'true');
  await adaPage.keyboard.press('ArrowDown');
  await expect(findPanel(adaPage).getByRole('link')).toBeFocused();
  await checkLooks(adaPage, 'the panel of questions');
  await adaPage.setViewportSize({ width: 1280, height: 240 });
  // Nothing of the panel stands below the window, where the focus could scroll the app to.
  expect(
    await adaPage.evaluate(() => {
      const frame = document.querySelector('#screens > div')!;
      return frame.scrollHeight - frame.clientHeight;
    }),
  ).toBe(0);
  await findVote(findPanel(adaPage)).click();
  await expect(findVote(findMessage(adaPage, 'Is the midterm open book?'))).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await findPanel(adaPage).getByRole('button', { name: 'Answered', exact: true }).click();
  await expect(findPanel(adaPage).getByRole('listitem')).toHaveText(
    /What is a heap\?.*A tree with/,
  );
  await adaPage.keyboard.press('Escape');
  await expect(findPanel(adaPage)).toHaveCount(0);
  await expect(findComposer(adaPage)).toBeFocused();

  await findComposer(adaPage).fill('Can somebody explain a heap?');
  await findOffer(adaPage).click();
  const earlier = adaPage.getByRole('region', { name: 'Questions that were asked before' });
  await expect(earlier.getByRole('button', { name: /What is a heap/ })).toHaveText(
    /A tree with an order\.$/,
  );
  await checkLooks(adaPage, 'earlier questions');
  await earlier.getByRole('button', { name: /What is a heap/ }).click();
  await expect(findMessage(adaPage, 'What is a heap?')).toBeFocused();
  await findComposer(adaPage).press('Escape');
  await expect(earlier).toHaveCount(0);
  await expect(findComposer(adaPage)).toHaveValue('Can somebody explain a heap?');
});
