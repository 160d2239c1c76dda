// Reads better-auth's session cookie: the token, a dot, and the token's HMAC in base64.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { parse } from 'hono/utils/cookie';

export interface SessionCookie {
  /** Returns the token if the cookie exists and its signature is valid. */
  tokenIn(cookieHeader: string | null): string | null;
}

export function createSessionCookie(name: string, secret: string): SessionCookie {
  const key = createSecretKey(Buffer.from(secret));
  return {
    tokenIn(cookieHeader) {
      const value = cookieHeader ? parse(cookieHeader, name)[name] : undefined;
      const dot = value?.lastIndexOf('.') ?? -1;
      if (!value || dot < 1) return null;
      const token = value.slice(0, dot);
      const signature = Buffer.from(value.slice(dot + 1), 'base64');
      const expected = createHmac('sha256', key).update(token).digest();
      const ours = signature.length === expected.length && timingSafeEqual(signature, expected);
      return ours ? token : null;
    },
  };
}
