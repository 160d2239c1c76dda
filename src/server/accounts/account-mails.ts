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
    text: `Welcome to ${appName}. Open this page and press the button there to verify your email:
${origin}/verify-email?token=${encodeURIComponent(token)}

If you did not sign up, do nothing: without this nobody can use your address.
`,
  };
}
