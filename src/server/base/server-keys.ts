// The server's secret and the keys derived from it. No derived key reveals another one.
import {
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from './atomic-files.ts';
import { readWrittenKey } from './key-copy.ts';
import { StartupError } from './startup-failure.ts';

/** The settings that say where the key is. */
interface KeySource {
  secretKey: string | null;
  dataDir: string;
  keyDir: string;
  database: { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };
}

export type RegisterKeys = Record<
  'members' | 'readMarks' | 'preferences' | 'prepared' | 'staff' | 'factors',
  KeyObject
>;

export interface ServerKeys {
  /** Signs cookies. */
  cookies: string;
  /** Derives memberIds from account ids. */
  personas: KeyObject;
  /** Opens the read marks of version 0.3.0: needed until no one upgrades from it. */
  readMarks: { ids: KeyObject; positions: KeyObject };
  /** Opens the preferences of version 0.3.0: needed until no one upgrades from it. */
  preferences: { ids: KeyObject; contents: KeyObject };
  /** Hash the addresses of accounts, and encrypt accounts: see accounts/account-records.ts. */
  accounts: { addresses: KeyObject; contents: KeyObject };
  /** Encrypts sessions. */
  sessions: KeyObject;
  /** Encrypt what each class stores about accounts: see store/registers.ts. */
  registers: RegisterKeys;
  /** Derives the ids of suspended accounts, and encrypts suspensions. */
  suspensions: { ids: KeyObject; contents: KeyObject };
  /** Derives the ids of votes for questions. */
  questionVotes: KeyObject;
  notifications: {
    /** Encrypts push subscriptions. */
    subscriptions: KeyObject;
    /** Derives the topics that push services see. */
    topics: KeyObject;
    /** Derives the key pair that identifies the server to push services. */
    vapid: KeyObject;
  };
  digest: {
    /** Seals the links that turn the digest off. */
    links: KeyObject;
    /** Orders the accounts of a day, and encrypts how far the day's digests have come. */
    order: KeyObject;
  };
  bus: {
    /** Derives the names of the channels between nodes. */
    channels: KeyObject;
    /** Encrypts what nodes tell each other. */
    messages: KeyObject;
    /** Makes keys of network and email addresses, for the limits that nodes count together. */
    addresses: KeyObject;
  };
  /** Decides how the numbers of each day are rounded. */
  dailyCounts: KeyObject;
  /** Encrypts queued mails. */
  mails: KeyObject;
  /** Opens times that 0.3.0 stored. */
  times: KeyObject;
  /** Open what 0.3.0 stored of accounts: see migration 0093. */
  earlier: { accountUse: KeyObject; passwords: KeyObject; settings: KeyObject };
  /** Hashes mailboxes, so that addresses of one mailbox share an account. */
  mailboxes: KeyObject;
  /** Hashes blocked mailboxes, and encrypts why they are blocked. */
  blockedAddresses: { ids: KeyObject; contents: KeyObject };
  /** Seals sign-up links. */
  signUpLinks: KeyObject;
  /** Seals links to set a password. */
  resetLinks: KeyObject;
  /** Hashes identities of the university's provider, and seals what a sign-in there needs. */
  signOn: { hashes: KeyObject; seals: KeyObject };
  /** Seals challenges and proofs of the second factor. */
  factor: KeyObject;
  /** Seals what a launch from a learning platform needs. */
  lti: KeyObject;
  /** Signs the cookie of browsers that have signed in before. */
  browsers: KeyObject;
  /** Hashes the codes of halls: without a key, six digits would be found by trying them all. */
  hallCodes: KeyObject;
  /** Encrypts the accounts in backups of version 0.3.0. */
  backups: KeyObject;
  /** An opaque key of the account, which the browser uses to separate the outboxes of accounts. */
  deriveAccountKey(accountId: string): string;
}

/**
 * Writes a key file (mode 0600) for a new SQLite database. If a database exists, the server writes no key: a
 * new one could not open it, and a scheduled backup could overwrite the right one. A key in the data folder
 * moves to KEY_DIR.
 */
export function ensureServerKey({ secretKey, dataDir, keyDir, database }: KeySource): void {
  const file = toServerKeyFile(keyDir);
  if (secretKey !== null || existsSync(file)) return;
  mkdirSync(keyDir, { recursive: true, mode: 0o700 });
  const fileInData = toServerKeyFile(dataDir);
  if (existsSync(fileInData)) {
    // The key goes last: if the server dies before, the next start moves what is left.
    for (const suffix of ['.pending', '.old', '']) {
      const source = `${fileInData}${suffix}`;
      if (!existsSync(source)) continue;
      writeServerKey(`${file}${suffix}`, readFileSync(source, 'utf8').trim());
      rmSync(source);
    }
    return;
  }
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    writeServerKey(file, createSecret());
  }
}

/**
 * Derives the keys from the given secret, or from the one in `keyDir`.
 *
 * @throws {StartupError}
 */
export function loadServerKeys(secret: string | null, keyDir: string): ServerKeys {
  return deriveServerKeys(loadSecret(secret, keyDir));
}

/**
 * Returns the given secret, or the one in `keyDir`.
 *
 * @throws {StartupError}
 */
export function loadSecret(secret: string | null, keyDir: string): string {
  return secret ?? loadServerKey(toServerKeyFile(keyDir));
}

/** The keys of registers, derived from the key of personas like those of moderation. */
export function deriveRegisterKeys(personaKey: KeyObject): RegisterKeys {
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', personaKey, '', purpose, 32)));
  return {
    members: derive('members'),
    readMarks: derive('read marks'),
    preferences: derive('preferences'),
    prepared: derive('prepared'),
    staff: derive('staff'),
    factors: derive('factors'),
  };
}

export function deriveServerKeys(root: string): ServerKeys {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', root, 'backchannel', purpose, 32));
  const personas = createSecretKey(derive('personas'));
  const accountKeys = createSecretKey(derive('accounts'));
  return {
    cookies: derive('cookies').toString('base64url'),
    personas,
    readMarks: {
      ids: createSecretKey(derive('read mark ids')),
      positions: createSecretKey(derive('read mark positions')),
    },
    preferences: {
      ids: createSecretKey(derive('preference ids')),
      contents: createSecretKey(derive('preference contents')),
    },
    accounts: {
      addresses: createSecretKey(derive('account addresses')),
      contents: createSecretKey(derive('account contents')),
    },
    sessions: createSecretKey(derive('sessions')),
    registers: deriveRegisterKeys(personas),
    suspensions: {
      ids: createSecretKey(derive('suspended ids')),
      contents: createSecretKey(derive('suspensions')),
    },
    questionVotes: createSecretKey(derive('question votes')),
    notifications: {
      subscriptions: createSecretKey(derive('push subscriptions')),
      topics: createSecretKey(derive('push topics')),
      vapid: createSecretKey(derive('vapid')),
    },
    digest: {
      links: createSecretKey(derive('digest links')),
      order: createSecretKey(derive('digest order')),
    },
    bus: {
      channels: createSecretKey(derive('bus channels')),
      messages: createSecretKey(derive('bus messages')),
      addresses: createSecretKey(derive('bus addresses')),
    },
    dailyCounts: createSecretKey(derive('daily counts')),
    mails: createSecretKey(derive('mails')),
    times: createSecretKey(derive('times')),
    earlier: {
      accountUse: createSecretKey(derive('account use')),
      passwords: createSecretKey(derive('passwords')),
      settings: createSecretKey(derive('notification settings')),
    },
    mailboxes: createSecretKey(derive('mailboxes')),
    blockedAddresses: {
      ids: createSecretKey(derive('blocked address ids')),
      contents: createSecretKey(derive('blocked address contents')),
    },
    signUpLinks: createSecretKey(derive('sign-up links')),
    resetLinks: createSecretKey(derive('reset links')),
    signOn: {
      hashes: createSecretKey(derive('sign-on hashes')),
      seals: createSecretKey(derive('sign-on seals')),
    },
    factor: createSecretKey(derive('second factor')),
    lti: createSecretKey(derive('launches')),
    browsers: createSecretKey(derive('browsers')),
    hallCodes: createSecretKey(derive('hall codes')),
    backups: createSecretKey(derive('backups')),
    deriveAccountKey: (accountId) =>
      createHmac('sha256', accountKeys).update(accountId).digest('base64url').slice(0, 22),
  };
}

export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A keyed value in the database that identifies the server key without revealing it. */
export function computeKeyCheck(keys: ServerKeys): string {
  return createHmac('sha256', keys.personas).update('check value').digest('base64url');
}

/**
 * @param storedCheck the check value of the key that the database belongs to
 * @returns what to do if that is another key
 */
export function findKeyProblem(storedCheck: string, keyCheck: string): string | null {
  const hasSameLength = storedCheck.length === keyCheck.length;
  const isSame = hasSameLength && timingSafeEqual(Buffer.from(storedCheck), Buffer.from(keyCheck));
  if (isSame) return null;
  return 'this database belongs to another server key. Restore server.key in KEY_DIR, or SECRET_KEY. If that key is lost, run npm run admin -- new-key.';
}

/** Holds the secret if SECRET_KEY is not set. */
export function toServerKeyFile(keyDir: string): string {
  return join(keyDir, 'server.key');
}

/** The previous key, kept after a replacement. */
export function toOldServerKeyFile(keyDir: string): string {
  return `${toServerKeyFile(keyDir)}.old`;
}

export function writeServerKey(file: string, secret: string): void {
  writePrivateFile(file, `${secret}\n`);
}

/** @throws {StartupError} */
export function loadServerKey(file: string): string {
  if (!existsSync(file)) {
    throw new StartupError(
      `the server key ${file} is missing, but its database exists. Put a copy of the key there, or set SECRET_KEY. If the key is lost, run npm run admin -- new-key.`,
    );
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new StartupError(`${file} cannot be read. Let this user read it, or set SECRET_KEY.`);
  }
  const key = readWrittenKey(text);
  if (key.length >= 32) return key;
  throw new StartupError(
    `${file} holds no key. Put a copy of the key there. If the key is lost, run npm run admin -- new-key.`,
  );
}
