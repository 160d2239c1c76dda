// An authenticator without a browser: a passkey (ES256), and what it signs. A test can make each part wrong.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { password, type TestClient } from './test-client.ts';

/** What a browser and an authenticator say. By default, it is right. */
interface Answer {
  challenge: string;
  type?: 'webauthn.create' | 'webauthn.get';
  origin?: string;
  host?: string;
  counter?: number;
  /** Of the attestation. What it says is never right. */
  format?: 'none' | 'android-key';
}

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest();
const toText = (bytes: Buffer) => bytes.toString('base64url');

/** A byte string of CBOR. */
const toByteString = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);

export class SoftwareAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  readonly #id = randomBytes(16);
  counter = 1;

  /** @param origin that of the setting PUBLIC_URL */
  constructor(origin: string) {
    this.#origin = origin;
  }

  get credentialId(): string {
    return toText(this.#id);
  }

  register({ challenge, format = 'none', ...answer }: Answer) {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const publicKey = Buffer.concat([
      // A map of five: EC2 (1: 2), ES256 (3: -7), P-256 (-1: 1), x (-2) and y (-3).
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      toByteString(Buffer.from(x!, 'base64url')),
      Buffer.from([0x22]),
      toByteString(Buffer.from(y!, 'base64url')),
    ]);
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      publicKey,
    ]);
    const data = Buffer.concat([this.#createData(0x45, answer), credential]);
    const attestation = Buffer.concat([
      // {"fmt": format, "attStmt": {}, "authData": …}
      Buffer.from('\u00a3cfmt', 'latin1'),
      Buffer.from([0x60 + format.length]),
      Buffer.from(`${format}gattStmt\u00a0hauthData`, 'latin1'),
      toByteString(data),
    ]);
    const clientData = this.#createClientData({ type: 'webauthn.create', challenge, ...answer });
    return {
      credentialId: this.credentialId,
      clientData: toText(clientData),
      attestation: toText(attestation),
    };
  }

  sign({ challenge, ...answer }: Answer) {
    const data = this.#createData(0x05, { counter: ++this.counter, ...answer });
    const clientData = this.#createClientData({ type: 'webauthn.get', challenge, ...answer });
    const signedData = Buffer.concat([data, hash(clientData)]);
    return {
      credentialId: this.credentialId,
      clientData: toText(clientData),
      authenticatorData: toText(data),
      signature: toText(sign('sha256', signedData, this.#keys.privateKey)),
    };
  }

  #createData(flags: number, { host, counter = this.counter }: Omit<Answer, 'challenge'>) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([
      hash(host ?? new URL(this.#origin).hostname),
      Buffer.from([flags]),
      count,
    ]);
  }

  #createClientData({ type, challenge, origin = this.#origin }: Answer): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

/** @returns the recovery codes, if it is the first passkey */
export async function addPasskey(
  client: TestClient,
  authenticator: SoftwareAuthenticator,
  passkeyName = 'Laptop',
  answer: Partial<Answer> = {},
): Promise<string[]> {
  const { challenge } = await client.call('startPasskey', { body: { password } });
  const body = { passkeyName, ...authenticator.register({ challenge, ...answer }) };
  return (await client.call('addPasskey', { body })).recoveryCodes;
}

/** @param wrong the parts of the answer that are wrong */
export async function provePasskey(
  client: TestClient,
  authenticator: SoftwareAuthenticator,
  wrong: Partial<Answer> = {},
) {
  const { challenge } = await client.call('startProof', {});
  const body = authenticator.sign({ challenge, ...wrong });
  await client.call('proveFactor', { body });
  return body;
}
