// Links to set a password. The server stores nothing of them: a link has a hash of the account's address and password, so a change
// of either ends it. Therefore each link works once.
import { hash, type KeyObject } from 'node:crypto';
import { seal, unseal } from '#server/base/seal.ts';
import type { AccountRecord } from './account-records.ts';

type LinkedAccount = Pick<AccountRecord, 'id' | 'email' | 'passwordHash'>;

interface LinkContent {
  accountId: string;
  state: string;
  expiresAt: number;
}

export interface ResetLinks {
  /** @param account null if the address has no account: the link then never works */
  create(account: LinkedAccount | null): { token: string; expiresAt: number };
  /** @returns the id of the account; null if the token is forged or expired */
  findAccountId(token: string): string | null;
  /** Tells whether the link is for this account, and neither its address nor its password has changed. */
  isFor(account: LinkedAccount, token: string): boolean;
}

/** A link is valid for one to two hours. */
const linkMs = 3_600_000;

/** What ends a link when it changes. */
export const toAccountState = ({ email, passwordHash }: LinkedAccount): string =>
  hash('sha256', JSON.stringify([email, passwordHash]), 'base64url');

/** @param epoch a link that was used after a backup does not work a second time after its restore */
export function createResetLinks(key: KeyObject, epoch: string): ResetLinks {
  const context = `reset ${epoch}`;

  function open(token: string): LinkContent | null {
    try {
      const content = JSON.parse(unseal(key, token, context)) as LinkContent;
      return content.expiresAt > Date.now() ? content : null;
    } catch {
      return null;
    }
  }

  return {
    create(account) {
      const expiresAt = Math.ceil(Date.now() / linkMs + 1) * linkMs;
      const content: LinkContent = {
        accountId: account?.id ?? '',
        state: account ? toAccountState(account) : '',
        expiresAt,
      };
      return { token: seal(key, JSON.stringify(content), { context }), expiresAt };
    },
    findAccountId: (token) => open(token)?.accountId ?? null,
    isFor(account, token) {
      const content = open(token);
      return content?.accountId === account.id && content.state === toAccountState(account);
    },
  };
}
