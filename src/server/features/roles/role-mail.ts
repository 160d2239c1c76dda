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

/** Queues the mail to someone with a new role in a class, in the commit that grants it. */
export async function sendRoleMail(
  db: DatabaseTransaction,
  mailKey: KeyObject,
  to: string,
  { role, grantedClass }: { role: 'moderator' | 'staff'; grantedClass: ClassRow },
  settings: Settings,
): Promise<void> {
  const createMail = role === 'staff' ? createStaffMail : createModeratorMail;
  await insertMail(db, mailKey, { to, ...createMail(grantedClass, settings) });
}

type MailContent = Omit<Mail, 'to'>;

/** Names the class, and no one in it. */
function createModeratorMail(grantedClass: ClassRow, { appName, origin }: Settings): MailContent {
  const classLabel = toClassLabel(grantedClass);
  return {
    subject: `You moderate ${classLabel} on ${appName}`,
    text: `You are a moderator of ${classLabel} on ${appName} now. Members report messages and people, and you decide what happens. You see their anonymous names, and no one in the class sees that you moderate.

What a moderator does, on one page:
${origin}/moderation/guide

If you do not want this role, tell the people who run ${appName}.
`,
  };
}

function createStaffMail(grantedClass: ClassRow, { appName, origin }: Settings): MailContent {
  const classLabel = toClassLabel(grantedClass);
  return {
    subject: `You are staff of ${classLabel} on ${appName}`,
    text: `You are staff of ${classLabel} on ${appName} now. For each message, you choose whether you speak under your own name or stay anonymous. For a lecture, open the class and choose 'Lecture': students ask while you speak, and the screen of the hall can show their questions.

The class:
${origin}/home/${grantedClass.classId}

If you do not want this role, tell the people who run ${appName}.
`,
  };
}
