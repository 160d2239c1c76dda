import type { KeyObject } from 'node:crypto';
import { toClassLabel } from '#contract/class-label.ts';
import { getText } from '#server/base/get-text.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { Recipient } from '#server/mail/recipient.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';

interface Settings {
  appName: string;
  origin: string;
}

interface Grant {
  role: 'moderator' | 'staff';
  /** At most `maxClassesOfMail`. */
  grantedClasses: readonly ClassRow[];
}

/** A mail of the queue has room for the links of so many classes, and for so many characters of their labels. */
export const maxClassesOfMail = 5;
const maxLabelsLength = 200;

/** Queues the mail to someone with a new role in classes, in the commit that grants it. */
export async function sendRoleMail(
  db: DatabaseTransaction,
  mailKey: KeyObject,
  recipient: Recipient,
  grant: Grant,
  settings: Settings,
): Promise<void> {
  await insertMail(db, mailKey, createRoleMail(recipient, grant, settings));
}

/** Names the classes, and no one in them. */
function createRoleMail(
  recipient: Recipient,
  { role, grantedClasses }: Grant,
  { appName, origin }: Settings,
): Mail {
  const { language } = recipient;
  const labels = grantedClasses.map(toClassLabel).join(', ');
  const className =
    labels.length > maxLabelsLength ? `${labels.slice(0, maxLabelsLength)}…` : labels;
  const values = { appName, className };
  if (role === 'staff') {
    const url = grantedClasses.map(({ classId }) => `${origin}/home/${classId}`).join('\n');
    return {
      ...recipient,
      subject: getText(language, 'mail.staff.subject', values),
      text: getText(language, 'mail.staff.text', { ...values, url }),
    };
  }
  const url = `${origin}/moderation/guide`;
  return {
    ...recipient,
    subject: getText(language, 'mail.moderator.subject', values),
    text: getText(language, 'mail.moderator.text', { ...values, url }),
  };
}
