import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { findViolations } from './axe.ts';
import { expect, test } from './fixtures.ts';

const root = resolve(import.meta.dirname, '../..');

/** Starts `npm run dev`. `stop` ends it with its process group, because npm is the parent process. */
async function startDeveloping() {
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-dev-'));
  const port = await findFreePort();
  const child = spawn('npm', ['run', 'dev'], {
    cwd: root,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir },
  });
  let isOver = false;
  const exit = new Promise<void>((done) =>
    child.on('close', () => {
      isOver = true;
      done();
    }),
  );
  const origin = `http://localhost:${port}`;
  const isAnswering = (path: string) =>
    fetch(`${origin}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isAnswering('/api/me'))) {
    if (isOver) throw new Error('npm run dev has ended.');
    await sleep(100);
  }
  return {
    origin,
    async stop() {
      if (child.pid) process.kill(-child.pid, 'SIGTERM');
      await exit;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let dev: Awaited<ReturnType<typeof startDeveloping>>;
test.beforeAll(async () => {
  dev = await startDeveloping();
});
test.afterAll(() => dev.stop());

test('axe finds no problem in the page of primitives that npm run dev serves [DEV-1, THEME-6, THEME-12, LAYOUT-5]', async ({
  windows,
}) => {
  const page = await windows.openWindow({ baseURL: dev.origin });
  for (const [theme, look] of [
    ['default', 'light'],
    ['riverside', 'dark'],
  ] as const) {
    await page.goto(`/dev/ui?theme=${theme}&look=${look}`);
    // On the first start Vite has to bundle the page's dependencies.
    await expect(page.getByRole('heading', { name: 'Persona icons' })).toBeVisible({
      timeout: 60_000,
    });
    await expect(page.getByRole('img', { name: 'School logo' })).toBeVisible();
    await page.getByRole('button', { name: 'Notice with an action' }).click();
    await expect(page.getByText('CS 146 is deleted from your classes.')).toBeVisible();
    await page.getByRole('button', { name: 'Options' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    expect(await findViolations(page), `${theme}, ${look}`).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Question', exact: true }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  expect(await findViolations(page), 'a dialog').toEqual([]);
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible({ timeout: 60_000 });
});
