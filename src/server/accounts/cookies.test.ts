import { expect, test } from 'vitest';
import { createSessionCookie } from './cookies.ts';

const secret = 'a secret for this test alone, of 32 characters';
const token = 'N3wT0ken-with_32-characters';
const monthMs = 30 * 86_400_000;

/** What the browser sends back. */
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
  'no script reads the session cookie, and it lasts as long as its session: https $isHttps [AUTH-21, AUTH-49]',
  ({ isHttps, name, attributes }) => {
    const cookie = createSessionCookie(secret, isHttps);

    expect(cookie.write('', 0)).toBe(`${name}=; Max-Age=0; ${attributes}`);
    const written = cookie.write(token, monthMs);
    expect(written.replace(/=[^;]+;/, '=…;')).toBe(`${name}=…; Max-Age=2592000; ${attributes}`);
    expect(cookie.findToken(`other=1; ${toCookieHeader(written)}; last=2`)).toBe(token);
    // Browsers that signed in with the version before keep their sessions.
    expect(
      cookie.findToken(toCookieHeader(cookie.write('abcXYZ0123456789abcXYZ0123456789', monthMs))),
    ).toBe('abcXYZ0123456789abcXYZ0123456789');
  },
);

test('a session cookie that this server has not signed has no token', () => {
  const cookie = createSessionCookie(secret, true);
  const valid = toCookieHeader(cookie.write(token, monthMs));
  const other = toCookieHeader(createSessionCookie(`${secret}!`, true).write(token, monthMs));
  const signature = valid.slice(valid.lastIndexOf('.') + 1);
  const name = '__Host-backchannel.session_token';
  const forged = [
    other,
    valid.replace('__Host-', ''),
    valid.replace(token, `${token}x`),
    valid.slice(0, -8),
    `${name}=${token}`,
    `${name}=${token}.`,
    `${name}=.${signature}`,
    `${name}=`,
    `${name}=%E0%A4%A`,
    `${name}=.`,
  ];

  for (const header of [null, '', ...forged]) expect(cookie.findToken(header)).toBeNull();
});
