// The command of `npm run admin` that deletes an account whose owner asks for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { deleteForSupport } from '#server/features/account-support/delete-for-support.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { deleteAccount } from './account-deletion.ts';
import { createRoles } from '#server/chat/staff/roles.ts';
import { Memberships } from '#server/chat/members/memberships.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { SessionRecords } from '#server/accounts/session-records.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { findOne, describeMissingAccount } from '#server/features/account-support/commands.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import {
  accountEmail,
  createConfirmationOption,
  parseText,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
  type Confirmation,
} from '#server/commands/admin-command.ts';
import { runOnDatabase } from '#server/commands/write-change.ts';

/** The time after which running servers have read a change event. */
const marginMs = 5000;
const toConsequences = ({ withMessages, block }: Choice) =>
  `It is signed out and can no longer sign in. ${
    withMessages
      ? 'Its messages go from each class at another time within 30 days.'
      : 'Its messages stay, without any link to it: add --with-messages if its owner wants them to go.'
  } Each class counts one member less at another time within 30 days. ${
    block === undefined
      ? 'Its owner is told by mail.'
      : 'Its address is blocked, so that its owner gets no mail.'
  }`;

export const deleteAccountCommand: AdminCommand = {
  name: 'delete-account',
  description:
    'deletes an account whose owner asks for it, such as after losing the mailbox; its messages stay in their classes',
  takes: [accountEmail],
  options: [
    new Option('--with-messages', 'removes its messages, too, within 30 days'),
    new Option(
      '--block <REASON>',
      'blocks the address, too; its mailbox then gets no mail',
    ).argParser(parseText),
    createConfirmationOption('delete it', 'shows it'),
  ],
  run: deleteOneAccount,
};

interface Choice extends Confirmation {
  withMessages?: true;
  block?: string;
}

async function deleteOneAccount(
  context: CommandContext<Choice>,
  email: string,
): Promise<CommandReport> {
  const { config, options, printProgress } = context;
  const consequences = toConsequences(options);
  if (!options.yes) {
    const { message, ...account } = await findOne(context, email);
    return {
      ...account,
      isDeleted: false,
      message: `${message}\nThis account would be deleted. ${consequences}\nTo delete it, add --yes.`,
    };
  }
  const { accountRecords, sessionRecords, ...commandKeys } = loadCommandKeys(config);
  const { blockedAddresses, mailKey, server: keys, check } = commandKeys;
  return runOnDatabase(
    config.database,
    async ({ db, commits }) => {
      await check(db);
      const { personas: personaKey, questionVotes: voteKey } = keys;
      const memberships = new Memberships(personaKey);
      await memberships.load(db);
      await deleteForSupport(
        {
          db,
          roles: createRoles(config.operators, accountRecords, personaKey),
          accountRecords,
          blockedAddresses,
          mailKey,
          settings: { appName: config.appName, contact: config.supportContact },
          async deleteAccount({ id: accountId, email: address }, removal) {
            await endSessions(commits, sessionRecords, accountId);
            printProgress(`${address} is signed out.`);
            // Servers would not learn from the deletion which account it was.
            await sleep(marginMs);
            const keysAndRecords = { personaKey, voteKey, mailKey, memberships, sessionRecords };
            const dependencies = { db, commits, classCommits: commits, ...keysAndRecords };
            await deleteAccount(dependencies, { accountId, email: address, ...removal }, null);
          },
        },
        { email, keepMessages: options.withMessages !== true, blockReason: options.block },
        async () => administratorName,
      );
      return {
        message: `The account ${email} is deleted. ${consequences}`,
        email,
        isDeleted: true,
      };
    },
    { NO_SUCH_ACCOUNT: describeMissingAccount(email) },
  );
}

async function endSessions(
  commits: CommitQueue,
  sessionRecords: SessionRecords,
  accountId: string,
): Promise<void> {
  await commits.write(
    async (unitOfWork) => {
      await sessionRecords.end(unitOfWork, accountId, 'all');
      await appendChangeEvent(unitOfWork, 'sessions-ended');
    },
    { accountId },
  );
}
