// The keys of moderation, derived from the key of personas. No derived key reveals another one.
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

export interface ModerationKeys {
  /** Derives the ids of reporters. */
  reporters: KeyObject;
  /** Encrypts evidence and the texts of reports. */
  evidence: KeyObject;
  /** Derives the ids of the operators of a request to unmask. */
  operators: KeyObject;
  /** Derives the ids of granted roles. */
  roles: KeyObject;
  /** Hashes the last hash of the audit log at a change of the server key. */
  audit: KeyObject;
}

/** The keys of suspensions, derived from the server key. */
export interface SuspensionKeys {
  /** Derives keyed hashes of accounts and mailboxes. */
  ids: KeyObject;
  /** Encrypts suspensions. */
  contents: KeyObject;
}

const keysByPersonaKey = new WeakMap<KeyObject, ModerationKeys>();

export function deriveModerationKeys(personaKey: KeyObject): ModerationKeys {
  let keys = keysByPersonaKey.get(personaKey);
  if (!keys) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', purpose, 32)));
    keys = {
      reporters: derive('reporters'),
      evidence: derive('evidence'),
      operators: derive('operators'),
      roles: derive('roles'),
      audit: derive('audit'),
    };
    keysByPersonaKey.set(personaKey, keys);
  }
  return keys;
}
