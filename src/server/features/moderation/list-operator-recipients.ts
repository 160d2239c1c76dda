import { listOperators } from '#server/chat/staff/roles.ts';
import type { Config } from '#server/config/config-types.ts';
import { type Recipient, toRecipient } from '#server/mail/recipient.ts';
import type { Reader } from '#server/store/site.ts';

/** Lists all operators, also those whose account is damaged. */
export async function listOperatorRecipients(
  reader: Reader,
  config: Pick<Config, 'languages'>,
): Promise<(Recipient & { accountId: string | null })[]> {
  const operators = await listOperators(reader);
  const ids = operators.flatMap(({ accountId }) => accountId ?? []);
  const { accountRecords } = reader.site;
  const accounts = await accountRecords.listById(reader.db, ids, { skipsDamaged: true });
  return operators.map(({ email, accountId }) => {
    const account = accounts.find(({ id }) => id === accountId);
    return { accountId, ...toRecipient(email, account, config) };
  });
}
