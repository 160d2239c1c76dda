// Makes the commits of all nodes follow each other as those of one server do: without it, a rule that one commit checks could
// be broken by another node's before the first one ends. Changes of different classes still run side by side (NODE-14).
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../storage/database.ts';

/** Called at the start of each transaction, with the class of each of its changes; null for one that may touch any. */
export type LockCommit = (
  tx: DatabaseTransaction,
  classIds: readonly (string | null)[],
) => Promise<void>;

/** Arbitrary numbers that all versions share. */
const logLock = 0x6c6f6773;
const classLocks = 0x636c6173;
const accountLock = 0x61636374;

/** For messages, personas and classes. The locks end with the transaction. */
export const lockClasses: LockCommit = async (tx, classIds) => {
  if (classIds.includes(null)) {
    await sql`select pg_advisory_xact_lock(${logLock}::bigint)`.execute(tx);
    return;
  }
  // In one order at every node: two nodes that wait for each other would lose a second, until PostgreSQL notices.
  const numbers = new Set(classIds.map((classId) => numberOf(classId ?? '')));
  const locks = [...numbers]
    .toSorted((one, other) => one - other)
    .map((number) => sql`pg_advisory_xact_lock(${classLocks}::integer, ${number}::integer)`);
  await sql`select pg_advisory_xact_lock_shared(${logLock}::bigint), ${sql.join(locks)}`.execute(
    tx,
  );
};

/** For rows of accounts: their commits are few, and each may depend on any other. */
export const lockAccounts: LockCommit = async (tx) => {
  await sql`select pg_advisory_xact_lock(${accountLock}::bigint)`.execute(tx);
};

/** For a command beside the nodes. */
export const lockEverything: LockCommit = async (tx) => {
  await lockClasses(tx, [null]);
  await lockAccounts(tx, []);
};

/** Two classes with one number wait for each other, and nothing else. */
function numberOf(classId: string): number {
  return createHash('sha256').update(classId).digest().readInt32BE();
}
