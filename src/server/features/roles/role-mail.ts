import { toClassLabel } from '#contract/class-label.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import type { Config } from '#server/config/config-types.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { createMail, toRecipient } from '#server/mail/recipient.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

interface Grant {
  role: 'moderator' | 'staff';
  /** At most `maxClassesOfMail`. */
  grantedClasses: readonly ClassRow[];
}

/** A mail of the queue has room for the links of so many classes, and for so many characters of their labels. */
export const maxClassesOfMail = 5;
const maxLabelsLength = 200;

/** Queues the mail to someone with a new role in classes, in the commit that grants it. It names the classes, and no one in them. */
export async function sendRoleMail(
  { db, site }: UnitOfWork,
  accountId: string,
  { role, grantedClasses }: Grant,
  config: Pick<Config, 'appName' | 'languages' | 'publicUrl'>,
): Promise<void> {
  const [account] = await site.accountRecords.listById(db, [accountId]);
  if (!account) return;
  const { appName, publicUrl } = config;
  const labels = grantedClasses.map(toClassLabel).join(', ');
  const className =
    labels.length > maxLabelsLength ? `${labels.slice(0, maxLabelsLength)}…` : labels;
  const url =
    role === 'staff'
      ? grantedClasses.map(({ classId }) => `${publicUrl.origin}/home/${classId}`).join('\n')
      : `${publicUrl.origin}/moderation/guide`;
  const recipient = toRecipient(account.email, account, config);
  const mail = createMail(recipient, role, { appName, className, url });
  await insertMail(db, site.keys.mails, mail);
}
