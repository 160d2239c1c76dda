// The memberIds of staff personas. They are derived with a separate key, so without the server key, nothing links the staff
// persona of an account to its anonymous persona.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { computeId, deriveId } from './member-ids.ts';

const staffKeys = new WeakMap<KeyObject, KeyObject>();

function deriveStaffKey(personaKey: KeyObject): KeyObject {
  let key = staffKeys.get(personaKey);
  if (!key) {
    key = createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', 'staff personas', 32)));
    staffKeys.set(personaKey, key);
  }
  return key;
}

export function computeStaffId(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
): string {
  return computeId(deriveStaffKey(personaKey), classSalt, accountId);
}

/** Computes the id like `computeStaffId`, and keeps it in memory. */
export function deriveStaffId(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
  classId: string,
): string {
  return deriveId(deriveStaffKey(personaKey), classSalt, accountId, classId).id;
}
