// The name under which a class sees a member. A member called 'Anonymous' has the name of the tile: its hue and shape.
import { defaultName } from './default-name.ts';
import type { Persona } from './entities.ts';
import { hashSeed, hueCount, toPersonaFigure } from './persona-figure.ts';

/** From 15° on, 30° apart. */
export const hueNames: readonly string[] =
  'Rose Orange Amber Olive Green Jade Teal Sky Blue Violet Purple Pink'.split(' ');

/** In the order of `personaShapes`. */
export const shapeNames: readonly string[] =
  'Disc Ring Fan Bowl Peak Square Diamond Cross Star Hexagon Pair Trio Moon Drop Leaf Steps Bars Roofs Towers Bow Hourglass Pie Dice Wave'.split(
    ' ',
  );

/** Returns the name of an icon's tile: 'Teal Moon'. */
export function toTileName(icon: string): string {
  const figure = toPersonaFigure(icon);
  return `${hueNames[figure % hueCount]} ${shapeNames[Math.floor(figure / hueCount)]}`;
}

/** Returns a letter and a digit. They depend on the memberId alone, so every member reads the same. */
export function toPersonaTag(memberId: string): string {
  // The rest of the hash says nothing about the look of a default icon.
  const value = Math.floor(hashSeed(memberId) / 4032);
  const letter = String.fromCharCode(65 + (value % 26));
  return `${letter}${2 + (Math.floor(value / 26) % 8)}`;
}

/** A persona that the browser does not know, or that others have not seen yet. */
export function createUnknownPersona(memberId: string): Persona {
  return { memberId, anonymousName: defaultName, icon: memberId };
}

export function isUnnamed({ anonymousName }: Pick<Persona, 'anonymousName'>): boolean {
  return anonymousName === defaultName;
}

/** Returns the name of a persona that stands alone, without a tag. */
export function toShownName(persona: Pick<Persona, 'anonymousName' | 'icon'>): string {
  return isUnnamed(persona) ? toTileName(persona.icon) : persona.anonymousName;
}

/** The known personas of a class by memberId. A deleted persona is missing. */
export type Personas = ReadonlyMap<string, Pick<Persona, 'memberId' | 'anonymousName' | 'icon'>>;

/** A map of personas is never changed, so its tags stay. */
const tagsOfPersonas = new WeakMap<Personas, ReadonlyMap<string, string>>();

/** Maps the members whose tile has the name of another one's to their tags, by memberId. */
export function findTags(personas: Personas): ReadonlyMap<string, string> {
  const knownTags = tagsOfPersonas.get(personas);
  if (knownTags) return knownTags;
  const tags = new Map<string, string>();
  const firstIds = new Map<string, string>();
  for (const persona of personas.values()) {
    if (!isUnnamed(persona)) continue;
    const { memberId } = persona;
    const name = toTileName(persona.icon);
    const firstId = firstIds.get(name);
    if (firstId === undefined) firstIds.set(name, memberId);
    else for (const id of [firstId, memberId]) tags.set(id, toPersonaTag(id));
  }
  tagsOfPersonas.set(personas, tags);
  return tags;
}

/** Returns the name of a persona in its class. A tag follows the name of a tile that others have, too: 'Teal Moon R7'. */
export function getShownName(personas: Personas, memberId: string): string {
  const name = toShownName(personas.get(memberId) ?? createUnknownPersona(memberId));
  const tag = findTags(personas).get(memberId);
  return tag ? `${name} ${tag}` : name;
}
