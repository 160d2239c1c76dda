// Which addresses reach the same mailbox: `ada+notes@uni.edu` is no second student beside `ada@uni.edu`.
import { createHmac, type KeyObject } from 'node:crypto';

/** `ignored`: addresses that differ in nothing else belong to one account. */
export interface MailboxRules {
  tags: 'ignored' | 'distinct';
  dots: 'ignored' | 'distinct';
}

export interface Mailboxes {
  /** The mailbox's plain address, which limits of mails count by. A tag never makes another one. */
  mailboxOf(email: string): string;
  /**
   * The same for all addresses that share an account. It is keyed: a table that holds it has no second
   * copy of anybody's address.
   */
  keyOf(email: string): string;
}

export function createMailboxes(rules: MailboxRules, key: KeyObject): Mailboxes {
  const plainDots = (local: string) =>
    rules.dots === 'ignored' ? local.replaceAll('.', '') : local;

  function rewritten(email: string, rewrite: (local: string) => string): string {
    const lower = email.toLowerCase();
    const at = lower.lastIndexOf('@');
    return rewrite(lower.slice(0, at)) + lower.slice(at);
  }

  const mailboxOf = (email: string) =>
    rewritten(email, (local) => plainDots(local.replace(/(?<=.)\+.*$/, '')));

  return {
    mailboxOf,
    keyOf(email) {
      const address = rules.tags === 'ignored' ? mailboxOf(email) : rewritten(email, plainDots);
      return createHmac('sha256', key).update(address).digest('base64url').slice(0, 22);
    },
  };
}
