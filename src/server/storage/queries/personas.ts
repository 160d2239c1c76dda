import type { Selectable } from 'kysely';
import type { Persona } from '#contract/entities.ts';
import type { Reader, Tables, Writer } from '../database.ts';
import { prepared } from '../prepared.ts';

type PersonaRow = Selectable<Tables['personas']>;

const selectPersona = prepared((db, $: { classId: string; memberId: string }) =>
  db
    .selectFrom('personas')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('memberId', '=', $.memberId),
);

export async function findPersona(
  db: Reader,
  classId: string,
  memberId: string,
): Promise<PersonaRow | null> {
  return (await selectPersona(db, { classId, memberId })).rows[0] ?? null;
}

export async function insertPersona(db: Writer, row: PersonaRow): Promise<void> {
  await db.insertInto('personas').values(row).execute();
}

/** Nothing is kept for who has not appeared yet: a row of theirs would tell when they came. */
export async function markRead(
  db: Writer,
  classId: string,
  memberId: string,
  readSeq: number,
): Promise<void> {
  await db
    .updateTable('personas')
    .set({ readSeq })
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .where('readSeq', '<', readSeq)
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
  return rows.map(({ memberId, anonymousName, icon }) => ({ memberId, anonymousName, icon }));
}
