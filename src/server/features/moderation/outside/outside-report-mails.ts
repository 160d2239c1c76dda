// The mails to someone who reported from outside. The address may be that of someone else, so the receipt has not a word of the
// report; the decision has only the operator's.
import type { Config } from '#server/config/config-types.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { createMail } from '#server/mail/recipient.ts';

type MailSettings = Pick<Config, 'appName' | 'supportContact'>;

interface Reporter {
  contactAddress: string;
  language: string;
}

export function createReportReceipt(
  { contactAddress: to, language }: Reporter,
  { appName, supportContact }: MailSettings,
): Mail {
  const contact = supportContact ?? 'none';
  return createMail({ to, language }, 'receipt', { appName, contact });
}

export function createDecisionMail(
  { contactAddress: to, language }: Reporter,
  { decision, reason }: { decision: 'acted' | 'notActed'; reason: string },
  { appName, supportContact }: MailSettings,
): Mail {
  const contact = supportContact ?? 'none';
  const values = { appName, decision, reason, contact };
  return createMail({ to, language }, 'outsideDecision', values);
}
