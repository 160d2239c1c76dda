// Which accounts are in which classes. The register of a class says who its members are, so every right is checked there. An
// index in memory finds the classes of an account.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { DamagedRecordError, seal, unseal } from '#server/base/seal.ts';
import { getRegisters, type RegisterValues } from '#server/store/registers.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';

export type Membership = RegisterValues['members'];

export async function listMembers(
  { db, site: { keys } }: Reader,
  classId: string,
): Promise<ReadonlyMap<string, Membership>> {
  return getRegisters(keys.personas).read(db, 'members', classId);
}

export async function isEnrolled(
  reader: Reader,
  accountId: string,
  classId: string,
): Promise<boolean> {
  return (await listMembers(reader, classId)).has(accountId);
}

/** @returns false if the change returns false, which writes nothing */
export function changeMembers(
  { db, site: { keys } }: UnitOfWork,
  classId: string,
  change: (members: Map<string, Membership>) => boolean,
): Promise<boolean> {
  return getRegisters(keys.personas).change(db, 'members', classId, change);
}

/** The index may have classes that the account has left or not joined, but lacks none that this process could know. */
export class Memberships {
  readonly #personaKey: KeyObject;
  readonly #eventKey: KeyObject;
  readonly #classIds = new Map<string, Set<string>>();
  /** Whether other nodes have such an index, too. */
  readonly isShared: boolean;
  /** Whether no register was left out. Otherwise, an account without a class may have one. */
  isComplete = true;
  /** Follows what other nodes have committed. */
  catchUp: () => Promise<unknown> = async () => {};

  constructor(personaKey: KeyObject, { isShared = false } = {}) {
    this.#personaKey = personaKey;
    const eventKey = hkdfSync('sha256', personaKey, '', 'change events', 32);
    this.#eventKey = createSecretKey(Buffer.from(eventKey));
    this.isShared = isShared;
  }

  /**
   * Adds all memberships in the database, except those of classes whose register cannot be opened. Such a class has errors, and the
   * others go on.
   *
   * @returns the number of classes that are left out
   */
  async load(db: Database): Promise<number> {
    let damagedCount = 0;
    for await (const [classId, members] of getRegisters(this.#personaKey).readAll(db, 'members')) {
      if (!members) damagedCount += 1;
      for (const accountId of members?.keys() ?? []) this.add(accountId, classId);
    }
    this.isComplete = damagedCount === 0;
    return damagedCount;
  }

  /** Tells the other nodes. The class is encrypted, because the order of the events is that of all joins. */
  async appendEvent(unitOfWork: UnitOfWork, classId: string): Promise<void> {
    if (!this.isShared) return;
    await appendChangeEvent(unitOfWork, 'members-changed', seal(this.#eventKey, classId));
  }

  /** Follows an event that `appendEvent` stored. */
  async followEvent(db: Database, ref: string): Promise<void> {
    await this.follow(db, unseal(this.#eventKey, ref));
  }

  /**
   * Adds the members of a class after another process has changed them.
   *
   * @returns the accounts of its members
   */
  async follow(db: Database, classId: string): Promise<Set<string>> {
    const members = await this.#readMembers(db, classId);
    for (const accountId of members.keys()) this.add(accountId, classId);
    return new Set(members.keys());
  }

  add(accountId: string, classId: string): void {
    const classIds = this.#classIds.get(accountId);
    if (classIds) classIds.add(classId);
    else this.#classIds.set(accountId, new Set([classId]));
  }

  remove(accountId: string, classId: string): void {
    const classIds = this.#classIds.get(accountId);
    classIds?.delete(classId);
    if (classIds?.size === 0) this.#classIds.delete(accountId);
  }

  /** @returns the memberships of the account by class, deleted classes included */
  async list(db: Database, accountId: string): Promise<Map<string, Membership>> {
    await this.catchUp();
    const classIds = [...(this.#classIds.get(accountId) ?? [])];
    if (classIds.length === 0) return new Map();
    const rows = await db
      .selectFrom('registers')
      .select(['classId', 'version'])
      .where('kind', '=', 'members')
      .where('classId', 'in', classIds)
      .execute();
    const memberships = new Map<string, Membership>();
    for (const { classId, version } of rows) {
      const membership = (await this.#readMembers(db, classId, version)).get(accountId);
      if (membership) memberships.set(classId, membership);
    }
    return memberships;
  }

  /** @returns no members if the register cannot be opened */
  async #readMembers(
    db: Database,
    classId: string,
    version?: string,
  ): Promise<ReadonlyMap<string, Membership>> {
    const registers = getRegisters(this.#personaKey);
    try {
      return await (version === undefined
        ? registers.read(db, 'members', classId)
        : registers.get(db, 'members', classId, version));
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      this.isComplete = false;
      return new Map();
    }
  }

  /** Tells whether the account is in more classes than `count`, deleted ones included. */
  async isInMoreThan(db: Database, accountId: string, count: number): Promise<boolean> {
    // Usually the index alone tells that it is not.
    if ((this.#classIds.get(accountId)?.size ?? 0) <= count) return false;
    return (await this.list(db, accountId)).size > count;
  }
}
