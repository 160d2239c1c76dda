import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Mail, SendMail } from './mail.ts';

export interface OutgoingMails {
  /** Returns at once: how long a mail takes would tell whether an address has an account. */
  post(mail: Mail): void;
  /** Resolves when every mail was sent or has failed. */
  drain(): Promise<void>;
}

/** By then the answer has left, which the work of making a mail would hold up. */
const laterMs = 50;

export function createOutgoingMails(send: SendMail, log: Log): OutgoingMails {
  const underWay = new Set<Promise<void>>();
  return {
    post(mail) {
      const sending = sleep(laterMs)
        .then(() => send(mail))
        .catch((error: unknown) => log.error('mail.failed', { error }))
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async drain() {
      await Promise.all(underWay);
    },
  };
}
