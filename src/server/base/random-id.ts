import { hash, randomFillSync } from 'node:crypto';

// Random bytes come from a pool: one large read of random bytes is cheaper than many small ones.
const pool = Buffer.alloc(4096);
let offset = pool.length;

/** A random URL-safe id: four characters for every three bytes, without time, order or origin. */
export function createRandomId(bytes = 12): string {
  if (offset + bytes > pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += bytes;
  return pool.toString('base64url', offset - bytes, offset);
}

/** Hashes a token for the database. Tokens are random, so they need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
