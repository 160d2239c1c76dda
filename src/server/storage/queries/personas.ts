import type { Selectable } from 'kysely';
import type { Persona } from '#contract/entities.ts';
import type { Reader, Tables, Writer } from '../database.ts';

type PersonaRow = Selectable<Tables['personas']>;

export async function findPersonaByKey(db: Reader, memberKey: string): Promise<PersonaRow | null> {
  const row = await db
    .selectFrom('personas')
    .selectAll()
    .where('memberKey', '=', memberKey)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertPersona(db: Writer, row: PersonaRow): Promise<void> {
  await db.insertInto('personas').values(row).execute();
}

export async function markAppeared(db: Writer, classId: string, memberId: string): Promise<void> {
  await db
    .updateTable('personas')
    .set({ appeared: 1 })
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}

export async function listPersonas(
  db: Reader,
  classId: string,
  memberIds: readonly string[],
): Promise<Persona[]> {
  if (memberIds.length === 0) return [];
  const rows = await db
    .selectFrom('personas')
    .selectAll()
    .where('classId', '=', classId)
    .where('memberId', 'in', [...new Set(memberIds)])
    .orderBy('memberId')
    .execute();
  return rows.map(toPersona);
}

export function toPersona(row: PersonaRow): Persona {
  return { memberId: row.memberId, anonymousName: row.anonymousName, icon: row.icon };
}
