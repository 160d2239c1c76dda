// Limits mails to each mailbox.
import type { ClientAddresses } from '#server/base/client-addresses.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { EnqueuePublicMail, MailQueue } from '#server/mail/mail-queue.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { Mailboxes } from './mailboxes.ts';

type MailKind = 'sign-up' | 'reset' | 'reset of a known browser' | 'sign-on';

export interface LimitedMails {
  /**
   * Creates a function that queues mails of one kind. Each kind has a separate limit, so that mails which strangers cause use up
   * no limit that the owner needs (LIMIT-51).
   */
  createMailer(kind: MailKind): EnqueuePublicMail;
  /**
   * Queues an urgent mail. Its limit is separate, so that mails which anyone can cause do not use it up (MOD-67).
   *
   * @returns false if the limit is used up
   */
  enqueueUrgent(mail: Mail, expiresAt: number): Promise<boolean>;
}

export function createLimitedMails(
  mails: Pick<MailQueue, 'enqueue' | 'enqueueInTurn'>,
  limiter: Limiter,
  addresses: Pick<ClientAddresses, 'hashEmail'>,
  mailboxes: Mailboxes,
): LimitedMails {
  const hashMailbox = ({ to }: Mail) => addresses.hashEmail(mailboxes.toMailbox(to));
  return {
    createMailer: (kind) => async (network, mail, expiresAt, deliver) => {
      const mailbox = hashMailbox(mail);
      if (!limiter.tryTake('mails', `${kind} ${mailbox}`)) return;
      await mails.enqueueInTurn(network ?? mailbox, mail, expiresAt, deliver);
    },
    async enqueueUrgent(mail, expiresAt) {
      if (!limiter.tryTake('urgentMails', hashMailbox(mail))) return false;
      await mails.enqueue({ ...mail, isUrgent: true }, expiresAt);
      return true;
    },
  };
}
