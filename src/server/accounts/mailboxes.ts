// Maps email addresses to mailboxes: `ada+notes@uni.edu` and `ada@uni.edu` share mail limits, and an account unless
// EMAIL_TAGS says that they are distinct.
import { createHmac, type KeyObject } from 'node:crypto';
import type { MailboxRules } from '#server/config/config-types.ts';

export interface Mailboxes {
  /** Returns the normalized address, without a tag, by which limits count mails. */
  toMailbox(email: string): string;
  /** Returns the mailbox under each name of its mail domain, the one of `toMailbox` first: the names may have been joined later. */
  listMailboxNames(email: string): string[];
  /**
   * Returns the same key for all addresses that share an account. The key is a keyed hash, so that tables with it do not hold a
   * second copy of the address.
   */
  toKey(email: string): string;
}

export function createMailboxes(rules: MailboxRules, key: KeyObject): Mailboxes {
  const removeDots = (local: string) =>
    rules.dots === 'ignored' ? local.replaceAll('.', '') : local;

  function toAddress(email: string, rewriteLocalPart: (local: string) => string): string {
    const lowercaseEmail = email.toLowerCase();
    const atSign = lowercaseEmail.lastIndexOf('@');
    const domain = lowercaseEmail.slice(atSign + 1);
    const firstName = rules.domainAliases.get(domain) ?? domain;
    return `${rewriteLocalPart(lowercaseEmail.slice(0, atSign))}@${firstName}`;
  }

  const toMailbox = (email: string) =>
    toAddress(email, (local) => removeDots(local.replace(/(?<=.)\+.*$/, '')));

  function listMailboxNames(email: string): string[] {
    const mailbox = toMailbox(email);
    const domainStart = mailbox.lastIndexOf('@') + 1;
    const firstName = mailbox.slice(domainStart);
    const otherNames = [...rules.domainAliases]
      .filter(([, domain]) => domain === firstName)
      .map(([alias]) => mailbox.slice(0, domainStart) + alias);
    return [mailbox, ...otherNames];
  }

  return {
    toMailbox,
    listMailboxNames,
    toKey(email) {
      const address = rules.tags === 'ignored' ? toMailbox(email) : toAddress(email, removeDots);
      return createHmac('sha256', key).update(address).digest('base64url').slice(0, 22);
    },
  };
}
