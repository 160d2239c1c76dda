// What authenticators sign, checked by the library, which is loaded when the first passkey is used.
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import type { StoredPasskey } from '#server/store/registers.ts';

/** What the answer of an authenticator must be about. */
interface Expected {
  challenge: string;
  /** The origin of the site, to which browsers bind the answer. */
  siteUrl: URL;
}

type Registration = CallInput<'addPasskey'>['body'];
export type Assertion = Extract<CallInput<'proveFactor'>['body'], { credentialId: string }>;

/** @throws {AppError} FACTOR_WRONG */
export async function verifyRegistration(
  { credentialId, clientData, attestation }: Registration,
  expected: Expected,
): Promise<Pick<StoredPasskey, 'publicKey' | 'counter'>> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { registrationInfo } = await rejectErrors(async () =>
    verifyRegistrationResponse({
      ...toOptions(expected),
      response: {
        ...toCredential(credentialId),
        response: {
          clientDataJSON: clientData,
          attestationObject: await removeStatement(attestation),
        },
      },
      supportedAlgorithmIDs: [-7, -8, -257],
    }),
  );
  const { id, publicKey, counter } = registrationInfo?.credential ?? {};
  if (id !== credentialId || !publicKey) throw new AppError('FACTOR_WRONG');
  return { publicKey: Buffer.from(publicKey).toString('base64url'), counter: counter ?? 0 };
}

/**
 * Removes what the attestation says about the maker of the authenticator, which no one asked for: to check it, the library
 * would fetch revocation lists from wherever its certificates say.
 */
async function removeStatement(attestation: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } =
    await import('@simplewebauthn/server/helpers');
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get('authData');
  const entries: [string, string | Uint8Array | Map<string, string>][] = [
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ];
  return isoBase64URL.fromBuffer(isoCBOR.encode(new Map(entries)));
}

/**
 * Checks the signature. The caller compares the counter.
 *
 * @returns the counter of the authenticator
 * @throws {AppError} FACTOR_WRONG
 */
export async function verifyAssertion(
  { credentialId, clientData, authenticatorData, signature }: Assertion,
  { publicKey }: Pick<StoredPasskey, 'publicKey'>,
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await rejectErrors(() =>
    verifyAuthenticationResponse({
      ...toOptions(expected),
      response: {
        ...toCredential(credentialId),
        response: { clientDataJSON: clientData, authenticatorData, signature },
      },
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        // The stored one is compared in the commit, so that of two proofs at the same time only one passes.
        counter: 0,
      },
    }),
  );
  if (!verified) throw new AppError('FACTOR_WRONG');
  return authenticationInfo.newCounter;
}

const toOptions = ({ challenge, siteUrl }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: siteUrl.origin,
  expectedRPID: siteUrl.hostname,
  // The password, or the session, is the first factor. Security keys without a PIN are a second one, too.
  requireUserVerification: false,
});

const toCredential = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
});

/** The library throws for everything that is wrong with an answer. */
async function rejectErrors<Verified>(verify: () => Promise<Verified>): Promise<Verified> {
  try {
    return await verify();
  } catch {
    throw new AppError('FACTOR_WRONG');
  }
}
