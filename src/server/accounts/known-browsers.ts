// Recognizes browsers that have signed in to an account before, so that failed attempts by strangers do
// not lock them out.
import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import { toCookieName, findCookie } from './cookies.ts';

/**
 * Writes and reads a cookie with a fixed number of entries. Each entry is a random id and its HMAC with a mailbox key. Unused
 * entries are random bytes. Only the server can test an entry, and only for a given mailbox, so the cookie reveals neither the
 * accounts nor their number. Therefore the cookie may survive sign-out. The server stores no row for it.
 */
export interface KnownBrowsers {
  /** Returns the id of the browser's entry for this mailbox, or null. */
  find(cookieHeader: string | null, mailboxKey: string): string | null;
  /**
   * Returns a `Set-Cookie` value with an entry for this mailbox. A new entry replaces the oldest one.
   */
  remember(cookieHeader: string | null, mailboxKey: string): string;
}

const maxEntries = 6; // AUTH-57
const idBytes = 8;
const macBytes = 12;
const entryBytes = idBytes + macBytes;
/** The maximum cookie age that browsers accept (400 days). */
const maxAgeSeconds = 400 * 86_400;

export function createKnownBrowsers(https: boolean, key: KeyObject): KnownBrowsers {
  const name = toCookieName('browser', https);

  function computeMac(id: Buffer, mailboxKey: string): Buffer {
    const mac = createHmac('sha256', key).update(id).update(mailboxKey).digest();
    return mac.subarray(0, macBytes);
  }

  /**
   * Always returns the same number of entries, so that requests with and without the cookie cost the same work.
   */
  function parseEntries(cookieHeader: string | null): Buffer[] {
    const value = Buffer.from(findCookie(cookieHeader, name) ?? '', 'base64url');
    const size = maxEntries * entryBytes;
    const bytes = value.length === size ? value : randomBytes(size);
    return Array.from({ length: maxEntries }, (_, n) =>
      bytes.subarray(n * entryBytes, (n + 1) * entryBytes),
    );
  }

  /** Compares all entries, so that the duration does not reveal which entry matches. */
  function findEntry(entries: readonly Buffer[], mailboxKey: string): Buffer | undefined {
    const matches = entries.filter((entry) =>
      timingSafeEqual(entry.subarray(idBytes), computeMac(entry.subarray(0, idBytes), mailboxKey)),
    );
    return matches[0];
  }

  return {
    find(cookieHeader, mailboxKey) {
      const entry = findEntry(parseEntries(cookieHeader), mailboxKey);
      return entry ? entry.toString('base64url', 0, idBytes) : null;
    },
    remember(cookieHeader, mailboxKey) {
      const entries = parseEntries(cookieHeader);
      if (!findEntry(entries, mailboxKey)) {
        const id = randomBytes(idBytes);
        entries.unshift(Buffer.concat([id, computeMac(id, mailboxKey)]));
      }
      const value = Buffer.concat(entries.slice(0, maxEntries)).toString('base64url');
      return stringifySetCookie({
        name,
        value,
        maxAge: maxAgeSeconds,
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: https,
      });
    },
  };
}
