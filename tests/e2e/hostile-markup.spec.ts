// Messages whose markup is written to harm those who read them.
import { expect, test } from './fixtures.ts';
import { openClassAlone, findRoom, findMessageText, say } from './room.ts';

test('formulas that would freeze the browser are rejected, and nothing is wider than a phone [MARKUP-11, LAYOUT-7]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  await page.setViewportSize({ width: 320, height: 800 });
  const socket = await student.connectTo(classId);
  const repeatCommand = (command: string) => `${command.repeat(38)}x${'}'.repeat(38)}`;
  const newest = findRoom(page).getByRole('article').last();
  for (const [source, exceedsBudget] of [
    [repeatCommand('\\cancelto{1}{'), true],
    [repeatCommand('\\mathllap{'), false],
    [repeatCommand('\\equilibriumRight{'), true],
    [`${'\\tiny '.repeat(300)}x`, true],
  ] as const) {
    await socket.post(classId, `$$${source}$$`);
    if (exceedsBudget) await newest.getByRole('button', { name: 'Show formula' }).click();
    await expect(newest.getByText('This formula is too large.')).toBeVisible();
  }
  for (const text of [
    '$\\kern-9em\\kern-9em X$ $$\\raisebox{9em}{X}\\rule{9em}{9em}$$',
    `|${'a|'.repeat(60)}\n|${'-|'.repeat(60)}`,
    `999999999. long number\n\n**${'x'.repeat(300)}**`,
    `Z${'\u0300\u0301\u0302'.repeat(80)} ${'👩‍👩‍👧‍👦'.repeat(60)}`,
  ]) {
    await socket.post(classId, text);
  }
  await say(page, 'the last one');
  await expect(findMessageText(page, 'the last one')).toBeVisible();
  const measureOverflow = () =>
    page.evaluate(() => {
      const list = document.querySelector('[aria-label="Messages"]')!;
      return [document.documentElement.scrollWidth, list.scrollWidth - list.clientWidth];
    });
  expect(await measureOverflow()).toEqual([320, 0]);
});
