import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKnownBrowsers } from './known-browsers.ts';

const createKey = (fill: number) => createSecretKey(Buffer.alloc(32, fill));
const browsers = createKnownBrowsers(true, createKey(1));
/** Returns the Cookie header that the browser sends after this response. */
const toCookieHeader = (setCookie: string) => setCookie.split(';')[0]!;
const decodeCookie = (cookie: string) => Buffer.from(cookie.split('=')[1]!, 'base64url');

function rememberMailboxes(...mailboxes: string[]): string {
  return mailboxes.reduce<string>(
    (cookie, mailbox) => toCookieHeader(browsers.remember(cookie, mailbox)),
    '',
  );
}

describe('the cookie of a known browser', () => {
  test('the cookie of a known browser is valid only for its mailbox and its server [AUTH-57]', () => {
    const cookie = rememberMailboxes('ada');
    expect(browsers.find(cookie, 'ada')).toMatch(/^[\w-]{11}$/);
    expect(browsers.find(cookie, 'ben')).toBeNull();
    expect(browsers.find(null, 'ada')).toBeNull();
    expect(createKnownBrowsers(true, createKey(2)).find(cookie, 'ada')).toBeNull();
  });

  test('the cookie of a known browser is restricted to this host and https, and hidden from scripts [AUTH-57, AUTH-21]', () => {
    expect(browsers.remember(null, 'ada')).toMatch(
      /^__Host-backchannel\.browser=[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(createKnownBrowsers(false, createKey(1)).remember(null, 'ada')).not.toMatch(
      /__Host|Secure/,
    );
  });

  test('the cookie of a known browser has the same length for one account and six, and shares no bytes with another browser’s [AUTH-57, ANON-1]', () => {
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    const singleMailbox = decodeCookie(rememberMailboxes('a'));
    const sixMailboxes = decodeCookie(rememberMailboxes(...six));
    const sixMailboxesAgain = decodeCookie(rememberMailboxes(...six));
    expect(new Set([singleMailbox.length, sixMailboxes.length, sixMailboxesAgain.length])).toEqual(
      new Set([120]),
    );
    const listPieces = (bytes: Buffer) =>
      Array.from({ length: bytes.length - 3 }, (_, n) => bytes.toString('hex', n, n + 4));
    const all = [singleMailbox, sixMailboxes, sixMailboxesAgain].flatMap(listPieces);
    // Two 32-bit pieces are equal by chance once in 60,000 runs.
    expect(new Set(all).size).toBe(all.length);
  });

  test('the cookie of a known browser remembers six accounts, and forgets the oldest one [AUTH-57]', () => {
    const cookie = rememberMailboxes('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const browserIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((mailbox) =>
      browsers.find(cookie, mailbox),
    );
    expect(browserIds.map(Boolean)).toEqual([false, true, true, true, true, true, true]);
  });

  test('the cookie of a known browser does not change if the browser is already known [AUTH-57]', () => {
    const cookie = rememberMailboxes('a', 'b');
    expect(toCookieHeader(browsers.remember(cookie, 'a'))).toBe(cookie);
  });

  test('the cookie of a known browser is invalid if it is truncated, changed or forged [AUTH-57]', () => {
    const cookie = rememberMailboxes('ada');
    const name = cookie.split('=')[0]!;
    const flipped = decodeCookie(cookie);
    flipped[9]! ^= 1;
    for (const wrongCookie of [
      cookie.slice(0, -4),
      `${cookie}AAAA`,
      `${name}=`,
      `${name}=%00%ff`,
      `${name}=${flipped.toString('base64url')}`,
      `${name}=${Buffer.alloc(120).toString('base64url')}`,
    ]) {
      expect(browsers.find(wrongCookie, 'ada'), wrongCookie).toBeNull();
      expect(
        browsers.find(toCookieHeader(browsers.remember(wrongCookie, 'ada')), 'ada'),
      ).not.toBeNull();
    }
  });
});
