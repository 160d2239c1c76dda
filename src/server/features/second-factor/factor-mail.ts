import type { Config } from '#server/config/config-types.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { createMail, toRecipient } from '#server/mail/recipient.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** `reset`: an administrator removed all passkeys. */
export type FactorChange = 'added' | 'removed' | 'newCodes' | 'codeUsed' | 'reset';

/** Queues the mail to the account in the commit of the change, so that its owner learns what a stranger did. */
export async function sendFactorMail(
  { db, site }: UnitOfWork,
  accountId: string,
  change: FactorChange,
  config: Pick<Config, 'appName' | 'languages' | 'publicUrl'>,
): Promise<void> {
  const [account] = await site.accountRecords.listById(db, [accountId]);
  if (!account) return;
  const recipient = toRecipient(account.email, account, config);
  const url = `${config.publicUrl.origin}/profile`;
  const values = { appName: config.appName, change, url };
  await insertMail(db, site.keys.mails, createMail(recipient, 'secondFactor', values));
}
