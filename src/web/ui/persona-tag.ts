import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { hashSeed } from '#contract/persona-figure.ts';
import { lookCount } from './persona-look.ts';

/** Returns a letter and a digit. They depend on the memberId alone, so every member reads the same. */
export function toPersonaTag(memberId: string): string {
  // The rest of the hash says nothing about the look of a default icon.
  const value = Math.floor(hashSeed(memberId) / lookCount);
  const letter = String.fromCharCode(65 + (value % 26));
  return `${letter}${2 + (Math.floor(value / 26) % 8)}`;
}

type Named = Pick<Persona, 'memberId' | 'anonymousName'>;

/** Maps the members called 'Anonymous' who stand next to another one to their tags, by memberId. PERSONA-31 */
export function findTags(personas: readonly (Named | undefined)[]): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const [index, persona] of personas.entries()) {
    const previous = personas[index - 1];
    if (!isUnnamed(previous) || !isUnnamed(persona) || previous.memberId === persona.memberId) {
      continue;
    }
    for (const { memberId } of [previous, persona]) tags.set(memberId, toPersonaTag(memberId));
  }
  return tags;
}

function isUnnamed(persona: Named | undefined): persona is Named {
  return persona?.anonymousName === defaultName;
}
