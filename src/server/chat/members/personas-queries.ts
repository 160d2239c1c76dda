import type { Selectable } from 'kysely';
import type { Persona } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import {
  planLimitOnce,
  planOnce,
  prepareQuery,
  prepareListQuery,
} from '#server/store/prepare-query.ts';

export type PersonaRow = Selectable<Tables['personas']>;
type NewPersona = Omit<PersonaRow, 'nameKey' | 'staff' | 'unlinked'>;
type ShownRow = Pick<PersonaRow, 'memberId' | 'anonymousName' | 'icon' | 'staff'>;

/** The columns that others see. */
const shownColumns = ['memberId', 'anonymousName', 'icon', 'staff'] as const;

export function toPersona({ memberId, anonymousName, icon, staff }: ShownRow): Persona {
  const persona = { memberId, anonymousName, icon };
  return staff === 1 ? { ...persona, staff: true } : persona;
}

const selectPersona = prepareQuery((db, $: { classId: string; memberId: string }) =>
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

const insertRow = prepareQuery((db, $: NewPersona) =>
  db.insertInto('personas').values({
    classId: $.classId,
    memberId: $.memberId,
    anonymousName: $.anonymousName,
    icon: $.icon,
  }),
);

/** Inserts a persona with the default name, which members share. */
export async function insertPersona(db: DatabaseTransaction, row: NewPersona): Promise<void> {
  await insertRow(db, row);
}

/** Inserts the persona, or updates its name, name key and icon. */
export async function savePersona(
  db: DatabaseTransaction,
  classId: string,
  { memberId, anonymousName, icon, staff }: Persona,
  nameKey: string | null,
): Promise<void> {
  await db
    .insertInto('personas')
    .values({ classId, memberId, anonymousName, icon, nameKey, staff: staff ? 1 : 0 })
    .onConflict((conflict) =>
      conflict.columns(['classId', 'memberId']).doUpdateSet({ anonymousName, icon, nameKey }),
    )
    .execute();
}

/** Tells whether another member of the class has the name. Members who have left count, too. */
export async function isNameKeyTaken(
  db: Database,
  classId: string,
  nameKey: string,
  exceptMemberId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('personas')
    .select('memberId')
    .where('classId', '=', classId)
    .where('nameKey', '=', nameKey)
    .where('memberId', '!=', exceptMemberId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a member who is not staff has the name. */
export async function isNameKeyOfMember(
  db: Database,
  classId: string,
  nameKey: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('personas')
    .select('memberId')
    .where('classId', '=', classId)
    .where('nameKey', '=', nameKey)
    .where('staff', '=', 0)
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

const selectPersonasAfter = prepareQuery(
  (db, $: { classId: string; lastMemberId: string; limit: number }) =>
    db
      .selectFrom('personas')
      .select(shownColumns)
      .where('classId', '=', planOnce($.classId))
      .where('memberId', '>', planOnce($.lastMemberId))
      .orderBy('memberId')
      .limit(planLimitOnce($.limit)),
);

/**
 * Lists the next personas by memberId. Members who have left are included, because the list would otherwise reveal who left.
 *
 * @param lastMemberId '' for the first page
 */
export async function listPersonasAfter(
  db: Database,
  classId: string,
  lastMemberId: string,
  limit: number,
): Promise<Persona[]> {
  return (await selectPersonasAfter(db, { classId, lastMemberId, limit })).map(toPersona);
}

const selectPersonas = prepareListQuery((db, $: { classId: string }, memberIds: string[]) =>
  db
    .selectFrom('personas')
    .select(shownColumns)
    .where('classId', '=', planOnce($.classId))
    .where('memberId', 'in', memberIds)
    .orderBy('memberId'),
);

export async function listPersonas(
  db: Database,
  classId: string,
  memberIds: readonly string[],
): Promise<Persona[]> {
  return (await selectPersonas(db, { classId }, memberIds)).map(toPersona);
}

const selectIcons = prepareQuery((db, $: { classId: string; limit: number }) =>
  db
    .selectFrom('personas')
    .select('icon')
    .where('classId', '=', planOnce($.classId))
    .limit(planLimitOnce($.limit)),
);

export async function listIcons(db: Database, classId: string, limit: number): Promise<string[]> {
  return (await selectIcons(db, { classId, limit })).map(({ icon }) => icon);
}

const selectIconsOfAuthors = prepareQuery((db, $: { classId: string; limit: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select('memberId')
        .where('classId', '=', planOnce($.classId))
        .orderBy('seq', 'desc')
        .limit(planLimitOnce($.limit))
        .as('newest'),
    )
    .innerJoin('personas', 'personas.memberId', 'newest.memberId')
    .where('personas.classId', '=', planOnce($.classId))
    .select('icon')
    .distinct(),
);

/** Lists the icons of the authors of the newest messages of the class. */
export async function listIconsOfAuthors(
  db: Database,
  classId: string,
  messageCount: number,
): Promise<string[]> {
  const rows = await selectIconsOfAuthors(db, { classId, limit: messageCount });
  return rows.map(({ icon }) => icon);
}

/** The personas of several classes, sorted by memberId in each. */
export async function listPersonasOfClasses(
  db: Database,
  memberLists: readonly { classId: string; memberIds: readonly string[] }[],
): Promise<Map<string, Persona[]>> {
  const filledLists = memberLists.filter(({ memberIds }) => memberIds.length > 0);
  if (filledLists.length === 0) return new Map();
  const rows = await db
    .selectFrom('personas')
    .select(['classId', ...shownColumns])
    .where(({ or, and, eb }) =>
      or(
        filledLists.map(({ classId, memberIds }) =>
          and([eb('classId', '=', classId), eb('memberId', 'in', memberIds)]),
        ),
      ),
    )
    .orderBy('memberId')
    .execute();
  const byClass = Map.groupBy(rows, ({ classId }) => classId);
  return new Map(
    Array.from(byClass, ([classId, classRows]) => [classId, classRows.map(toPersona)]),
  );
}
