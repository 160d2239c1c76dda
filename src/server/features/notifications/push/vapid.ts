// The key pair that identifies this server to push services (VAPID, RFC 8292). It is derived from the server key: it
// exists since the first start, is part of every copy of that key, and is in no database.
import { createECDH, createPrivateKey, hkdfSync, sign, type KeyObject } from 'node:crypto';

export interface VapidKeys {
  /** An uncompressed point as base64url, which browsers call `applicationServerKey`. */
  publicKey: string;
  /** Returns the `Authorization` header for a push service. */
  authorize(origin: string): string;
}

/** The lifetime in seconds, as in RFC 7519. Push services reject tokens that are valid for more than a day. */
const tokenLifetimeSeconds = 12 * 60 * 60;
/** The server reuses a token for this long. */
const tokenReuseSeconds = 60 * 60;
const maxTokens = 100;

/** The order of the curve P-256. */
const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** @param subject an address or a page of the operator, for questions of the push service */
export function createVapidKeys(secret: KeyObject, subject: string): VapidKeys {
  const scalar = deriveScalar(secret);
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const publicKey = point.toString('base64url');
  const privateKey = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: scalar.toString('base64url'),
    },
  });
  const tokens = new Map<string, { token: string; createdAt: number }>();

  function createToken(audience: string, now: number): string {
    const encodeJson = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { aud: audience, exp: now + tokenLifetimeSeconds, sub: subject };
    const signingInput = `${encodeJson({ typ: 'JWT', alg: 'ES256' })}.${encodeJson(claims)}`;
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${signingInput}.${sign('sha256', Buffer.from(signingInput), key).toString('base64url')}`;
  }

  return {
    publicKey,
    authorize(origin) {
      const now = Math.floor(Date.now() / 1000);
      let cached = tokens.get(origin);
      // The clock may have been set back.
      if (!cached || Math.abs(now - cached.createdAt) > tokenReuseSeconds) {
        if (tokens.size >= maxTokens) tokens.clear();
        cached = { token: createToken(origin, now), createdAt: now };
        tokens.set(origin, cached);
      }
      return `vapid t=${cached.token}, k=${publicKey}`;
    },
  };
}

/** A number from 1 to the curve's order - 1. With 16 bytes more than needed, all are equally likely (FIPS 186-5). */
function deriveScalar(secret: KeyObject): Buffer {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'vapid', 48));
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (curveOrder - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
}
