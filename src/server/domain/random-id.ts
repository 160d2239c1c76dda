import { randomBytes } from 'node:crypto';

/** 16 characters that carry no time, order or origin. */
export function randomId(): string {
  return randomBytes(12).toString('base64url');
}
