// The four windows of a lecture in a real Chromium: two students, an assistant, and the computer of the hall.
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';

declare global {
  interface Window {
    /** The length of each task of the main thread that took 50 ms or more. */
    longTasks: number[];
    /** The value of each layout shift that no input caused, and what moved. */
    shifts: { value: number; moved: string }[];
  }
}

interface WindowOptions {
  width: number;
  height: number;
  /** The `Cookie` header; absent on the computer of the hall. */
  cookie?: string;
}

/** The number of votes for each question, by the number in its text. */
export type Numbers = Map<number, number>;

export class LectureWindow {
  readonly name: string;
  readonly page: Page;
  readonly consoleErrors: string[] = [];

  constructor(name: string, page: Page) {
    this.name = name;
    this.page = page;
    page.on('pageerror', (error) => this.consoleErrors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.consoleErrors.push(message.text());
    });
  }

  async takeScreenshot(folder: string | undefined, moment: string): Promise<void> {
    if (folder === undefined) return;
    await this.page.screenshot({ path: join(folder, `${this.name}-${moment}.png`) });
  }

  /** What has happened until now does not count: the page was loading. */
  async forgetLoading(): Promise<void> {
    await this.page.evaluate(() => {
      window.longTasks = [];
      window.shifts = [];
    });
  }

  async measure() {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send('HeapProfiler.enable');
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const { longTasks, shifts } = await this.page.evaluate(() => {
      return { longTasks: window.longTasks, shifts: window.shifts };
    });
    return {
      longTaskCount: longTasks.length,
      longestTaskMs: Math.max(0, ...longTasks),
      shiftScore: shifts.reduce((sum, { value }) => sum + value, 0),
      shifts: shifts.toSorted((a, b) => b.value - a.value).slice(0, 5),
      heapMib: usedSize / 2 ** 20,
      consoleErrors: this.consoleErrors,
    };
  }
}

export async function openWindow(
  browser: Browser,
  origin: string,
  name: string,
  { width, height, cookie }: WindowOptions,
): Promise<LectureWindow> {
  const isPhone = width < 768;
  const context = await browser.newContext({
    viewport: { width, height },
    ...(isPhone && { hasTouch: true, isMobile: true }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const [cookieName = '', value = ''] = cookie?.split(/=(.*)/s) ?? [];
  if (cookie !== undefined) await context.addCookies([{ name: cookieName, value, url: origin }]);
  await context.addInitScript(watchPage);
  return new LectureWindow(name, await context.newPage());
}

/** Runs inside the page. */
function watchPage(): void {
  window.longTasks = [];
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration);
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as LayoutShift[]) {
      if (entry.hadRecentInput) continue;
      const places = entry.sources.map(({ node }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return `${element?.className ?? ''} ${element?.textContent.slice(0, 40) ?? ''}`;
      });
      window.shifts.push({ value: entry.value, moved: places.join(' | ') });
    }
  }).observe({ type: 'layout-shift' });

  interface LayoutShift {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null }[];
  }
}

const findPanel = (page: Page) => page.getByRole('region', { name: /^Questions in/ });
const findQuestion = (page: Page, number: number) =>
  findPanel(page)
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`On slide ${number}:`) });

export async function openRoom(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('group', { name: 'Messages' }).getByRole('article').last().waitFor();
}

export async function openLecturePanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Questions/ }).click();
  await findPanel(page).getByRole('button', { name: 'Lecture' }).click();
}

/** @returns the presenter link */
export async function startLecture(page: Page): Promise<string> {
  await openLecturePanel(page);
  await findPanel(page).getByRole('button', { name: 'Start lecture' }).click();
  await findPanel(page).getByRole('button', { name: 'Copy presenter link' }).click();
  await page.getByText('Copied.').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

export async function askInWindow({ page }: LectureWindow, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Ask as a question', exact: true }).click();
  await page.getByRole('textbox', { name: /^Message/ }).fill(text);
  // On a phone, Enter begins a new line.
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

export async function pressVote(page: Page, number: number): Promise<void> {
  await findQuestion(page, number).getByRole('button', { name: /too/ }).click();
}

export async function pressDone(page: Page, number: number): Promise<void> {
  await findQuestion(page, number).getByRole('button', { name: 'Mark as done' }).click();
}

/** The numbers of the questions in the panel. */
export async function loadPanel(page: Page): Promise<Numbers> {
  const texts = await findPanel(page).getByRole('listitem').allInnerTexts();
  return new Map(texts.map(parseNumbers));
}

/** The numbers of the questions on the screen of the hall, one after the other. */
export async function loadHall(page: Page): Promise<Numbers> {
  const position = page.getByText(/^\d+ of \d+$/);
  await page.keyboard.press('Home');
  const count = Number((await position.innerText()).split(' of ')[1]);
  const numbers: Numbers = new Map();
  for (let n = 1; n <= count; n++) {
    await page.getByText(`${n} of ${count}`, { exact: true }).waitFor();
    const [key, votes] = parseNumbers(await page.getByRole('article').innerText());
    numbers.set(key, votes);
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Home');
  return numbers;
}

/** What stands in a poll that is closed. */
export async function loadPollText(page: Page, messageId: string): Promise<string> {
  await page.goto(`${page.url().split('?')[0]}?message=${messageId}`);
  const poll = page.locator(`[data-message="${messageId}"]`);
  await poll.getByText('Closed').waitFor();
  return poll.innerText();
}

function parseNumbers(text: string): [number, number] {
  const key = Number(/On slide (\d+):/.exec(text)?.[1]);
  const votes = /too · (\d+)/.exec(text) ?? /(\d+) (?:person has|people have) this/.exec(text);
  return [key, Number(votes?.[1] ?? 0)];
}
