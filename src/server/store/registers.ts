// What a class stores about accounts. A register is one encrypted map from account ids to values, for each class and kind. So no
// copy of the database without the server key tells which accounts a class has, and no row stands for one member.
import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { NotifyChoice } from '#contract/notifications.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import { openRecord, sealRecord } from '#server/base/seal.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { deriveRegisterKeys, type RegisterKeys } from '#server/base/server-keys.ts';
import { prepareQuery } from './prepare-query.ts';
import type { Database, DatabaseTransaction } from './tables.ts';

/** The value of one account, by the kind of the register. */
export interface RegisterValues {
  /** `joinedDay` is in days since 1970. `notify` is absent until the account chooses. */
  members: { joinedDay: number; notify?: NotifyChoice };
  /** The seq up to which the account has read. Every member has an entry, so that the size does not tell who has read. */
  readMarks: number | null;
  preferences: SavedPreferences;
  /** The staff name for each role. The class '' holds the roles for all classes. */
  staff: Partial<Record<'operator' | 'moderator' | 'staff', string>>;
}

export type RegisterKind = keyof RegisterValues;
export type Entries<Kind extends RegisterKind> = ReadonlyMap<string, RegisterValues[Kind]>;

/** Sizes in bytes that a register is padded to a multiple of. */
const steps: Record<RegisterKind, number> = {
  members: 1024,
  readMarks: 1024,
  preferences: 4096,
  staff: 1024,
};

/** The most entries of all opened registers that a process keeps: about 100 bytes each. */
const maxCachedEntries = 500_000;

const selectVersion = prepareQuery((db, $: { classId: string; kind: RegisterKind }) =>
  db
    .selectFrom('registers')
    .select('version')
    .where('classId', '=', $.classId)
    .where('kind', '=', $.kind),
);

const selectRegister = prepareQuery((db, $: { classId: string; kind: RegisterKind }) =>
  db
    .selectFrom('registers')
    .select(['version', 'content'])
    .where('classId', '=', $.classId)
    .where('kind', '=', $.kind),
);

/** The registers by the key of personas, so that all who have the key share what is opened. */
const registersByPersonaKey = new WeakMap<KeyObject, Registers>();

export function getRegisters(personaKey: KeyObject): Registers {
  let registers = registersByPersonaKey.get(personaKey);
  if (!registers) {
    registers = new Registers(deriveRegisterKeys(personaKey));
    registersByPersonaKey.set(personaKey, registers);
  }
  return registers;
}

const registersPerRead = 200;

/** The key of a register. */
export interface RegisterPlace {
  classId: string;
  kind: RegisterKind | '';
}

/** Lists at most `limit` registers, in order, after `lastPlace`. */
export async function listRegistersAfter(
  db: Database,
  { classId, kind }: RegisterPlace,
  limit: number,
): Promise<{ classId: string; kind: RegisterKind }[]> {
  const { rows } = await sql<{ classId: string; kind: RegisterKind }>`
    select "classId", kind from registers where ("classId", kind) > (${classId}, ${kind})
    order by "classId", kind limit ${limit}`.execute(db);
  return rows;
}

export class Registers {
  readonly #keys: RegisterKeys;
  /** Opened registers by version. A version is random and never returns, so a cached register is never outdated. */
  readonly #opened = new LRUCache<string, Map<string, unknown>>({
    maxSize: maxCachedEntries,
    sizeCalculation: ({ size }) => size + 1,
  });

  constructor(keys: RegisterKeys) {
    this.#keys = keys;
  }

  /**
   * Returns the entries by account id; none if the class has no register of this kind.
   *
   * @throws {Error} if the register cannot be opened
   */
  async read<Kind extends RegisterKind>(
    db: Database,
    kind: Kind,
    classId: string,
  ): Promise<Entries<Kind>> {
    const [row] = await selectVersion(db, { kind, classId });
    return this.get(db, kind, classId, row?.version ?? null);
  }

  /**
   * As `read`, for a caller that has read the version of the register in a query of its own.
   *
   * @param version null if the class has no register of this kind
   */
  async get<Kind extends RegisterKind>(
    db: Database,
    kind: Kind,
    classId: string,
    version: string | null,
  ): Promise<Entries<Kind>> {
    if (version === null) return new Map();
    const opened = this.#opened.get(version);
    if (opened) return opened as Entries<Kind>;
    const [row] = await selectRegister(db, { kind, classId });
    return row ? this.#openRow(kind, classId, row) : new Map();
  }

  /** Reads all registers of a kind, without keeping them in memory. */
  async *readAll<Kind extends RegisterKind>(
    db: Database,
    kind: Kind,
  ): AsyncGenerator<[classId: string, Entries<Kind>]> {
    for (let lastClassId = ''; ;) {
      const rows = await db
        .selectFrom('registers')
        .select(['classId', 'content'])
        .where('kind', '=', kind)
        .where('classId', '>', lastClassId)
        .orderBy('classId')
        .limit(registersPerRead)
        .execute();
      const last = rows.at(-1);
      if (!last) return;
      for (const { classId, content } of rows) {
        yield [classId, this.open(kind, classId, content)];
      }
      lastClassId = last.classId;
    }
  }

  /**
   * Changes the register within the transaction. Other transactions that change it wait for this one.
   *
   * @param change changes the entries, and returns false if there is nothing to write
   * @returns whether the register was written
   * @throws {Error} if the register cannot be opened
   */
  async change<Kind extends RegisterKind>(
    tx: DatabaseTransaction,
    kind: Kind,
    classId: string,
    change: (entries: Map<string, RegisterValues[Kind]>) => boolean,
  ): Promise<boolean> {
    const row = (await this.#lock(tx, kind, classId)) ?? (await this.#insert(tx, kind, classId));
    const entries = new Map(this.#openRow(kind, classId, row));
    if (!change(entries)) return false;
    const version = createRandomId();
    const content = this.seal(kind, classId, entries);
    const { numUpdatedRows } = await tx
      .updateTable('registers')
      .set({ version, content })
      .where('classId', '=', classId)
      .where('kind', '=', kind)
      .where('version', '=', row.version)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error('The register has changed since it was locked.');
    this.#opened.set(version, entries);
    return true;
  }

  /** Replaces the content of an existing register, which may be encrypted with another key. */
  async replace<Kind extends RegisterKind>(
    tx: DatabaseTransaction,
    kind: Kind,
    classId: string,
    entries: Entries<Kind>,
  ): Promise<void> {
    await tx
      .updateTable('registers')
      .set({ version: createRandomId(), content: this.seal(kind, classId, entries) })
      .where('classId', '=', classId)
      .where('kind', '=', kind)
      .execute();
  }

  /** Encrypts the entries as the content of a row. */
  seal<Kind extends RegisterKind>(kind: Kind, classId: string, entries: Entries<Kind>): Buffer {
    return sealRecord(this.#keys[kind], [...entries], {
      step: steps[kind],
      context: toContext(kind, classId),
    });
  }

  #openRow<Kind extends RegisterKind>(
    kind: Kind,
    classId: string,
    { version, content }: { version: string; content: Buffer },
  ): Map<string, RegisterValues[Kind]> {
    const opened = this.#opened.get(version);
    if (opened) return opened as Map<string, RegisterValues[Kind]>;
    const entries = this.open(kind, classId, content);
    this.#opened.set(version, entries);
    return entries;
  }

  /** @throws {Error} if the content cannot be opened */
  open<Kind extends RegisterKind>(
    kind: Kind,
    classId: string,
    content: Buffer,
  ): Map<string, RegisterValues[Kind]> {
    const list = openRecord(this.#keys[kind], content, toContext(kind, classId));
    return new Map(list as [string, RegisterValues[Kind]][]);
  }

  /** Inserts an empty register, unless another transaction has just inserted one, and locks it. */
  async #insert(tx: DatabaseTransaction, kind: RegisterKind, classId: string) {
    const content = this.seal(kind, classId, new Map());
    await tx
      .insertInto('registers')
      .values({ classId, kind, version: createRandomId(), content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const row = await this.#lock(tx, kind, classId);
    if (!row) throw new Error('The register was deleted while it was inserted.');
    return row;
  }

  async #lock(tx: DatabaseTransaction, kind: RegisterKind, classId: string) {
    // An update that changes nothing locks the row on both engines.
    return tx
      .updateTable('registers')
      .set({ version: sql.ref('version') })
      .where('classId', '=', classId)
      .where('kind', '=', kind)
      .returning(['version', 'content'])
      .executeTakeFirst();
  }
}

function toContext(kind: RegisterKind, classId: string): string {
  return `register ${kind} ${classId}`;
}
