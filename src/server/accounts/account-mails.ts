import type { Config } from '#server/config/config-types.ts';
import { getText } from '#server/base/get-text.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { createMail, type Recipient } from '#server/mail/recipient.ts';

export function createResetMail(
  recipient: Recipient,
  appName: string,
  origin: string,
  token: string,
): Mail {
  const url = `${origin}/reset-password#token=${encodeURIComponent(token)}`;
  return createMail(recipient, 'reset', { appName, url });
}

export function createVerificationMail(
  recipient: Recipient,
  appName: string,
  origin: string,
  token: string,
): Mail {
  const url = `${origin}/verify-email#token=${encodeURIComponent(token)}`;
  return createMail(recipient, 'verification', { appName, url });
}

interface UnusedAccount {
  appName: string;
  origin: string;
  months: number;
  /** The day when the account is deleted. */
  day: Date;
  isReminder: boolean;
}

export function createUnusedAccountMail(
  recipient: Recipient,
  { appName, origin, months, day: date, isReminder }: UnusedAccount,
): Mail {
  const { language } = recipient;
  const day = date.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    ...recipient,
    subject: isReminder
      ? getText(language, 'mail.unusedAccount.reminder', { appName, day })
      : getText(language, 'mail.unusedAccount.subject', { appName }),
    text: getText(language, 'mail.unusedAccount.text', {
      ...{ appName, months, day },
      url: `${origin}/signin`,
    }),
  };
}

/** Creates the mail to a person who signed in at the university, and whose address has an account already. */
export function createSignOnLinkMail(
  recipient: Recipient,
  { appName, origin, label: provider }: { appName: string; origin: string; label: string },
  token: string,
): Mail {
  const url = `${origin}/sign-on#link=${encodeURIComponent(token)}`;
  return createMail(recipient, 'signOnLink', { appName, provider, url });
}

/**
 * Creates the mail to the old address of an account that an operator corrected. It does not name the new address, because the old
 * address may belong to a stranger.
 */
export function createOldAddressMail(
  recipient: Recipient,
  appName: string,
  contact: string | null,
): Mail {
  return createMail(recipient, 'oldAddress', { appName, contact: contact ?? 'none' });
}

/** Creates the mail to the new address of an account that an operator corrected. */
export function createNewAddressMail(recipient: Recipient, appName: string, origin: string): Mail {
  return createMail(recipient, 'newAddress', { appName, url: `${origin}/signin` });
}

/**
 * Creates the mail to an address that an operator typed for an account. Nothing changes before the owner of the account enters
 * the password.
 */
export function createConfirmAddressMail(
  recipient: Recipient,
  appName: string,
  origin: string,
  token: string,
): Mail {
  const url = `${origin}/verify-email#change=address&token=${encodeURIComponent(token)}`;
  return createMail(recipient, 'confirmAddress', { appName, url });
}

/**
 * Creates the mail that tells owners of ended sessions. Otherwise an operator could end sessions unnoticed, to see which persona
 * falls silent.
 */
export function createSessionsEndedMail(
  recipient: Recipient,
  appName: string,
  contact: string | null,
): Mail {
  return createMail(recipient, 'sessionsEnded', { appName, contact: contact ?? 'none' });
}

type MailSettings = Pick<Config, 'appName' | 'publicUrl' | 'supportContact'>;

/** Creates the mail with a link to a copy of the data of an account, to another mailbox of its owner. */
export function createDataCopyMail(
  recipient: Recipient,
  { appName, publicUrl }: MailSettings,
  token: string,
): Mail {
  const url = `${publicUrl.origin}/data-copy#token=${encodeURIComponent(token)}`;
  return createMail(recipient, 'dataCopy', { appName, url });
}

/** Creates the mail that tells the owner of an account of such a link, which would otherwise give a stranger its data unnoticed. */
export function createDataCopyNotice(
  recipient: Recipient,
  { appName, publicUrl, supportContact }: MailSettings,
): Mail {
  return createMail(recipient, 'dataCopyNotice', {
    appName,
    contact: supportContact ?? 'none',
    url: `${publicUrl.origin}/signin`,
  });
}

interface DeletedAccountDetails {
  appName: string;
  /** Whom the owner can ask. */
  contact: string | null;
  keepMessages: boolean;
}

/** Creates the last mail to an account that an operator deleted. */
export function createAccountDeletedMail(
  recipient: Recipient,
  { appName, contact, keepMessages }: DeletedAccountDetails,
): Mail {
  return createMail(recipient, 'accountDeleted', {
    appName,
    contact: contact ?? 'none',
    messages: keepMessages ? 'kept' : 'removed',
  });
}

/** Creates the mail to an address without a verified account for which someone requested a password reset. */
export function createNoAccountMail(recipient: Recipient, appName: string, origin: string): Mail {
  return createMail(recipient, 'noAccount', { appName, url: `${origin}/signup` });
}

export function createSignUpAgainMail(recipient: Recipient, appName: string, origin: string): Mail {
  return createMail(recipient, 'signUpAgain', { appName, url: `${origin}/signin` });
}
