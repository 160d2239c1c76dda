import { getText } from '#server/base/get-text.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { Recipient } from '#server/mail/recipient.ts';

/** Tells an operator of a request to unmask, so that no two of them act in silence. It says nothing about the case. */
export function createUnmaskingMail(
  { to, language }: Recipient,
  appName: string,
  origin: string,
): Mail {
  return {
    to,
    language,
    subject: getText(language, 'mail.unmasking.subject', { appName }),
    text: getText(language, 'mail.unmasking.text', { appName, url: `${origin}/moderation` }),
  };
}
