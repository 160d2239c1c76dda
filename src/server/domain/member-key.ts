import { createHmac } from 'node:crypto';

/**
 * The only way from an account to its persona in a class. It needs the server's key, so the
 * database alone cannot be turned around; without the class's salt nobody can go it at all.
 */
export function memberKey(personaKey: Buffer, classSalt: string, accountId: string): string {
  return createHmac('sha256', personaKey)
    .update(`${classSalt}\u0000${accountId}`)
    .digest('base64url');
}
