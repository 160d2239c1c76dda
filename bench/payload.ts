// The text of a measured message carries its number, so that a receiver finds it without parsing JSON.

/** Characters of each message. */
const textLength = 128;

const tilde = 126;
const digits = 8;
const markerLength = digits + 2;
const words = 'The quick brown fox jumps over the lazy dog and the sly cat sat on it, so. '.repeat(
  2,
);

/** The text of a message: `~00000042~` followed by plain words. */
export function createText(number: number): string {
  const marker = `~${String(number).padStart(digits, '0')}~`;
  return marker + words.slice(0, textLength - markerLength);
}

/** Calls `onNumber` with the number of each message between the positions `start` and `end`, which is excluded. */
export function visitMessageNumbers(
  bytes: Buffer,
  start: number,
  end: number,
  onNumber: (number: number) => void,
): void {
  let position = bytes.indexOf(tilde, start);
  while (position >= 0 && position < end) {
    const number = parseNumber(bytes, position);
    if (number >= 0) onNumber(number);
    position = bytes.indexOf(tilde, position + (number >= 0 ? markerLength : 1));
  }
}

/** @returns the number in the marker that begins at the position, or -1 if no marker begins there */
function parseNumber(bytes: Buffer, position: number): number {
  if (bytes[position + markerLength - 1] !== tilde) return -1;
  let number = 0;
  for (let i = position + 1; i <= position + digits; i++) {
    const digit = bytes[i]! - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}
