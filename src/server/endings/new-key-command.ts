// The command `npm run admin -- new-key`, and its messages about the change of the server key.
import { createConfirmation, defineCommand } from '#server/commands/admin-command.ts';
import { createLog } from '#server/base/log.ts';
import { replaceKey, type KeyChange } from './replace-key.ts';

const waitingMessage =
  'The key is replaced. Waiting for other transactions on the PostgreSQL server: until they end, it keeps old rows in its files.';
const silentLog = createLog({ write: () => {} });

export const newKeyCommand = defineCommand({
  name: 'new-key',
  description:
    'replaces the server key, while the server is stopped: keeps accounts if the old key is here, and works without it if it is lost',
  options: { yes: createConfirmation('replace it') },
  async run({ config, printProgress }, { yes }) {
    const change = await replaceKey(config, yes, silentLog, () => printProgress(waitingMessage));
    if (!yes) throw new Error(`${describePlan(change)} To go on: npm run admin -- new-key --yes`);
    return { message: describeResult(change), ...change };
  },
});

function describePlan({ accounts, resumed }: KeyChange): string {
  if (resumed) return 'A change of the server key was interrupted and can be completed.';
  return accounts === 'kept'
    ? 'The server key would be replaced: personas are kept with new icons, and everyone signs in again.'
    : 'The old server key is not here, so no one can read the accounts, and they would be deleted: classes and messages stay, and everyone signs up again with a new persona. If there is a copy of the key, put it into KEY_DIR first.';
}

function describeResult({ accounts, newKeyPlace, resumed }: KeyChange): string {
  const keySentence =
    newKeyPlace === 'file'
      ? 'The new key is in server.key; the old one, if it was there, in server.key.old. Older backups need the old key: delete it with them.'
      : 'Set SECRET_KEY to the value of NEW_SECRET_KEY before you start the server. Older backups need the old key: delete it with them.';
  if (resumed) return `The interrupted change of the server key is complete. ${keySentence}`;
  const resultSentence =
    accounts === 'kept'
      ? 'The server key is replaced. Personas are kept, with new icons. Everyone signs in again.'
      : 'The server key is replaced. Everyone signs up again with a new persona, and no one can link it to the old one.';
  return `${resultSentence} Blocked addresses are no longer blocked. ${keySentence}`;
}
