import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSessionCookie } from './cookies.ts';

const secret = 'a secret for this test alone, of 32 characters';
const token = 'N3wT0ken-with_32-characters';
const monthMs = 30 * 86_400_000;

/** What the browser sends back. */
const day = 20_500;
const toCookieHeader = (setCookie: string) => setCookie.split(';')[0]!;

test.each([
  {
    isHttps: true,
    name: '__Host-backchannel.session_token',
    attributes: 'Path=/; HttpOnly; Secure; SameSite=Lax',
  },
  {
    isHttps: false,
    name: 'backchannel.session_token',
    attributes: 'Path=/; HttpOnly; SameSite=Lax',
  },
])(
  'no script reads the session cookie, and it lasts as long as its session: https $isHttps [AUTH-21]',
  ({ isHttps, name, attributes }) => {
    const cookie = createSessionCookie(secret, isHttps);

    expect(cookie.write('', 0, 0)).toBe(`${name}=; Max-Age=0; ${attributes}`);
    const written = cookie.write(token, day, monthMs);
    expect(written.replace(/=[^;]+;/, '=…;')).toBe(`${name}=…; Max-Age=2592000; ${attributes}`);
    expect(cookie.read(`other=1; ${toCookieHeader(written)}; last=2`)).toEqual({ token, day });
    // Browsers that signed in with the version before keep their sessions.
    const signature = createHmac('sha256', secret).update(token).digest('base64');
    const earlier = `${name}=${encodeURIComponent(`${token}.${signature}`)}`;
    expect(cookie.read(earlier)).toEqual({ token });
  },
);

test('a session cookie that this server has not signed has no token', () => {
  const cookie = createSessionCookie(secret, true);
  const valid = toCookieHeader(cookie.write(token, day, monthMs));
  const other = toCookieHeader(createSessionCookie(`${secret}!`, true).write(token, day, monthMs));
  const signature = valid.slice(valid.lastIndexOf('.') + 1);
  const name = '__Host-backchannel.session_token';
  const forged = [
    other,
    valid.replace('__Host-', ''),
    valid.replace(token, `${token}x`),
    valid.replace('20500', '20501'),
    valid.slice(0, -8),
    `${name}=${token}`,
    `${name}=${token}.`,
    `${name}=.${signature}`,
    `${name}=`,
    `${name}=%E0%A4%A`,
    `${name}=.`,
  ];

  for (const header of [null, '', ...forged]) expect(cookie.read(header)).toBeNull();
});
