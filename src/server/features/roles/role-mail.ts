import type { Mail } from '#server/mail/mail-transport.ts';

/** Tells someone that they are a moderator now. It names the class, and no one in it. */
export function createModeratorMail(
  to: string,
  classLabel: string,
  { appName, origin }: { appName: string; origin: string },
): Mail {
  return {
    to,
    subject: `You moderate ${classLabel} on ${appName}`,
    text: `You are a moderator of ${classLabel} on ${appName} now. Members report messages and people, and you decide what happens. You see their anonymous names, and no one in the class sees that you moderate.

What a moderator does, on one page:
${origin}/moderation/guide

If you do not want this role, tell the people who run ${appName}.
`,
  };
}
