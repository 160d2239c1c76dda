import { randomFillSync } from 'node:crypto';

// Drawn ahead: the call costs more than the bytes.
const drawn = Buffer.alloc(4096);
let used = drawn.length;

/** Characters that carry no time, order or origin: four for each three bytes. */
export function randomId(bytes = 12): string {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += bytes;
  return drawn.toString('base64url', used - bytes, used);
}
