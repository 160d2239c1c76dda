import type { Selectable } from 'kysely';
import type { Persona } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';

export type PersonaRow = Selectable<Tables['personas']>;
type NewPersona = Omit<PersonaRow, 'nameKey'>;

const selectPersona = prepared((db, $: { classId: string; memberId: string }) =>
  db
    .selectFrom('personas')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('memberId', '=', $.memberId),
);

export async function findPersona(
  db: Database,
  classId: string,
  memberId: string,
): Promise<PersonaRow | null> {
  return (await selectPersona(db, { classId, memberId }))[0] ?? null;
}

const insertRow = prepared((db, $: NewPersona) =>
  db.insertInto('personas').values({
    classId: $.classId,
    memberId: $.memberId,
    anonymousName: $.anonymousName,
    icon: $.icon,
    readSeq: $.readSeq,
  }),
);

/** Inserts a persona with the default name, which members share. */
export async function insertPersona(db: DatabaseTransaction, row: NewPersona): Promise<void> {
  await insertRow(db, row);
}

/** Inserts the persona, or updates its name, name key and icon. */
export async function savePersona(db: DatabaseTransaction, row: PersonaRow): Promise<void> {
  const { anonymousName, icon, nameKey } = row;
  await db
    .insertInto('personas')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['classId', 'memberId']).doUpdateSet({ anonymousName, icon, nameKey }),
    )
    .execute();
}

/** Whether another member of the class has the name, including members who have left. */
export async function isNameKeyTaken(
  db: Database,
  classId: string,
  nameKey: string,
  except: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('personas')
    .select('memberId')
    .where('classId', '=', classId)
    .where('nameKey', '=', nameKey)
    .where('memberId', '!=', except)
    .executeTakeFirst();
  return row !== undefined;
}

/** The personas of all classes with a name other than the default. */
export async function listNamed(
  db: Database,
): Promise<Pick<PersonaRow, 'classId' | 'memberId' | 'anonymousName'>[]> {
  return db
    .selectFrom('personas')
    .select(['classId', 'memberId', 'anonymousName'])
    .where('nameKey', 'is not', null)
    .orderBy('classId')
    .orderBy('memberId')
    .execute();
}

export async function clearNameKeys(db: DatabaseTransaction): Promise<void> {
  await db.updateTable('personas').set({ nameKey: null }).execute();
}

export async function setNameKey(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
  nameKey: string,
): Promise<void> {
  await db
    .updateTable('personas')
    .set({ nameKey })
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}

/** Includes members who have left: otherwise the list would reveal who left. */
export async function listAllPersonas(db: Database, classId: string): Promise<Persona[]> {
  return db
    .selectFrom('personas')
    .select(['memberId', 'anonymousName', 'icon'])
    .where('classId', '=', classId)
    .orderBy('memberId')
    .execute();
}

const updateReadSeq = prepared((db, $: ReadMark) =>
  db
    .updateTable('personas')
    .set({ readSeq: $.readSeq })
    .where('classId', '=', $.classId)
    .where('memberId', '=', $.memberId)
    .where('readSeq', '<', $.readSeq),
);

export interface ReadMark {
  classId: string;
  memberId: string;
  readSeq: number;
}

/** Only moves forward, and only for existing personas: a new row would reveal when its member came. */
export async function updateReadSeqs(
  db: DatabaseTransaction,
  marks: readonly ReadMark[],
): Promise<void> {
  for (const mark of marks) await updateReadSeq(db, mark);
}

/** One prepared query per size. A shorter list is padded to the next size. */
const sizes = [1, 4, 16, 64];
const selectPersonas = sizes.map((size) =>
  prepared((db, $: { classId: string } & Record<string, string>) =>
    db
      .selectFrom('personas')
      .select(['memberId', 'anonymousName', 'icon'])
      .where('classId', '=', $.classId)
      .where(
        'memberId',
        'in',
        Array.from({ length: size }, (_, n) => $[`member${n}`] ?? ''),
      )
      .orderBy('memberId'),
  ),
);

export async function listPersonas(
  db: Database,
  classId: string,
  memberIds: readonly string[],
): Promise<Persona[]> {
  const personas: Persona[] = [];
  const members = [...new Set(memberIds)];
  for (let from = 0; from < members.length; from += 64) {
    const part = members.slice(from, from + 64);
    const fit = sizes.findIndex((size) => size >= part.length);
    const places = Array.from({ length: sizes[fit] ?? 0 }, (_, n) => part[n] ?? part[0] ?? '');
    const params = Object.fromEntries(places.map((member, n) => [`member${n}`, member]));
    personas.push(...((await selectPersonas[fit]?.(db, { classId, ...params })) ?? []));
  }
  return personas;
}
