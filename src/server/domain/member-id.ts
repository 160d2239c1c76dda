import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Who an account is in a class: 16 characters that look random and that only the server's key leads
 * to. Nothing has to be stored for it, so no row can give away when it was made or for whom, and
 * without the class's salt nobody finds it again at all.
 */
export function memberIdOf(personaKey: KeyObject, classSalt: string, accountId: string): string {
  return createHmac('sha256', personaKey)
    .update(`${classSalt}\u0000${accountId}`)
    .digest('base64url')
    .slice(0, 16);
}
