// The exact gauges of /metrics that ring an alert, each by what makes it ring.
import { mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renewalMs } from '#server/base/noisy-gauge.ts';
import { startFakeSmtp } from '#tests/support/fake-smtp.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { shortenIntervals } from '#tests/support/shorten-timers.ts';

shortenIntervals(renewalMs, 100);
const patience = { timeout: 60_000 };
let dir: string;
let app: RunningApp;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-failing-'));
});
afterEach(async () => {
  await app.stop();
  rmSync(dir, { recursive: true });
});

/** The value that the page serves for the part. */
async function readPart(part: string): Promise<number> {
  const page = await (await fetch(`${app.origin}/metrics`)).text();
  const gauge = new RegExp(`^backchannel_failing\\{part="${part}"\\} (\\d)$`, 'm');
  return Number(gauge.exec(page)?.[1]);
}

test('mail fails while the mail server is down or rejects the sender, also if no one causes a mail [METRIC-16]', async () => {
  let smtp = await startFakeSmtp();
  app = await startApp({ SMTP_URL: smtp.url });
  await expect.poll(() => readPart('mail'), patience).toBe(0);

  await smtp.stop();
  await expect.poll(() => readPart('mail'), patience).toBe(1);

  smtp = await startFakeSmtp(Number(new URL(smtp.url).port));
  await expect.poll(() => readPart('mail'), patience).toBe(0);

  smtp.answer('550 5.1.1 unknown user', 'MAIL');
  await app.visitor('ada').signUp();
  await expect.poll(() => readPart('mail'), patience).toBe(1);

  smtp.answer(null);
  await app.visitor('ben').signUp();
  await expect.poll(() => readPart('mail'), patience).toBe(0);
  await smtp.stop();
});

test('backup fails if there is none, or if the newest one is old, cut or gone [METRIC-16]', async () => {
  app = await startApp({});
  await expect.poll(() => readPart('backup'), patience).toBe(1);

  await app.restart(undefined, { BACKUP_DIR: dir });
  await expect.poll(() => readPart('backup'), patience).toBe(0);
  const [name = ''] = readdirSync(dir).filter((file) => file.endsWith('.sqlite'));
  const backup = join(dir, name);
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;

  utimesSync(backup, twoDaysAgo, twoDaysAgo);
  await expect.poll(() => readPart('backup'), patience).toBe(1);
  utimesSync(backup, Date.now() / 1000, Date.now() / 1000);
  await expect.poll(() => readPart('backup'), patience).toBe(0);

  renameSync(backup, `${backup}.elsewhere`);
  await expect.poll(() => readPart('backup'), patience).toBe(1);
  renameSync(`${backup}.elsewhere`, backup);
  await expect.poll(() => readPart('backup'), patience).toBe(0);

  truncateSync(backup, 40_000);
  await expect.poll(() => readPart('backup'), patience).toBe(1);
});
