// Cookies and links whose content only this server can read, and that expire. The database has nothing of them.
import type { KeyObject } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { seal, unseal } from '#server/base/seal.ts';
import { findCookie, toCookieName } from './cookies.ts';

export class SealedCookies {
  readonly #key: KeyObject;
  readonly #isHttps: boolean;

  constructor(key: KeyObject, publicUrl: URL) {
    this.#key = key;
    this.#isHttps = publicUrl.protocol === 'https:';
  }

  /** Binds the value to its purpose, so that no cookie or link is accepted in the place of another. */
  seal(purpose: string, value: unknown, maxAgeMs: number): string {
    const text = JSON.stringify({ value, expiresAt: Date.now() + maxAgeMs });
    // The length must not show what kind of value it is.
    return seal(this.#key, text, { context: purpose, padTo: 128 });
  }

  /** @returns null if it was sealed for another purpose, or has expired */
  open<Value>(purpose: string, sealed: string | null | undefined): Value | null {
    try {
      const { value, expiresAt } = JSON.parse(unseal(this.#key, sealed ?? '', purpose)) as {
        value: Value;
        expiresAt: number;
      };
      return expiresAt > Date.now() ? value : null;
    } catch {
      return null;
    }
  }

  /**
   * @param maxAgeMs 0 removes the cookie
   * @param sameSite 'none' if a page of another site sends the cookie
   * @returns a `Set-Cookie` value
   */
  write(name: string, value: unknown, maxAgeMs: number, sameSite: 'strict' | 'none' = 'strict') {
    return stringifySetCookie({
      name: toCookieName(name, this.#isHttps),
      value: maxAgeMs === 0 ? '' : this.seal(name, value, maxAgeMs),
      maxAge: maxAgeMs / 1000,
      path: '/',
      httpOnly: true,
      secure: this.#isHttps || sameSite === 'none',
      sameSite,
    });
  }

  /** The names of the browser's cookies that begin with this prefix, the newest last. */
  listNames(prefix: string, headers: Headers): string[] {
    const start = toCookieName(prefix, this.#isHttps);
    return Object.keys(parseCookie(headers.get('cookie') ?? ''))
      .filter((name) => name.startsWith(start))
      .map((name) => prefix + name.slice(start.length));
  }

  read<Value>(name: string, headers: Headers): Value | null {
    return this.open(name, findCookie(headers.get('cookie'), toCookieName(name, this.#isHttps)));
  }
}
