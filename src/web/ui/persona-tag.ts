import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { hashSeed, toPersonaFigure } from '#contract/persona-figure.ts';
import { lookCount } from './persona-look.ts';

/** Returns a letter and a digit. They depend on the memberId alone, so every member reads the same. */
export function toPersonaTag(memberId: string): string {
  // The rest of the hash says nothing about the look of a default icon.
  const value = Math.floor(hashSeed(memberId) / lookCount);
  const letter = String.fromCharCode(65 + (value % 26));
  return `${letter}${2 + (Math.floor(value / 26) % 8)}`;
}

type Named = Pick<Persona, 'memberId' | 'anonymousName' | 'icon'>;

/**
 * Maps the members called 'Anonymous' who stand next to another one (PERSONA-31), or whose icon has the shape and hue of
 * another one's (PERSONA-34), to their tags, by memberId.
 */
export function findTags(personas: readonly (Named | undefined)[]): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  const addTags = (first: Named | undefined, second: Named) => {
    if (!isUnnamed(first) || first.memberId === second.memberId) return;
    for (const { memberId } of [first, second]) tags.set(memberId, toPersonaTag(memberId));
  };
  const seenIds = new Set<string>();
  const lastByFigure = new Map<number, Named>();
  for (const [index, persona] of personas.entries()) {
    if (!isUnnamed(persona)) continue;
    addTags(personas[index - 1], persona);
    if (seenIds.has(persona.memberId)) continue;
    seenIds.add(persona.memberId);
    const figure = toPersonaFigure(persona.icon);
    addTags(lastByFigure.get(figure), persona);
    lastByFigure.set(figure, persona);
  }
  return tags;
}

function isUnnamed(persona: Named | undefined): persona is Named {
  return persona?.anonymousName === defaultName;
}
