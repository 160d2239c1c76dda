// Lighthouse judges three screens as a phone on a slow line sees them (its mobile settings).
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import lighthouse, { type Result } from 'lighthouse';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { findBrowser } from '../../../scripts/system-commands.ts';
import { expect, test } from '../fixtures.ts';
import { listCookies } from '../screens.ts';

/** The score of performance is printed only, because it is as much the machine's as the app's. */
const judgedCategories = ['accessibility', 'best-practices'] as const;
const categories = ['performance', ...judgedCategories] as const;
const minScore = 0.95;

test('Lighthouse gives the accessibility and practices of three screens at least 95 [DEV-3]', async ({
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const neighbor = await site.createStudent();
  await neighbor.join(classId);
  const socket = await neighbor.connect();
  for (let n = 0; n < 30; n++) await socket.post(classId, `Does anybody have question ${n}?`);
  socket.close();

  const folder = mkdtempSync(join(tmpdir(), 'backchannel-lighthouse-'));
  const port = await findFreePort();
  const browser = await startBrowser(folder, port);
  try {
    const problems = await judge(`${site.origin}/signin`, port);
    const connection = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    await connection.contexts()[0]!.addCookies(listCookies(student));
    await connection.close();
    for (const path of [`/home/${classId}`, '/search?q=data']) {
      problems.push(...(await judge(`${site.origin}${path}`, port)));
    }
    expect(problems).toEqual([]);
  } finally {
    browser.kill();
    await once(browser, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Starts Chromium without Playwright, which would also record what Lighthouse records. */
async function startBrowser(folder: string, port: number): Promise<ChildProcess> {
  const file = findBrowser();
  if (!file) throw new Error('No Chromium was found.');
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run'];
  const browser = spawn(file, [
    ...options,
    `--user-data-dir=${folder}`,
    `--remote-debugging-port=${port}`,
  ]);
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/json/version`)).ok;
  await expect.poll(() => isReady().catch(() => false)).toBe(true);
  return browser;
}

/** Prints all scores. @returns a line for each judged category with a low score, with what lowers it */
async function judge(url: string, port: number): Promise<string[]> {
  const result = await lighthouse(url, {
    port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: [...categories],
    // The session is a cookie.
    disableStorageReset: true,
  });
  if (!result) throw new Error('Lighthouse gave no result.');
  const { lhr } = result;
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
  expect(new URL(lhr.finalDisplayedUrl).pathname).toBe(new URL(url).pathname);
  for (const id of categories) console.log(describe(url, id, lhr));
  console.log(`The machine's benchmark index: ${Math.round(lhr.environment.benchmarkIndex)}`);
  return judgedCategories
    .filter((id) => (lhr.categories[id]?.score ?? 0) < minScore)
    .map((id) => describe(url, id, lhr));
}

function describe(url: string, id: (typeof categories)[number], lhr: Result): string {
  const { score, auditRefs } = lhr.categories[id]!;
  const lowering = auditRefs
    .filter(({ weight }) => weight > 0)
    .map((reference) => lhr.audits[reference.id]!)
    .filter((audit) => audit.score !== null && audit.score < 0.9)
    .map(({ title, displayValue }) => `${title} ${displayValue ?? ''}`.trim());
  return `${new URL(url).pathname}: ${id} ${Math.round((score ?? 0) * 100)} (${lowering.join('; ')})`;
}
