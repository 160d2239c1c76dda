import type { Mail } from '#server/mail/mail-transport.ts';

/** Tells an operator of a request to unmask, so that no two of them act in silence. It says nothing about the case. */
export function createUnmaskingMail(to: string, appName: string, origin: string): Mail {
  return {
    to,
    subject: `A request to unmask on ${appName}`,
    text: `An operator asked to find the account behind a persona. A second operator can confirm it within 24 hours.
Please check whether the request is justified. You can withdraw it:
${origin}/moderation

You get this mail because you are an operator of ${appName}.
`,
  };
}
