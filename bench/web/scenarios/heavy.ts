// Rooms whose messages are written to be slow. The scenario compares the cost of five keys and ten turns of the wheel in
// such a room with the cost in a room of words of the same length.
import type { CDPSession, Page } from '@playwright/test';
import { toMentionToken } from '#contract/mentions.ts';
import { limits } from '#contract/limits.ts';
import {
  messageSelector,
  openProfile,
  openRoom,
  openTab,
  phoneSlowdown,
  type Tab,
} from '../chromium.ts';
import type { Run, Scenario } from '../scenario.ts';
import type { TextOf } from '../site.ts';

const messages = 110;
const keys = 5;
const turns = 10;
const wheelPixels = 300;

const maxLength = limits.messageText;
const fill = (unit: string, length = maxLength - 10) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const createFormula = (unit: string) => `$$${unit.repeat(Math.floor(970 / unit.length))}$$`;
const words = 'Is the second proof on the sheet meant to use induction, or is it enough? ';

/**
 * Two rooms of words, then the rooms that are compared with them: formulas with the short words, all other texts with the long
 * words.
 */
const rooms: Readonly<Record<string, TextOf>> = {
  shortWords: (n) => `${n} ${fill(words, 1950)}`,
  longWords: (n) => `${n} ${fill(words)}`,
  formulas: (n) =>
    `${createFormula(`x_${n % 10}^2+\\frac{a}{b}+`)}\n${createFormula(`\\sqrt{x_${n % 10}}+`)}`,
  manyFormulas: (n) => `${n} ${fill('$x_1^2$ and ', 1950)}`,
  emoji: (n) => `${n} ${fill('👩‍👩‍👧‍👦🎉🦉', maxLength - 30)}`,
  mentions: (n, members) =>
    `${n} ${fill(members.slice(0, 10).map(toMentionToken).join(' '))}`.slice(0, maxLength - 100),
  quotes: (n) => fill(`${'> '.repeat(10)}**q**${n}\n\n`, 2400),
  lists: (n) => fill(`- a\n  - b\n    - c${n}\n`, 2900),
  marks: (n) => `${n} ${fill('**a** _b_ `c` ', 1300)}${fill(words, 2600)}`,
  links: (n) => `${n} ${fill('https://a.example/b ')}`,
  tables: () => `|a|b|c|d|\n|-|-|-|-|\n${fill('|1|2|3|4|\n', 1200)}`,
  wideTables: () => `|${'a|'.repeat(300)}\n|${'-|'.repeat(300)}\n|${'1|'.repeat(300)}`,
  code: (n) => `\`\`\`python\n${fill(`f(${n}, "a", 1) + [2] # c\n`, maxLength - 30)}\n\`\`\``,
  codeInOneLine: (n) => `\`\`\`python\n${fill(`if (${n}, "a", 1): `, maxLength - 30)}\n\`\`\``,
  plainCodeInOneLine: (n) => `\`\`\`\n${fill(`if (${n}, "a", 1): `, maxLength - 30)}\n\`\`\``,
  combiningMarks: (n) => `${n} ${fill(`Z${'\u0300\u0301\u0302\u0316\u0317'.repeat(20)}`)}`,
  combiningMarksInCode: (n) =>
    `\`\`\`\n${n}${fill(`Z${'\u0300\u0301\u0302\u0316\u0317'.repeat(20)}`)}\n\`\`\``.slice(
      0,
      maxLength,
    ),
  emojiInCode: (n) => `\`\`\`\n${n}${fill('👩‍👩‍👧‍👦🎉🦉', maxLength - 31)}\n\`\`\``,
  oneWord: (n) => `${n} ${fill('x')}`,
  oneFormulaInLine: (n) => `$${'x_1+'.repeat(240)}${n}$`,
  deepFormulas: (n) =>
    Array(3)
      .fill(`$${'\\sqrt{1+'.repeat(30)}${n}${'}'.repeat(30)}$`)
      .join(' '),
  textFormulas: (n) => Array(45).fill(`$\\LaTeX\\TeX_${n}$`).join(' '),
};
const comparedRooms = Object.keys(rooms).filter((name) => !name.endsWith('Words'));

export const heavy: Scenario = {
  figures: [
    ...Object.keys(rooms).map((name) => ({
      key: `${name}Ms`,
      label: `${name}: 5 keys and 10 turns, ms`,
      digits: 0,
    })),
    ...comparedRooms.map((name) => ({
      key: name,
      label: `${name}: times as long as words`,
      aim: 2,
    })),
    ...Object.keys(rooms).map((name) => ({
      key: `${name}Open`,
      label: `${name}: to open the room, ms`,
      digits: 0,
    })),
    ...Object.keys(rooms).map((name) => ({
      key: `${name}Elements`,
      label: `${name}: elements of the list`,
      digits: 0,
    })),
  ],
  measure,
};

async function measure({ browser, startSite }: Run) {
  const site = await startSite({ messages, rooms: Object.values(rooms) });
  const figures: Record<string, number> = {};
  for (const [index, name] of Object.keys(rooms).entries()) {
    const context = await openProfile(browser, site);
    const tab = await openTab(context, phoneSlowdown);
    await tab.devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await openRoom(tab.page, site, site.classIds[index]!);
    await waitUntilIdle(tab.page);
    figures[`${name}Open`] = await measureMainThreadMs(tab.devTools);
    figures[`${name}Ms`] = await typeAndTurn(tab);
    figures[`${name}Elements`] = await tab.page.evaluate(
      (selector) => document.querySelectorAll(`${selector} *`).length,
      messageSelector,
    );
    await context.close();
  }
  for (const name of comparedRooms) {
    const isShort = name.toLowerCase().includes('formula');
    figures[name] = figures[`${name}Ms`]! / figures[isShort ? 'shortWordsMs' : 'longWordsMs']!;
  }
  return { figures, flags: [] };
}

/** The CPU time of the main thread until the page has handled all keys and turns of the wheel. */
async function typeAndTurn({ page, devTools }: Tab): Promise<number> {
  await page.getByRole('textbox', { name: /^Message to / }).focus();
  await page.locator(messageSelector).last().hover({ force: true });
  await waitUntilIdle(page);
  const busyBefore = await measureMainThreadMs(devTools);
  for (let n = 0; n < keys; n++) {
    await page.keyboard.press('a');
    await waitUntilPainted(page);
  }
  for (let n = 0; n < turns; n++) {
    await page.mouse.wheel(0, -wheelPixels);
    await waitUntilPainted(page);
  }
  await waitUntilIdle(page);
  return (await measureMainThreadMs(devTools)) - busyBefore;
}

/** The CPU time of the main thread, which other programs on the machine hardly change. */
async function measureMainThreadMs(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
}

async function waitUntilPainted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
  );
}

/** Waits until the page has painted five frames without being late. */
async function waitUntilIdle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    let quietFrames = 0;
    let previousTime = performance.now();
    while (quietFrames < 5) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      quietFrames = now - previousTime < 50 ? quietFrames + 1 : 0;
      previousTime = now;
    }
  });
}
