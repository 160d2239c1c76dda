// The personas of a class.
import type { Persona } from '#contract/entities.ts';
import { foldText } from '#contract/text-order.ts';
import { call } from '../api.ts';

/** @returns whether a word of the persona's name begins with the query, regardless of case and accents */
export function isNameMatch({ anonymousName }: Persona, query: string): boolean {
  const name = foldText(anonymousName);
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
