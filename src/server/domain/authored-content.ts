// Where an account has appeared. Only the server's key leads there, so each class is asked in turn.
import type { KeyObject } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { everyClass, type ClassRow } from '../storage/queries/authored-content.ts';
import { findPersona, type PersonaRow } from '../storage/queries/personas.ts';
import { memberIdOf } from './member-id.ts';

export interface AuthoredContent {
  class: ClassRow;
  memberId: string;
  /** Null where nobody has seen the account. */
  persona: PersonaRow | null;
}

/** Every class of the school, also what was left or deleted, with who the account is there. */
export async function* listAuthoredContent(
  db: Database,
  personaKey: KeyObject,
  accountId: string,
): AsyncGenerator<AuthoredContent> {
  for await (const row of everyClass(db)) {
    const memberId = memberIdOf(personaKey, row.salt, accountId);
    yield { class: row, memberId, persona: await findPersona(db, row.classId, memberId) };
  }
}
