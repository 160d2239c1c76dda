import type { KeyObject } from 'node:crypto';
import { toClassLabel } from '#contract/class-label.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';

interface Settings {
  appName: string;
  origin: string;
}

/** Queues the mail to a new moderator in the commit that grants the role. */
export async function sendModeratorMail(
  db: DatabaseTransaction,
  mailKey: KeyObject,
  to: string,
  grantedClass: ClassRow,
  settings: Settings,
): Promise<void> {
  await insertMail(db, mailKey, createModeratorMail(to, toClassLabel(grantedClass), settings));
}

/** Tells someone that they are a moderator now. It names the class, and no one in it. */
function createModeratorMail(to: string, classLabel: string, { appName, origin }: Settings): Mail {
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
