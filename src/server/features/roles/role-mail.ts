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
  grantedClass: ClassRow;
}

/** Queues the mail to someone with a new role in a class, in the commit that grants it. */
export async function sendRoleMail(
  db: DatabaseTransaction,
  mailKey: KeyObject,
  recipient: Recipient,
  grant: Grant,
  settings: Settings,
): Promise<void> {
  await insertMail(db, mailKey, createRoleMail(recipient, grant, settings));
}

/** Names the class, and no one in it. */
function createRoleMail(
  recipient: Recipient,
  { role, grantedClass }: Grant,
  { appName, origin }: Settings,
): Mail {
  const { language } = recipient;
  const values = { appName, className: toClassLabel(grantedClass) };
  if (role === 'staff') {
    const url = `${origin}/home/${grantedClass.classId}`;
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
