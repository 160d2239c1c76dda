// The copy of the server key that an operator keeps: `npm run admin -- show-key` and `confirm-key`. Until an operator has
// typed the copy, the doctor and /admin warn, because a lost key takes every persona and every address with it.
import { readWrittenKey, writeKeyDown } from '#server/base/key-copy.ts';
import { computeKeyCheck, deriveServerKeys, loadSecret } from '#server/base/server-keys.ts';
import { defineDatabaseCommand, type DatabaseContext } from '#server/commands/admin-command.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import type { Database } from '#server/store/tables.ts';

/** Stores the check value of the key whose copy was confirmed, so another key has to be confirmed again. */
const metadataName = 'keyCopy';

export const missingKeyCopy =
  'No one has confirmed that a copy of the server key exists. Run npm run admin -- show-key, keep what it prints apart from the backups, and run npm run admin -- confirm-key.';

export async function hasConfirmedKeyCopy(db: Database): Promise<boolean> {
  const confirmed = await findMetadata(db, metadataName);
  return confirmed !== null && confirmed === (await findMetadata(db, 'keyCheck'));
}

export const keyCopyCommands = [
  defineDatabaseCommand({
    name: 'show-key',
    description:
      'prints the server key, to be kept on paper or in a password manager, apart from the backups',
    async run(context) {
      const key = writeKeyDown(await loadSecretOfDatabase(context));
      // Not a part of the output, so that `show-key > FILE` writes a file that works as a key.
      context.printProgress('Now run npm run admin -- confirm-key, and type the copy.');
      return { message: key, key };
    },
  }),
  defineDatabaseCommand({
    name: 'confirm-key',
    description: 'asks for the copy of the server key and says whether it is right',
    async run(context) {
      const key = await loadSecretOfDatabase(context);
      const copy = readWrittenKey(await context.readLine('The copy of the server key: '));
      if (copy === '') {
        throw new Error('there was no key. Type the copy, or pipe it into the command.');
      }
      if (copy !== key) {
        throw new Error(
          'this is not the key of this server. Compare it with what show-key prints.',
        );
      }
      const keyCheck = computeKeyCheck(deriveServerKeys(key));
      await context.write(({ db }) => writeMetadata(db, metadataName, keyCheck));
      return { message: 'The copy is right. Keep it apart from the backups.' };
    },
  }),
];

/** @throws if the key is not that of the database, so that nobody keeps a copy of a wrong one */
async function loadSecretOfDatabase({ config, loadKeys }: DatabaseContext): Promise<string> {
  await loadKeys();
  return loadSecret(config.secretKey, config.keyDir);
}
