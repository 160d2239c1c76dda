// All personas of a class, read page by page.
import type { Persona } from '#contract/entities.ts';
import { call } from '../api.ts';

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
