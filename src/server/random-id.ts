import { randomFillSync } from 'node:crypto';

// One large read of random bytes is cheaper than many small ones.
const drawn = Buffer.alloc(4096);
let used = drawn.length;

/** A random URL-safe id: four characters for every three bytes, without time, order or origin. */
export function randomId(bytes = 12): string {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += bytes;
  return drawn.toString('base64url', used - bytes, used);
}
