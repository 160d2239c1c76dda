// What a class stores about accounts. A register is one encrypted map from account ids to values, for each class and kind. So no
// copy of the database without the server key tells which accounts a class has, and no row stands for one member.
import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { PreparedItem } from '#contract/lectures.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import { openRecord, sealRecord, tryToOpen } from '#server/base/seal.ts';
import { createRecentMap } from '#server/base/recent-map.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { deriveRegisterKeys, type RegisterKeys } from '#server/base/server-keys.ts';
import { prepareQuery } from './prepare-query.ts';
import { shuffleNeighbors } from './shuffle-neighbors.ts';
import type { Database, DatabaseTransaction, Tables } from './tables.ts';

/** The value of one account, by the kind of the register. */
export interface RegisterValues {
  /** `joinedDay` is in days since 1970. `notify` is absent until the account chooses. */
  members: { joinedDay: number; notify?: NotifyChoice };
  /** The seq up to which the account has read, in text of one length: see chat/members/read-marks.ts. */
  readMarks: string;
  preferences: SavedPreferences;
  /** What staff prepared for lectures. */
  prepared: readonly PreparedItem[];
  /** One register, of the class '', has the roles in all classes. */
  staff: readonly (StoredRole | ProposedRole)[];
  /** One register, of the class '', has the second factors of all accounts. */
  factors: StoredFactor;
}

export interface StoredFactor {
  passkeys: readonly StoredPasskey[];
  /** Hashes of the recovery codes that were not used. */
  codeHashes: readonly string[];
}

export interface StoredPasskey {
  passkeyId: string;
  /** What its owner calls it. */
  name: string;
  /** In days since 1970. */
  addedDay: number;
  /** By which its authenticator knows it. */
  credentialId: string;
  /** In base64url, as COSE. */
  publicKey: string;
  /** Of signatures. Authenticators that do not count have 0. */
  counter: number;
}

export interface StoredRole {
  /** Null for an operator, whose role is for all classes. */
  classId: string | null;
  role: 'operator' | 'moderator' | 'staff';
  /** The name under which the account's actions appear in the audit log, or under which it speaks as staff. */
  staffName: string;
  /** The list of `grant-roles` that granted it, and may take it back. Absent if an operator did. */
  list?: string | undefined;
}

/** A request to be staff, which gives no right: see features/lti. */
export interface ProposedRole {
  classId: string;
  role: 'proposed';
  staffName: string;
  /** The course that the confirmation links to the class. */
  course: { platformId: string; deploymentId: string; contextId: string };
  /** What the platform calls the course, for those who confirm. */
  courseTitle: string;
  /** It waits for no one, but its account can read that it was rejected. */
  isRejected?: boolean;
}

/** The class of the registers of roles and of second factors. */
export const allClasses = '';

export type RegisterKind = keyof RegisterValues;
export type RegisterRow = Tables['registers'];
export type Entries<Kind extends RegisterKind> = ReadonlyMap<string, RegisterValues[Kind]>;

/** Sizes in bytes that a register is padded to a multiple of. */
const steps: Record<RegisterKind, number> = {
  members: 1024,
  readMarks: 1024,
  preferences: 4096,
  prepared: 4096,
  staff: 4096,
  factors: 4096,
};

/** The contents of all opened registers that a process keeps. In memory, they take about twice as much. */
const maxCachedBytes = 64 * 1024 * 1024;
const maxRecentVersions = 20_000;

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

export class Registers {
  readonly #keys: RegisterKeys;
  /** Opened registers by their place and version. A version is random and never returns, so a cached register is never outdated. */
  readonly #opened = new LRUCache<string, Map<string, unknown>>({
    maxSize: maxCachedBytes,
  });

  /** The versions that this process read last, for `readRecent`. */
  readonly #recentVersions = createRecentMap<string>(maxRecentVersions);

  constructor(keys: RegisterKeys) {
    this.#keys = keys;
  }

  /**
   * Returns the entries by account id; none if the class has no register of this kind.
   *
   * @throws {DamagedRecordError} if the register cannot be opened
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
    this.#recentVersions.set(`${kind} ${classId}`, version);
    const opened = this.#opened.get(toCacheKey(kind, classId, version));
    if (opened) return opened as Entries<Kind>;
    const [row] = await selectRegister(db, { kind, classId });
    return row ? this.#openRow(kind, classId, row) : new Map();
  }

  /** As `read`, but as this process read it last, for what is checked again later: it takes no query. */
  async readRecent<Kind extends RegisterKind>(
    db: Database,
    kind: Kind,
    classId: string,
  ): Promise<Entries<Kind>> {
    const version = this.#recentVersions.get(`${kind} ${classId}`) ?? '';
    const opened = this.#opened.get(toCacheKey(kind, classId, version));
    return opened ? (opened as Entries<Kind>) : this.read(db, kind, classId);
  }

  /** Makes the next `readRecent` read the register again. */
  forgetRecent(kind: RegisterKind, classId: string): void {
    this.#recentVersions.delete(`${kind} ${classId}`);
  }

  /** Reads all registers of a kind, without keeping them in memory. The entries of one that cannot be opened are null. */
  async *readAll<Kind extends RegisterKind>(
    db: Database,
    kind: Kind,
  ): AsyncGenerator<[classId: string, Entries<Kind> | null]> {
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
        yield [classId, tryToOpen(() => this.open(kind, classId, content))];
      }
      lastClassId = last.classId;
    }
  }

  /**
   * Changes the register within the transaction. Other transactions that change it wait for this one.
   *
   * @param change changes the entries, and returns false if there is nothing to write
   * @returns whether the register was written
   * @throws {DamagedRecordError} if the register cannot be opened
   */
  async change<Kind extends RegisterKind>(
    tx: DatabaseTransaction,
    kind: Kind,
    classId: string,
    change: (entries: Map<string, RegisterValues[Kind]>) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const row = (await this.#lock(tx, kind, classId)) ?? (await this.#insert(tx, kind, classId));
    const entries = new Map(this.#openRow(kind, classId, row));
    if (!(await change(entries))) return false;
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
    if (content.length !== row.content.length) {
      await shuffleNeighbors(tx, 'registers', { classId, kind });
    }
    this.#opened.set(toCacheKey(kind, classId, version), entries, { size: content.length });
    return true;
  }

  /** Encrypts the content of a row again, unless the row has changed or its content cannot be opened. */
  async reseal(tx: DatabaseTransaction, row: RegisterRow): Promise<void> {
    const entries = tryToOpen(() => this.open(row.kind, row.classId, row.content));
    if (entries) await this.replace(tx, row, entries);
  }

  /** Replaces the content of the row, which may be encrypted with another key, unless the row has changed. */
  async replace(
    tx: DatabaseTransaction,
    { classId, kind, version }: RegisterRow,
    entries: Entries<RegisterKind>,
  ): Promise<void> {
    await tx
      .updateTable('registers')
      .set({ version: createRandomId(), content: this.seal(kind, classId, entries) })
      .where('classId', '=', classId)
      .where('kind', '=', kind)
      .where('version', '=', version)
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
    const key = toCacheKey(kind, classId, version);
    const opened = this.#opened.get(key);
    if (opened) return opened as Map<string, RegisterValues[Kind]>;
    const entries = this.open(kind, classId, content);
    this.#opened.set(key, entries, { size: content.length });
    return entries;
  }

  /** @throws {DamagedRecordError} if the content cannot be opened */
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
    await shuffleNeighbors(tx, 'registers', { classId, kind });
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

/** Lists at most `limit` registers, in order, after `last`. */
export async function listRegistersAfter(
  db: Database,
  last: Pick<RegisterRow, 'classId' | 'kind'> | null,
  limit: number,
): Promise<RegisterRow[]> {
  return db
    .selectFrom('registers')
    .selectAll()
    .where(sql<boolean>`("classId", kind) > (${last?.classId ?? ''}, ${last?.kind ?? ''})`)
    .orderBy('classId')
    .orderBy('kind')
    .limit(limit)
    .execute();
}

/** A small number, because a register of a large class has megabytes. */
const rekeyedAtOnce = 100;

/** Encrypts every register with the keys of another server key. */
export async function rekeyRegisters(
  tx: DatabaseTransaction,
  oldRegisters: Registers,
  newRegisters: Registers,
): Promise<void> {
  let rows = await listRegistersAfter(tx, null, rekeyedAtOnce);
  while (rows.length > 0) {
    for (const row of rows) {
      const entries = oldRegisters.open(row.kind, row.classId, row.content);
      await newRegisters.replace(tx, row, entries);
    }
    rows = await listRegistersAfter(tx, rows.at(-1) ?? null, rekeyedAtOnce);
  }
}

export async function deleteRegisters(
  tx: DatabaseTransaction,
  classId: string,
  kinds: readonly RegisterKind[],
): Promise<void> {
  await tx
    .deleteFrom('registers')
    .where('classId', '=', classId)
    .where('kind', 'in', kinds)
    .execute();
}

function toContext(kind: RegisterKind, classId: string): string {
  return `register ${kind} ${classId}`;
}

/** A row that was moved with its version must not be taken for the one that was opened. */
function toCacheKey(kind: RegisterKind, classId: string, version: string): string {
  return `${kind} ${classId} ${version}`;
}
