// /readyz while the pictures cannot be reached. A full disk and a frozen database have tests of their own.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startS3 } from '#tests/support/s3-server.ts';

async function ask(app: RunningApp, query = ''): Promise<[number, string]> {
  const response = await fetch(`${app.origin}/readyz${query}`);
  return [response.status, await response.text()];
}

test('a server without S3 is not ready, except for a proxy that asks about the chat [HTTP-11]', async () => {
  const s3 = await startS3();
  const app = await startApp(s3.settings);
  // Its answer of the last five seconds counts.
  async function waitForAnswer(status: number, text: string): Promise<void> {
    await expect.poll(() => ask(app), { timeout: 20_000, interval: 200 }).toEqual([status, text]);
  }
  try {
    await waitForAnswer(200, 'ready');
    await s3.stop();
    await waitForAnswer(503, 'not ready: pictures');
    expect(await ask(app, '?pictures=no')).toEqual([200, 'not ready: pictures']);
    // The chat works without it.
    const ada = await app.createStudent();
    await ada.post(await ada.createClass(), 'No pictures today');
    await s3.start();
    await waitForAnswer(200, 'ready');
    s3.freeze();
    await waitForAnswer(503, 'not ready: pictures');
    s3.thaw();
    await waitForAnswer(200, 'ready');
  } finally {
    await app.stop();
    await s3.drop();
  }
}, 90_000);

test('a server without its folder of pictures is not ready [HTTP-11]', async () => {
  const app = await startApp();
  const folder = join(app.database.settings.DATA_DIR, 'images');
  await expect.poll(() => ask(app)).toEqual([200, 'ready']);

  renameSync(folder, `${folder}-unmounted`);
  await expect
    .poll(() => ask(app), { timeout: 20_000 })
    .toEqual([503, 'not ready: disk, pictures']);

  renameSync(`${folder}-unmounted`, folder);
  await expect.poll(() => ask(app)).toEqual([200, 'ready']);

  await app.stop();
});
