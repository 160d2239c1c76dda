// `npm run backup -- FILE [--with-key]`: a copy of the database, also while the server runs.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '#server/config.ts';
import { readServerKey, serverKeyFile, writeServerKey } from '#server/server-keys.ts';
import { StartupError, startupFailure } from '#server/startup-failure.ts';
import { backUp } from '#server/storage/back-up.ts';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'with-key': { type: 'boolean', default: false } },
  });
  const [given] = positionals;
  if (!given || positionals.length > 1) {
    throw new StartupError('name one file that does not exist: npm run backup -- FILE.');
  }
  const { database, dataDir, secretKey } = readConfig();
  if (database.kind === 'postgres') {
    throw new StartupError('the database of DATABASE_URL is PostgreSQL: use pg_dump.');
  }
  const file = resolve(given);
  const keyFile = `${file}.key`;
  if (values['with-key'] && existsSync(keyFile)) {
    throw new StartupError(`${keyFile} exists already. Name another file.`);
  }
  backUp(database.file, file);
  console.log(`The database is in ${file}.`);
  if (values['with-key']) {
    writeServerKey(keyFile, secretKey ?? readServerKey(serverKeyFile(dataDir)));
    console.log(`The server's key is in ${keyFile}: with both, personas lead back to accounts.`);
  } else {
    console.log('The server’s key is not in it: keep a copy of that elsewhere.');
  }
} catch (error) {
  console.error(startupFailure(error, 'back up'));
  process.exit(1);
}
