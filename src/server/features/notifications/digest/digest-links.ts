// The links in digests that turn them off. They need no sign-in and do not expire: mails are read late, and a link that no
// longer works makes people report the mail as spam. Only the server key can read or make one.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { seal, unseal } from '#server/base/seal.ts';

export interface DigestLinks {
  unsubscribeUrl(accountId: string): string;
  /** @throws {AppError} INVALID_LINK */
  openToken(token: string): string;
}

const context = 'unsubscribe from the digest';

export function createDigestLinks(key: KeyObject, origin: string): DigestLinks {
  return {
    unsubscribeUrl(accountId) {
      const token = seal(key, accountId, { context });
      return `${origin}${toRouteUrl('unsubscribeDigest', { query: { token } })}`;
    },
    openToken(token) {
      try {
        return unseal(key, token, context);
      } catch {
        throw new AppError('DIGEST_LINK_INVALID');
      }
    },
  };
}
