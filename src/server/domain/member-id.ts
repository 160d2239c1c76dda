import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Derives an account's id in a class: 16 random-looking characters that only the server key can link to the
 * account. No row stores the link, so none reveals when or for whom the id was made. Without the class's salt
 * it cannot be derived again.
 */
export function memberIdOf(personaKey: KeyObject, classSalt: string, accountId: string): string {
  return createHmac('sha256', personaKey)
    .update(`${classSalt}\u0000${accountId}`)
    .digest('base64url')
    .slice(0, 16);
}
