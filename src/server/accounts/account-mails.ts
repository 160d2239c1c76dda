import type { Mail } from '../mail/mail.ts';

export function resetMail(to: string, appName: string, origin: string, token: string): Mail {
  return {
    to,
    subject: `Set a new password for ${appName}`,
    text: `Somebody, most likely you, asked for a new password for ${appName}.

Set it here within the next hour:
${origin}/reset-password?token=${encodeURIComponent(token)}

If it was not you, do nothing: your password stays as it is.
`,
  };
}

export function verificationMail(to: string, appName: string, origin: string, token: string): Mail {
  return {
    to,
    subject: `Verify your email for ${appName}`,
    text: `Welcome to ${appName}. Open this page within the next day, and type the password that you chose:
${origin}/verify-email?token=${encodeURIComponent(token)}

If you signed up more than once, each mail belongs to the password that you chose that time.

If you did not sign up, do nothing: without this nobody can use your address.
`,
  };
}

/** For a password reset request if the address has no verified account. */
export function noAccountMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `You have no account on ${appName} yet`,
    text: `Somebody, most likely you, asked for a new password for ${appName}. This address has no account yet.

Sign up here, also if you have done so before and did not open the link that was mailed to you:
${origin}/signup

If it was not you, do nothing.
`,
  };
}

export function signUpAgainMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `You have an account on ${appName} already`,
    text: `Somebody, most likely you, tried to sign up for ${appName} with this address. It has an account already, which is as it was.

Sign in here; if you do not know the password any more, press 'Forgot Password?' there:
${origin}/signin

If it was not you, do nothing: whoever it was learned nothing, not even that there is an account.
`,
  };
}
