// Messages full of markup: how long a slow computer needs to show a room of them, and how long the worst text takes
// to parse on this machine.
import type { Page } from '@playwright/test';
import { parseMarkup } from '#web/markup/parse-markup.ts';
import { messageSelector, openProfile, openRoom, openTab, phoneSlowdown } from '../chromium.ts';
import { watchSwitches } from '../page-probes.ts';
import { computePercentile } from '../../percentiles.ts';
import type { Run, Scenario } from '../scenario.ts';

const messageCount = 60;
const maxText = 4000;
const fuzzMs = 10_000;

export const markup: Scenario = {
  figures: [
    { key: 'firstMs', label: 'room of 50 heavy messages, first time, ms', digits: 0 },
    { key: 'againMs', label: 'the same room again: p50, ms', digits: 0 },
    { key: 'plainMs', label: 'room of plain messages: p50, ms', digits: 0 },
    { key: 'parseMs', label: 'slowest text of 4,000 characters to parse, ms', aim: 5 },
  ],
  measure,
};

const heavyTexts = [
  `# Exercise\n${'- **Prove** that `f(x)` is _injective_, see https://a.example/x?y=1\n'.repeat(8)}`,
  `\`\`\`python\n${'def area(radius): return 3.14 * radius ** 2  # "comment"\n'.repeat(20)}\`\`\``,
  `| a | b | c |\n|---|:-:|--:|\n${'| $x^2$ | **bold** | `code` |\n'.repeat(10)}`,
  `$$\\begin{pmatrix} ${'\\frac{a}{b} & \\sqrt{x_1} & \\sum_{i=0}^n i \\\\ '.repeat(6)} \\end{pmatrix}$$`,
  `> ${'quoted *text* with ~~marks~~ and $e^{i\\pi}$ '.repeat(10)}\nand an answer`,
];

async function measure({ browser, startSite }: Run) {
  const site = await startSite({
    messages: messageCount + 50,
    createText: (n) => `${heavyTexts[n % heavyTexts.length]}\n${n}`,
  });
  const { page } = await openTab(await openProfile(browser, site), phoneSlowdown);
  const [heavyRoom = '', plainRoom = '', otherRoom = ''] = site.classIds;
  await openRoom(page, site, plainRoom);
  await page.evaluate(watchSwitches, messageSelector);
  await switchTo(page, otherRoom);
  const firstMs = await switchTo(page, heavyRoom);
  const markupTimes: number[] = [];
  const plainTimes: number[] = [];
  for (let n = 0; n < 10; n++) {
    plainTimes.push(await switchTo(page, plainRoom));
    markupTimes.push(await switchTo(page, heavyRoom));
  }
  const figures = {
    firstMs,
    againMs: computePercentile(markupTimes, 0.5),
    plainMs: computePercentile(plainTimes, 0.5),
    measureParseMs: measureSlowestParseMs(),
  };
  return { figures, flags: [] };
}

async function switchTo(page: Page, classId: string): Promise<number> {
  const countBefore = await page.evaluate(() => window.switchTimes.length);
  await page.locator(`a[href="/home/${classId}"]`).first().click();
  await page.waitForFunction((count) => window.switchTimes.length > count, countBefore);
  return page.evaluate(() => window.switchTimes.at(-1) ?? NaN);
}

const pieces =
  '* ** *a a** _ ~~ ` `` ``` $ $$ \\ [ ] ( ) ]( [a]( ![ < > | |-| # - 1. + a b c 1 . : @ " \' \n \n\n http:// www. a@b.c &amp; é 字'
    .split(' ')
    .concat(' ', '  ', '> ', '- ', '# ', '1. ', '\t', 'https://a.b/');

/** Repeats a few pieces up to the longest text, because repetitions make a parser slow. */
function measureSlowestParseMs(): number {
  for (let n = 0; n < 200; n++) parseMarkup(`${n} ${heavyTexts[n % heavyTexts.length]}`);
  const repeat = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const pick = () => pieces[Math.floor(Math.random() * pieces.length)] ?? '';
  const createUnit = () => Array.from({ length: 1 + Math.random() * 4 }, pick).join('');
  const texts = pieces.map((piece) => repeat(piece, maxText));
  const endsAt = performance.now() + fuzzMs;
  let slowestMs = 0;
  while (texts.length > 0 || performance.now() < endsAt) {
    const halves = repeat(createUnit(), maxText / 2) + repeat(createUnit(), maxText / 2);
    slowestMs = Math.max(slowestMs, measureParseMs(texts.pop() ?? halves));
  }
  return slowestMs;
}

const runs = 10;

/** The CPU time of one run, from several runs, because the clock of a thread is too coarse for one. */
function measureParseMs(text: string): number {
  const usageBefore = process.threadCpuUsage();
  for (let n = 0; n < runs; n++) parseMarkup(text);
  const { user, system } = process.threadCpuUsage(usageBefore);
  return (user + system) / 1000 / runs;
}
