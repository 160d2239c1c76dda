// The command `npm run admin -- new-key`, and its messages about the change of the server key.
import { createLog } from '#server/base/log.ts';
import { replaceKey, type KeyChange } from './replace-key.ts';
import {
  createConfirmationOption,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
  type Confirmation,
} from '#server/commands/admin-command.ts';

const waitingMessage =
  'The key is replaced. Waiting for other transactions on the PostgreSQL server: until they end, it keeps old rows in its files.';
const silentLog = createLog({ write: () => {} });

export const newKeyCommand: AdminCommand = {
  name: 'new-key',
  description:
    'replaces the server key, while the server is stopped: keeps personas if the old key is here, and works without it if it is lost',
  takes: [],
  options: [createConfirmationOption('replace it')],
  run: replaceServerKey,
};

/**
 * @returns sentences that describe the change
 * @throws {Error} if the command is not confirmed, with a description of the change
 */
async function replaceServerKey({
  config,
  options,
  printProgress,
}: CommandContext<Confirmation>): Promise<CommandReport> {
  const isConfirmed = options.yes === true;
  const change = await replaceKey(config, isConfirmed, silentLog, () =>
    printProgress(waitingMessage),
  );
  if (!isConfirmed) {
    throw new Error(`${describePlan(change)} To go on: npm run admin -- new-key --yes`);
  }
  return { message: describeResult(change), ...change };
}

function describePlan({ personas, resumed, hasAccounts }: KeyChange): string {
  if (!hasAccounts) {
    return 'This is a backup whose server key is not here, so nobody can read its accounts: classes and messages stay, and everyone signs up again. If there is a copy of the key, put it into KEY_DIR first.';
  }
  if (resumed) return 'A change of the server key was interrupted and can be completed.';
  return personas === 'kept'
    ? 'The server key would be replaced: personas are kept with new icons, and everyone signs in again.'
    : 'The old server key is not here, so every persona would lose its account for good: members start with new personas and cannot edit what they wrote. Accounts, classes and messages stay, and everyone sets a new password by mail.';
}

function describeResult({ personas, newKeyPlace, resumed, hasAccounts }: KeyChange): string {
  const keySentence =
    newKeyPlace === 'file'
      ? 'The new key is in server.key; the old one, if it was there, in server.key.old. Older backups need the old key: delete it with them.'
      : 'Set SECRET_KEY to the value of NEW_SECRET_KEY before you start the server. Older backups need the old key: delete it with them.';
  if (resumed) return `The interrupted change of the server key is complete. ${keySentence}`;
  if (!hasAccounts) return `The server key is replaced. Everyone signs up again. ${keySentence}`;
  const resultSentence =
    personas === 'kept'
      ? 'The server key is replaced. Personas are kept, with new icons. Everyone signs in again.'
      : "The server key is replaced. Members start with new personas, and no one can link them to their old ones. Everyone sets a new password by mail, with 'Forgot Password?'.";
  return `${resultSentence} Blocked addresses are no longer blocked. ${keySentence}`;
}
