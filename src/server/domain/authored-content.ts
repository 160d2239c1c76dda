// Finds the classes in which an account has appeared. Only the server key can link an account to its
// personas, so this checks every class.
import type { KeyObject } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { everyClass, type ClassRow } from '../storage/queries/authored-content.ts';
import { findPersona, type PersonaRow } from '../storage/queries/personas.ts';
import { memberIdOf } from './member-id.ts';

export interface AuthoredContent {
  class: ClassRow;
  memberId: string;
  /** Null if the account has not appeared in the class. */
  persona: PersonaRow | null;
}

/** Every class, left and deleted ones included, with the account's persona in it. */
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
