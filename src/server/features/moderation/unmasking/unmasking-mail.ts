import type { Mail } from '#server/mail/mail-transport.ts';
import { createMail, type Recipient } from '#server/mail/recipient.ts';

/** Tells an operator of a request to unmask, so that no two of them act in silence. It says nothing about the case. */
export function createUnmaskingMail(recipient: Recipient, appName: string, origin: string): Mail {
  return createMail(recipient, 'unmasking', { appName, url: `${origin}/moderation` });
}
