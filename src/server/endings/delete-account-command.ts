// The command of `npm run admin` that deletes an account whose owner asks for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Memberships } from '#server/chat/members/memberships.ts';
import {
  accountEmail,
  createConfirmation,
  defineDatabaseCommand,
  someText,
  toMissingAccount,
} from '#server/commands/admin-command.ts';
import { findAccount } from '#server/features/account-support/commands.ts';
import { deleteForSupport } from '#server/features/account-support/delete-for-support.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import { deleteAccount } from './account-deletion.ts';

/** The time after which running servers have read a change event. */
const marginMs = 5000;

export const deleteAccountCommand = defineDatabaseCommand({
  name: 'delete-account',
  description:
    'deletes an account whose owner asks for it, such as after losing the mailbox; its messages stay in their classes',
  takes: { email: accountEmail },
  options: {
    withMessages: z.boolean().default(false).describe('removes its messages, too, within 30 days'),
    block: someText
      .optional()
      .describe('blocks the address, too, for this reason; its mailbox then gets no mail'),
    yes: createConfirmation('delete it', 'shows it'),
  },
  toMessages: toMissingAccount,
  async run(context, { email, withMessages, block, yes }) {
    const consequences = describeConsequences(withMessages, block !== undefined);
    if (!yes) {
      const { message, ...account } = await findAccount(context, email);
      return {
        ...account,
        isDeleted: false,
        message: `${message}\nThis account would be deleted. ${consequences}\nTo delete it, add --yes.`,
      };
    }
    const { config, db, commits, printProgress } = context;
    const { site, accountRecords, sessionRecords, blockedAddresses } = await context.loadKeys();
    const memberships = new Memberships(site.keys.personas);
    await memberships.load(db);
    await deleteForSupport(
      {
        reader: { db, site },
        accountRecords,
        blockedAddresses,
        settings: {
          appName: config.appName,
          contact: config.supportContact,
          languages: config.languages,
        },
        async deleteAccount({ id: accountId, email: address }, removal) {
          await commits.write(
            async (unitOfWork) => {
              await sessionRecords.end(unitOfWork, accountId, 'all');
              await appendChangeEvent(unitOfWork, 'sessions-ended');
            },
            { accountId },
          );
          printProgress(`${address} is signed out.`);
          // Servers would not learn from the deletion which account it was.
          await sleep(marginMs);
          const server = { db, site, commits, memberships, sessionRecords };
          await deleteAccount(server, commits, { accountId, email: address, ...removal }, null);
        },
      },
      { email, keepMessages: !withMessages, blockReason: block },
    );
    return {
      message: `The account ${email} is deleted. ${consequences}`,
      email,
      isDeleted: true,
    };
  },
});

function describeConsequences(withMessages: boolean, isBlocked: boolean): string {
  const messageText = withMessages
    ? 'Its messages go from each class at another time within 30 days.'
    : 'Its messages stay, without any link to it: add --with-messages if its owner wants them to go.';
  const ownerText = isBlocked
    ? 'Its address is blocked, so that its owner gets no mail.'
    : 'Its owner is told by mail.';
  return `It is signed out and can no longer sign in. ${messageText} Each class counts one member less at another time within 30 days. ${ownerText}`;
}
