// The server is killed while digests leave.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listDigestsTo, verify } from '#tests/support/digest-mails.ts';
import { waitUntilMailsSent, open, turnOnDigest } from '#tests/support/digests.ts';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';

const patience = { timeout: 30_000, interval: 5 };
/** All digests are due since this time when the server starts. */
const twoHoursAgo = new Date(Date.now() - 150 * 60_000).toISOString().slice(11, 16);
const fiveHoursMs = 5 * 60 * 60_000;
/** The number of mails that the server sends in parallel. */
const concurrent = 5;

let smtp: FakeSmtp;
let app: RunningApp;
let server: ServerProcess | null = null;
beforeEach(async () => {
  smtp = await startFakeSmtp();
  app = await startApp({ SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'required' });
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  await app.database.drop();
  await smtp.stop();
});

async function start(): Promise<void> {
  server = startProcess('node', {
    ...app.database.settings,
    PORT: String(await findFreePort()),
    SMTP_URL: smtp.url,
    DIGEST_TIME: twoHoursAgo,
    TIME_ZONE: 'UTC',
  });
  await server.started();
}

async function kill(): Promise<void> {
  server?.child.kill('SIGKILL');
  await server?.ended;
}

test('no one gets a second digest after a crash [DIGEST-2, DIGEST-6]', async () => {
  const ada = await verify(smtp, app.visitor());
  const classId = await ada.createClass();
  const students: TestClient[] = [];
  for (let n = 0; n < concurrent + 3; n++) {
    const student = await turnOnDigest(await verify(smtp, app.visitor()));
    await student.join(classId);
    await open(student, classId);
    students.push(student);
  }
  await ada.post(classId, 'One');
  await waitUntilMailsSent(app);
  await app.close();
  await app.database.query(`update messages set "createdAt" = "createdAt" - ${fiveHoursMs}`);
  const countDigests = () => students.map((student) => listDigestsTo(smtp, student).length);
  const countAllDigests = () => countDigests().reduce((sum, count) => sum + count, 0);

  // The mail server replies nothing, so the outcome of these mails is unknown.
  const countBefore = smtp.offered();
  smtp.answer('');

  await start();

  await expect.poll(smtp.offered, patience).toBe(countBefore + concurrent);

  await kill();
  expect((await app.database.tables())['outgoingMails']).toHaveLength(students.length - concurrent);

  smtp.answer(null);
  await start();
  await expect.poll(countAllDigests, patience).toBeGreaterThan(0);

  await kill();
  await start();
  await waitUntilMailsSent(app);
  expect(await server?.stop()).toBe(0);
  expect(Math.max(...countDigests())).toBe(1);
  expect(countAllDigests()).toBeLessThanOrEqual(students.length - concurrent);
});
