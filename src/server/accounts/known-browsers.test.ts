import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKnownBrowsers } from './known-browsers.ts';

const key = (fill: number) => createSecretKey(Buffer.alloc(32, fill));
const browsers = createKnownBrowsers(true, key(1));
/** Returns the Cookie header that the browser sends after this response. */
const sent = (setCookie: string) => setCookie.split(';')[0]!;
const bytesOf = (cookie: string) => Buffer.from(cookie.split('=')[1]!, 'base64url');

function after(...mailboxes: string[]): string {
  return mailboxes.reduce<string>((cookie, one) => sent(browsers.remember(cookie, one)), '');
}

describe('the cookie of a known browser', () => {
  test('the cookie of a known browser is valid only for its mailbox and its server [AUTH-57]', () => {
    const cookie = after('ada');
    expect(browsers.find(cookie, 'ada')).toMatch(/^[\w-]{11}$/);
    expect(browsers.find(cookie, 'ben')).toBeNull();
    expect(browsers.find(null, 'ada')).toBeNull();
    expect(createKnownBrowsers(true, key(2)).find(cookie, 'ada')).toBeNull();
  });

  test('the cookie of a known browser is restricted to this host and https, and hidden from scripts [AUTH-57, AUTH-49]', () => {
    expect(browsers.remember(null, 'ada')).toMatch(
      /^__Host-backchannel\.browser=[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(createKnownBrowsers(false, key(1)).remember(null, 'ada')).not.toMatch(/__Host|Secure/);
  });

  test('the cookie of a known browser has the same length for one account and six, and shares no bytes with another browser’s [AUTH-57, ANON-2]', () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    const one = bytesOf(after('a'));
    const many = bytesOf(after(...six));
    const again = bytesOf(after(...six));
    expect(new Set([one.length, many.length, again.length])).toEqual(new Set([120]));
    const pieces = (bytes: Buffer) =>
      Array.from({ length: bytes.length - 3 }, (_, n) => bytes.toString('hex', n, n + 4));
    const all = [one, many, again].flatMap(pieces);
    // Two 32-bit pieces are equal by chance once in 60,000 runs.
    expect(new Set(all).size).toBe(all.length);
  });

  test('the cookie of a known browser remembers six accounts, and forgets the oldest one [AUTH-57]', () => {
    const cookie = after('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const known = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => browsers.find(cookie, one));
    expect(known.map(Boolean)).toEqual([false, true, true, true, true, true, true]);
  });

  test('the cookie of a known browser does not change if the browser is already known [AUTH-57]', () => {
    const cookie = after('a', 'b');
    expect(sent(browsers.remember(cookie, 'a'))).toBe(cookie);
  });

  test('the cookie of a known browser is invalid if it is truncated, changed or forged [AUTH-57]', () => {
    const cookie = after('ada');
    const name = cookie.split('=')[0]!;
    const flipped = bytesOf(cookie);
    flipped[9]! ^= 1;
    for (const wrong of [
      cookie.slice(0, -4),
      `${cookie}AAAA`,
      `${name}=`,
      `${name}=%00%ff`,
      `${name}=${flipped.toString('base64url')}`,
      `${name}=${Buffer.alloc(120).toString('base64url')}`,
    ]) {
      expect(browsers.find(wrong, 'ada'), wrong).toBeNull();
      expect(browsers.find(sent(browsers.remember(wrong, 'ada')), 'ada')).not.toBeNull();
    }
  });
});
