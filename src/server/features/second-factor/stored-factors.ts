// The second factors of accounts. One register has them all, so no row tells who has one, or who used it.
import { allClasses, getRegisters, type StoredFactor } from '#server/store/registers.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Reader } from '#server/store/site.ts';

const nothing: StoredFactor = { passkeys: [], codeHashes: [] };

export async function getFactor(
  { db, site: { keys } }: Reader,
  accountId: string,
): Promise<StoredFactor> {
  const factors = await getRegisters(keys.personas).read(db, 'factors', allClasses);
  return factors.get(accountId) ?? nothing;
}

/**
 * @param change returns the new second factor, which is deleted if it has no passkey
 * @returns what `change` returned
 */
export async function changeFactor(
  { db, site: { keys } }: UnitOfWork,
  accountId: string,
  change: (factor: StoredFactor, all: ReadonlyMap<string, StoredFactor>) => StoredFactor,
): Promise<StoredFactor> {
  let changed = nothing;
  await getRegisters(keys.personas).change(db, 'factors', allClasses, (factors) => {
    changed = change(factors.get(accountId) ?? nothing, factors);
    if (changed.passkeys.length === 0) return factors.delete(accountId);
    factors.set(accountId, changed);
    return true;
  });
  return changed;
}

/** @returns whether the account had one */
export async function deleteFactor(unitOfWork: UnitOfWork, accountId: string): Promise<boolean> {
  if ((await getFactor(unitOfWork, accountId)).passkeys.length === 0) return false;
  await changeFactor(unitOfWork, accountId, () => nothing);
  unitOfWork.contentErased();
  return true;
}
