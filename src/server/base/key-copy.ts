// The server key as people write it down: groups of four characters, and a checksum that finds a mistyped one.
import { createHash } from 'node:crypto';
import { StartupError } from './startup-failure.ts';

const writtenKey = /^(?:\S{4}\s+)+\S{1,4}\s+[0-9a-f]{6}$/;

/** Formats the key as `readWrittenKey` reads it. */
export function writeKeyDown(key: string): string {
  // A key from a setting can contain spaces, which the groups would hide.
  if (/\s/.test(key)) return key;
  return `${key.match(/.{1,4}/g)?.join(' ')} ${computeChecksum(key)}`;
}

/**
 * @param text the key itself, or the key as `writeKeyDown` formats it
 * @throws {StartupError} if the checksum does not belong to the groups
 */
export function readWrittenKey(text: string): string {
  const trimmedText = text.trim();
  if (!writtenKey.test(trimmedText)) return trimmedText;
  const compactText = trimmedText.replaceAll(/\s/g, '');
  const key = compactText.slice(0, -6);
  if (computeChecksum(key) === compactText.slice(-6)) return key;
  throw new StartupError(
    'the server key is mistyped: its checksum, the last group, does not belong to the others. Compare it with the copy, also capital letters, 0 and O, 1, l and I.',
  );
}

function computeChecksum(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 6);
}
