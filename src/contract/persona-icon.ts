// The icons that a member may choose from in a class: the memberId alone seeds the first one, with a
// number after it the others. So an icon says nothing but whose it is there.
import { limits } from './limits.ts';

/** The seed of the member's nth icon; 0 is the one to start with. */
export function personaIcon(memberId: string, n: number): string {
  return n === 0 ? memberId : `${memberId}.${n}`;
}

export function isIconOf(memberId: string, icon: string): boolean {
  const n = icon === memberId ? 0 : Number(icon.slice(memberId.length + 1));
  return (
    Number.isInteger(n) && n >= 0 && n < limits.personaIcons && icon === personaIcon(memberId, n)
  );
}
