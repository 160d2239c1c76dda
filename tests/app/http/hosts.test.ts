import { request } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { password } from '#tests/support/test-client.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';

const apps: RunningApp[] = [];
async function serve(settings: Record<string, string>): Promise<RunningApp> {
  const app = await startApp(settings);
  apps.push(app);
  return app;
}
afterAll(async () => {
  for (const app of apps) await app.stop();
});

interface SentRequest {
  host: string;
  origin?: string;
  path?: string;
  cookie?: string;
  body?: object;
}

/** Sends a request with any Host header, which `fetch` would not allow. */
function ask(
  { origin: appOrigin }: RunningApp,
  { host, origin, path = '/api/me', cookie, body }: SentRequest,
) {
  return new Promise<{ status: number | undefined; cookies: string[] }>((resolve, reject) => {
    const headers = {
      host,
      'content-type': 'application/json',
      ...(origin && { origin }),
      ...(cookie && { cookie }),
    };
    request(`${appOrigin}${path}`, { method: body ? 'POST' : 'GET', headers }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, cookies: answer.headers['set-cookie'] ?? [] });
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

describe('if PUBLIC_URL is a name of this machine', () => {
  test('a local server accepts writes under its other local names and the schools’ names [CONF-3, HTTP-6, HTTP-7]', async () => {
    const app = await serve({ ALLOWED_HOSTS: 'riverside.example, lakeside.example' });
    const { port } = new URL(app.origin);

    for (const name of [
      'localhost',
      '127.0.0.1',
      '[::1]',
      'riverside.example',
      'lakeside.example',
    ]) {
      const host = `${name}:${port}`;
      expect((await ask(app, { host })).status, name).toBe(200);
      const email = `${name.replace(/\W/g, '')}@university.edu`;
      const write = { host, path: '/api/auth/sign-up/email', body: { email, password } };
      expect((await ask(app, { ...write, origin: `http://${host}` })).status, name).toBe(200);
      expect((await ask(app, { ...write, origin: `https://${host}` })).status, name).toBe(403);
    }

    for (const name of ['hillside.example', 'example', 'x.riverside.example', '10.0.0.7']) {
      expect((await ask(app, { host: `${name}:${port}` })).status, name).toBe(421);
    }
    expect((await ask(app, { host: 'riverside.example:1' })).status).toBe(421);
  });
});

describe('if PUBLIC_URL is a public site', () => {
  test('a public server uses only its public name and cookies for https [CONF-2, CONF-3, AUTH-21, AUTH-50]', async () => {
    const origin = 'https://chat.university.edu';
    const app = await serve({ PUBLIC_URL: origin });
    const host = 'chat.university.edu';
    const ada = app.visitor();
    const signUp = { host, origin, path: '/api/auth/sign-up/email' };

    const { status, cookies } = await ask(app, {
      ...signUp,
      body: { email: ada.email, password },
    });
    expect(status).toBe(200);
    expect(cookies.join()).toMatch(/; Secure/);
    expect(cookies.join()).toMatch(/; HttpOnly/);
    expect(cookies.join()).toMatch(/; SameSite=Lax/);
    expect(cookies.join()).toMatch(/^__Host-[^;]+;(?!.*Domain)(?=.*; Path=\/;)/);

    const path = '/api/auth/request-password-reset';
    await ask(app, { host, origin, path, body: { email: ada.email } });
    expect(await app.waitForNextMailTo(ada)).toContain(`${origin}/reset-password#token=`);

    const { port } = new URL(app.origin);
    expect((await ask(app, { host: `localhost:${port}` })).status).toBe(421);
    expect((await ask(app, { ...signUp, origin: app.origin, body: {} })).status).toBe(403);
  });

  test('each school’s host has its own cookie, which authorizes calls to that host [AUTH-21, CONF-3]', async () => {
    const publicUrl = 'https://chat.university.edu';
    const app = await serve({ PUBLIC_URL: publicUrl, ALLOWED_HOSTS: 'riverside.university.edu' });
    const student = app.visitor();
    const { email } = student;
    for (const [path, host] of [
      ['/api/auth/sign-up/email', 'chat.university.edu'],
      ['/api/auth/sign-in/email', 'riverside.university.edu'],
    ] as const) {
      const origin = `https://${host}`;
      const { cookies } = await ask(app, { host, origin, path, body: { email, password } });
      const cookie = cookies[0]!.split(';')[0]!;
      expect(cookie).toMatch(/^__Host-backchannel\.session_token=/);
      expect(cookies[0]).toMatch(/; Path=\/;.*; Secure/);
      expect(cookies[0]).not.toMatch(/Domain/i);
      expect((await ask(app, { host, path: '/api/classes', cookie })).status).toBe(200);
      expect((await ask(app, { host, path: '/api/me', cookie })).status).toBe(200);
      // A cookie under a name that any page of the domain could set is ignored.
      const plain = cookie.replace('__Host-', '');
      expect((await ask(app, { host, path: '/api/classes', cookie: plain })).status).toBe(401);
      // A link in a mail uses PUBLIC_URL, whichever host the request had.
      const reset = { host, origin, path: '/api/auth/request-password-reset', body: { email } };
      expect((await ask(app, reset)).status).toBe(200);
      expect(await app.waitForNextMailTo(student)).toContain(`${publicUrl}/reset-password#token=`);
    }
  });
});
