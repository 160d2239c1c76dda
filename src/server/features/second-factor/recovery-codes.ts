// Recovery codes, of which each replaces a passkey once. They have 80 random bits, so their hashes need no salt and no slow hash.
import { hash, randomBytes } from 'node:crypto';

const codeCount = 10; // FACTOR-6
/** Without letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export function createRecoveryCodes(): string[] {
  return Array.from({ length: codeCount }, () => {
    const characters = Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]);
    return characters.join('').replace(/.{4}(?=.)/g, '$&-');
  });
}

/** However the code is typed: in capitals, with spaces, or with letters that look like its digits. */
export function hashRecoveryCode(code: string): string {
  const characters = code.toLowerCase().replace(/[^a-z\d]/g, '');
  return hash('sha256', characters.replaceAll('o', '0').replaceAll(/[il]/g, '1'), 'base64url');
}
