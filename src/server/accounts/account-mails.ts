import type { Mail } from '../mail/mail-transport.ts';

export function createResetMail(to: string, appName: string, origin: string, token: string): Mail {
  return {
    to,
    subject: `Set a new password for ${appName}`,
    text: `Someone asked for a new password for your account on ${appName}.

If it was you, set the password here within the next hour:
${origin}/reset-password#token=${encodeURIComponent(token)}

If it was not you, ignore this mail. Your password does not change.
`,
  };
}

export function createVerificationMail(
  to: string,
  appName: string,
  origin: string,
  token: string,
): Mail {
  return {
    to,
    subject: `Verify your email for ${appName}`,
    text: `Welcome to ${appName}. Open this page within the next day and enter the password that you chose:
${origin}/verify-email#token=${encodeURIComponent(token)}

If you signed up more than once, enter the password of the sign-up that sent this mail.

If you did not sign up, ignore this mail. Without this link, no one can use your address.
`,
  };
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
  to: string,
  { appName, origin, months, day, isReminder }: UnusedAccount,
): Mail {
  const date = day.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
  return {
    to,
    subject: isReminder
      ? `Your account on ${appName} will be deleted on ${date}`
      : `Do you still use your account on ${appName}?`,
    text: `You have not used your account on ${appName} for more than ${months === 1 ? 'a month' : `${months} months`}. It will be deleted on ${date}.

If you want to keep it, sign in before that day:
${origin}/signin

Your messages stay in their classes, without any link to you. If you want to delete them too, sign in and delete your account on your profile page.
`,
  };
}

/** Creates the mail to a person who signed in at the university, and whose address has an account already. */
export function createSignOnLinkMail(
  to: string,
  { appName, origin, label }: { appName: string; origin: string; label: string },
  token: string,
): Mail {
  return {
    to,
    subject: `Use your account on ${appName} with ${label}`,
    text: `Someone signed in to ${appName} with ${label}, and you have an account with this address already.

If it was you, open this page within the next hour, in the browser in which you signed in:
${origin}/sign-on#link=${encodeURIComponent(token)}

If it was not you, ignore this mail. Your account does not change.
`,
  };
}

/**
 * Creates the mail to the old address of an account that an operator corrected. It does not name the new address, because the old
 * address may belong to a stranger.
 */
export function createOldAddressMail(to: string, appName: string, contact: string | null): Mail {
  return {
    to,
    subject: `This is no longer your address on ${appName}`,
    text: `An operator of ${appName} has replaced this address of an account by another one. All devices are signed out, and no more mail comes here.

If you did not ask for this, ${contact ? `tell us: ${contact}` : `tell the operators of ${appName}`}.
`,
  };
}

/** Creates the mail to the new address of an account that an operator corrected. */
export function createNewAddressMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `This is now your address on ${appName}`,
    text: `An operator of ${appName} has given your account this address. All devices are signed out. Sign in with the new address: your password has not changed.
${origin}/signin

If you did not ask for this, ignore this mail.
`,
  };
}

/**
 * Creates the mail to an address that an operator typed for an account. Nothing changes before the owner of the account enters
 * the password.
 */
export function createConfirmAddressMail(
  to: string,
  appName: string,
  origin: string,
  token: string,
): Mail {
  return {
    to,
    subject: `Confirm your new address on ${appName}`,
    text: `An operator of ${appName} was asked to give your account this address. If it was you, open this page within the next day and enter the password of your account:
${origin}/verify-email#change=address&token=${encodeURIComponent(token)}

If you did not ask for this, ignore this mail. Nothing changes.
`,
  };
}

/**
 * Creates the mail that tells owners of ended sessions. Otherwise an operator could end sessions unnoticed, to see which persona
 * falls silent.
 */
export function createSessionsEndedMail(to: string, appName: string, contact: string | null): Mail {
  return {
    to,
    subject: `Your devices were signed out of ${appName}`,
    text: `An operator of ${appName} has signed out all devices of your account. Your password has not changed: sign in again.

If you did not ask for this, ${contact ? `tell us: ${contact}` : `tell the operators of ${appName}`}.
`,
  };
}

interface DeletedAccountDetails {
  appName: string;
  /** Whom the owner can ask. */
  contact: string | null;
  keepMessages: boolean;
}

/** Creates the last mail to an account that an operator deleted. */
export function createAccountDeletedMail(
  to: string,
  { appName, contact, keepMessages }: DeletedAccountDetails,
): Mail {
  const messagesText = keepMessages
    ? 'Your messages stay in their classes, without any link to you'
    : 'Your messages are removed from their classes within 30 days';
  return {
    to,
    subject: `Your account on ${appName} was deleted`,
    text: `An operator of ${appName} has deleted your account. ${messagesText}, and no more mail comes here.

If you did not ask for this, ${contact ? `tell us: ${contact}` : `tell the operators of ${appName}`}. The account cannot be restored. You can sign up again.
`,
  };
}

/** Creates the mail to an address without a verified account for which someone requested a password reset. */
export function createNoAccountMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `You have no account on ${appName} yet`,
    text: `Someone asked for a new password for ${appName}, but this address has no account yet.

Sign up here, even if you signed up before and did not open the link in the mail:
${origin}/signup

If it was not you, ignore this mail.
`,
  };
}

export function createSignUpAgainMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `You already have an account on ${appName}`,
    text: `Someone tried to sign up for ${appName} with this address. It already has an account, which has not changed.

If it was you, sign in here. If you forgot your password, press 'Forgot Password?' there:
${origin}/signin

If it was not you, ignore this mail. The other person did not learn that you have an account.
`,
  };
}
