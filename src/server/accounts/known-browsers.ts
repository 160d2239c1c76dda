// Browsers that have signed in to an account before: what strangers try does not keep them out.
import { createHmac, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { parse } from 'hono/utils/cookie';

/**
 * A cookie with a fixed number of entries: a random id and its HMAC with a mailbox's key. The entries
 * that are not used are random bytes. Only the server can test an entry, and only against a mailbox that
 * it was asked about: the cookie tells nobody which account it is of, nor how many there are. Because it
 * says nothing, it stays after signing out, and no row is kept of it.
 */
export interface KnownBrowsers {
  /** The id of the browser's entry for this mailbox, or null. */
  find(cookieHeader: string | null, mailboxKey: string): string | null;
  /** A `Set-Cookie` value with an entry for this mailbox. The oldest entry gives way to a new one. */
  remember(cookieHeader: string | null, mailboxKey: string): string;
}

const maxEntries = 6; // AUTH-57
const idBytes = 8;
const macBytes = 12;
const entryBytes = idBytes + macBytes;
/** The longest that browsers keep a cookie. */
const maxAgeSeconds = 400 * 86_400;

export function createKnownBrowsers(https: boolean, key: KeyObject): KnownBrowsers {
  const name = https ? '__Host-backchannel.browser' : 'backchannel.browser';

  function macOf(id: Buffer, mailboxKey: string): Buffer {
    const whole = createHmac('sha256', key).update(id).update(mailboxKey).digest();
    return whole.subarray(0, macBytes);
  }

  /** Always as many: a browser without the cookie costs the same work, and looks the same later. */
  function entriesIn(cookieHeader: string | null): Buffer[] {
    const value = (cookieHeader && parse(cookieHeader, name)[name]) || '';
    const sent = Buffer.from(value, 'base64url');
    const size = maxEntries * entryBytes;
    const bytes = sent.length === size ? sent : randomBytes(size);
    return Array.from({ length: maxEntries }, (_, n) =>
      bytes.subarray(n * entryBytes, (n + 1) * entryBytes),
    );
  }

  function matching(entries: readonly Buffer[], mailboxKey: string): Buffer | undefined {
    const matches = entries.filter((entry) =>
      timingSafeEqual(entry.subarray(idBytes), macOf(entry.subarray(0, idBytes), mailboxKey)),
    );
    return matches[0];
  }

  return {
    find(cookieHeader, mailboxKey) {
      const entry = matching(entriesIn(cookieHeader), mailboxKey);
      return entry ? entry.toString('base64url', 0, idBytes) : null;
    },
    remember(cookieHeader, mailboxKey) {
      const entries = entriesIn(cookieHeader);
      if (!matching(entries, mailboxKey)) {
        const id = randomBytes(idBytes);
        entries.unshift(Buffer.concat([id, macOf(id, mailboxKey)]));
      }
      const value = Buffer.concat(entries.slice(0, maxEntries)).toString('base64url');
      const secure = https ? '; Secure' : '';
      return `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
    },
  };
}
