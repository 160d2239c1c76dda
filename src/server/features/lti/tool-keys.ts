// The keys with which the server signs what it tells learning platforms. They are made when they are first needed, and stored
// encrypted. A new one is published a day before it signs, because platforms keep the key set for some hours.
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Server } from '#server/feature.ts';
import {
  deleteMetadata,
  findMetadata,
  replaceMetadata,
} from '#server/store/server-metadata-queries.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

type KeyServer = Pick<Server, 'db' | 'commits' | 'keys'>;

/** A private key, with its id. */
interface ToolKey {
  jwk: JWK & Record<'kty' | 'kid' | 'alg' | 'n' | 'e', string>;
  /** Days since 1970. */
  createdDay: number;
}

const algorithm = 'RS256'; // The only one that all platforms know.
const renewalDays = 90; // LTI-14
/** A former key stays published until no platform can still be reading what it signed. */
const keptDays = renewalDays + 7;
const metadataName = 'ltiKeys';
const paddedBytes = 8192;

/** Forgets the keys when the server key changes. */
export async function forgetToolKeys(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, metadataName);
}

/** Whether a platform has needed them. */
export async function hasToolKeys(db: Database): Promise<boolean> {
  return (await findMetadata(db, metadataName)) !== null;
}

/** What platforms read to check signatures. */
export async function getToolKeySet(server: KeyServer): Promise<{ keys: JWK[] }> {
  const keys = (await getKeys(server)).map(({ jwk: { kty, kid, alg, n, e } }) => ({
    kty,
    kid,
    alg,
    n,
    e,
    use: 'sig',
  }));
  return { keys };
}

export async function signClaims(server: KeyServer, claims: JWTPayload): Promise<string> {
  const keys = await getKeys(server);
  const today = getToday();
  const key = keys.findLast(({ createdDay }) => createdDay < today) ?? keys[0];
  if (!key) throw new Error('There is no key.');
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: key.jwk.kid })
    .sign(await importJWK(key.jwk, algorithm));
}

/** The keys, the newest last. */
async function getKeys(server: KeyServer): Promise<ToolKey[]> {
  const { db, commits, keys: serverKeys } = server;
  const sealed = await findMetadata(db, metadataName);
  const keys =
    sealed === null ? [] : (JSON.parse(unseal(serverKeys.lti, sealed, metadataName)) as ToolKey[]);
  const today = getToday();
  if (keys.some(({ createdDay }) => today - createdDay < renewalDays)) return keys;
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const exported = (await exportJWK(privateKey)) as ToolKey['jwk'];
  const renewedKeys = [
    ...keys.filter(({ createdDay }) => today - createdDay < keptDays),
    { jwk: { ...exported, kid: createRandomId(), alg: algorithm }, createdDay: today },
  ];
  const resealed = seal(serverKeys.lti, JSON.stringify(renewedKeys), {
    padTo: paddedBytes,
    context: metadataName,
  });
  const isReplaced = await commits.write(
    (unitOfWork) => replaceMetadata(unitOfWork.db, metadataName, sealed, resealed),
    'independent',
  );
  // Otherwise another node has just made one.
  return isReplaced ? renewedKeys : getKeys(server);
}
