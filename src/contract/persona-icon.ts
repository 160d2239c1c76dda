// The icons that a member can choose from in a class. Their seeds are the memberId and a number, so an
// icon reveals only which member it belongs to.
import { limits } from './limits.ts';

/** Returns the seed of the member's nth icon; 0 is the default. */
export function personaIcon(memberId: string, n: number): string {
  return n === 0 ? memberId : `${memberId}.${n}`;
}

export function isIconOf(memberId: string, icon: string): boolean {
  const n = icon === memberId ? 0 : Number(icon.slice(memberId.length + 1));
  return (
    Number.isInteger(n) && n >= 0 && n < limits.personaIcons && icon === personaIcon(memberId, n)
  );
}
