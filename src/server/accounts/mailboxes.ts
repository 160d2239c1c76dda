// Maps email addresses to mailboxes: `ada+notes@uni.edu` and `ada@uni.edu` share mail limits and an account.
// Mail servers of universities deliver mail for `a.da@` and `ada@` to different people.
import { createHmac, type KeyObject } from 'node:crypto';

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

/** @param domainAliases see `Config` */
export function createMailboxes(
  domainAliases: ReadonlyMap<string, string>,
  key: KeyObject,
): Mailboxes {
  function toMailbox(email: string): string {
    const lowercaseEmail = email.toLowerCase();
    const atSign = lowercaseEmail.lastIndexOf('@');
    const domain = lowercaseEmail.slice(atSign + 1);
    const localPart = lowercaseEmail.slice(0, atSign).replace(/(?<=.)\+.*$/, '');
    return `${localPart}@${domainAliases.get(domain) ?? domain}`;
  }

  function listMailboxNames(email: string): string[] {
    const mailbox = toMailbox(email);
    const domainStart = mailbox.lastIndexOf('@') + 1;
    const firstName = mailbox.slice(domainStart);
    const otherNames = [...domainAliases]
      .filter(([, domain]) => domain === firstName)
      .map(([alias]) => mailbox.slice(0, domainStart) + alias);
    return [mailbox, ...otherNames];
  }

  return {
    toMailbox,
    listMailboxNames,
    toKey: (email) =>
      createHmac('sha256', key).update(toMailbox(email)).digest('base64url').slice(0, 22),
  };
}
