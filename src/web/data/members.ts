// The personas of a class.
import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import { isUnnamed, toPersonaTag, toTileName } from '#contract/persona-name.ts';
import { foldText } from '#contract/text-order.ts';
import { call } from '../api.ts';

/**
 * @returns whether a word of the persona's name begins with the query, regardless of case and accents. The tag is a word,
 *   also where it does not follow the name.
 */
export function isNameMatch(persona: Persona, query: string): boolean {
  const name = foldText(
    isUnnamed(persona)
      ? `${toTileName(persona.icon)} ${toPersonaTag(persona.memberId)} ${defaultName}`
      : persona.anonymousName,
  );
  const starts = [0, ...[...name.matchAll(/ /g)].map(({ index }) => index + 1)];
  return starts.some((start) => name.startsWith(foldText(query), start));
}

/** Reads all personas, page by page. */
export async function listMembers(classId: string): Promise<{ me: Persona; personas: Persona[] }> {
  const personas: Persona[] = [];
  let afterMemberId: string | undefined;
  for (;;) {
    const page = await call('listMembers', { params: { classId }, query: { afterMemberId } });
    personas.push(...page.personas);
    if (page.nextAfter === null) return { me: page.me, personas };
    afterMemberId = page.nextAfter;
  }
}
