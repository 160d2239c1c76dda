// The two pages of the app: for browsers with and without a session cookie.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const webDir = mkdtempSync(join(tmpdir(), 'backchannel-pages-'));
let app: RunningApp;
beforeAll(async () => {
  writeFileSync(join(webDir, 'index.html'), 'page of visitors');
  writeFileSync(join(webDir, 'signed-in.html'), 'page of members');
  app = await startApp({}, undefined, webDir);
});
afterAll(async () => {
  await app.stop();
  rmSync(webDir, { recursive: true });
});

test('all members get the same page, which only their browsers store [ROUTE-14]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass();

  for (const path of [
    '/',
    '/home',
    `/home/${classId}`,
    '/signin',
    '/index.html',
    '/signed-in.html',
  ]) {
    for (const student of [ada, ben]) {
      const page = await student.fetch(path);
      expect(await page.text()).toBe('page of members');
      expect(page.headers.get('cache-control')).toBe('private, no-cache');
      expect(page.headers.get('vary')).toBe('cookie');
      expect(page.headers.getSetCookie()).toEqual([]);
    }
  }
});

test('a browser without a session cookie of this server gets the page of visitors [ROUTE-14]', async () => {
  const student = await app.createStudent();
  const member = await student.fetch('/home');
  const signature = student.cookie().replace(/[^.;]{8}(?=;|$)/, 'AAAAAAAA');
  for (const cookie of ['', 'backchannel.session_token=x', signature]) {
    const headers = { cookie, 'if-none-match': member.headers.get('etag') ?? '' };
    const page = await fetch(`${app.origin}/home`, { headers });
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('page of visitors');
  }
});
