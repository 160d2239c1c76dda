import { afterEach, expect, test } from 'vitest';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

let app: RunningApp;
afterEach(() => app.stop());
const load = (path: string) => fetch(`${app.origin}${path}`, { redirect: 'manual' });

test('programs find what they look for at a fixed place [HTTP-58]', async () => {
  app = await startApp({ SUPPORT_CONTACT: 'help@university.edu' });

  const robots = await (await load('/robots.txt')).text();
  expect(robots).toContain('Allow: /report\n');
  expect(robots).toContain('Disallow: /\n');
  const change = await load('/.well-known/change-password');
  expect([change.status, change.headers.get('location')]).toEqual([302, '/profile']);
  const security = await (await load('/.well-known/security.txt')).text();
  const [contact, expires] = security.split('\n');
  expect(contact).toBe('Contact: mailto:help@university.edu');
  expect(Date.parse(expires!.slice('Expires: '.length))).toBeGreaterThan(Date.now());
});

test('without a contact there is no security.txt [HTTP-58]', async () => {
  app = await startApp();

  expect((await load('/.well-known/security.txt')).status).toBe(404);
});
