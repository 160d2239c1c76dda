// Reads the cookies of a request. better-auth sets the session cookie: the token, a dot, and the token's HMAC
// in base64.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';

/** Returns the value of the cookie, or null. */
export function readCookie(cookieHeader: string | null, name: string): string | null {
  return (cookieHeader && parseCookie(cookieHeader)[name]) || null;
}

export interface SessionCookie {
  /** Returns the token if the cookie exists and its signature is valid. */
  readToken(cookieHeader: string | null): string | null;
  /** Returns the `Set-Cookie` value of a new session, as better-auth writes it. */
  write(token: string, attributes: SessionCookieAttributes): string;
}

interface SessionCookieAttributes {
  maxAge?: number | undefined;
  path?: string | undefined;
  secure?: boolean | undefined;
}

/** Each call reads the session. Hono's `parseSigned` takes 40 µs for that, because it imports the key again. */
export function createSessionCookie(name: string, secret: string): SessionCookie {
  const key = createSecretKey(Buffer.from(secret));
  const signatureOf = (token: string) => createHmac('sha256', key).update(token).digest();
  return {
    readToken(cookieHeader) {
      const value = readCookie(cookieHeader, name);
      const dot = value?.lastIndexOf('.') ?? -1;
      if (!value || dot < 1) return null;
      const token = value.slice(0, dot);
      const signature = Buffer.from(value.slice(dot + 1), 'base64');
      const expected = signatureOf(token);
      const isValid = signature.length === expected.length && timingSafeEqual(signature, expected);
      return isValid ? token : null;
    },
    write(token, { maxAge, path = '/', secure = false }) {
      const value = `${token}.${signatureOf(token).toString('base64')}`;
      return stringifySetCookie(
        {
          name,
          value,
          path,
          secure,
          httpOnly: true,
          sameSite: 'lax',
          ...(maxAge === undefined ? {} : { maxAge }),
        },
        // As better-auth encodes it: the signature has `+`, `/` and `=`.
        { encode: encodeURIComponent },
      );
    },
  };
}
