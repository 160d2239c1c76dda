// `npm run backup -- FILE [--with-key]` copies the database and the pictures. The server may be running.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '#server/config.ts';
import { copyImages } from '#server/images/image-store.ts';
import { createLog } from '#server/log.ts';
import { readServerKey, serverKeyFile, writeServerKey } from '#server/server-keys.ts';
import { StartupError, startupFailure } from '#server/startup-failure.ts';
import { backUp } from '#server/storage/back-up.ts';
import { createProgress } from './transfer-report.ts';

process.umask(0o077);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'with-key': { type: 'boolean', default: false } },
  });
  const [given] = positionals;
  if (!given || positionals.length > 1) {
    throw new StartupError('name one file that does not exist: npm run backup -- FILE.');
  }
  const { database, images, dataDir, secretKey } = readConfig();
  const file = resolve(given);
  const keyFile = `${file}.key`;
  const imagesDir = `${file}.images`;
  if (existsSync(imagesDir)) {
    throw new StartupError(`${imagesDir} exists already. Name another file.`);
  }
  if (values['with-key'] && existsSync(keyFile)) {
    throw new StartupError(`${keyFile} exists already. Name another file.`);
  }
  const progress = createProgress();
  let pictures = 0;
  await backUp(database, file, createLog({ write: () => {} }), progress.report, () => {
    // After the database, so every picture that the copy refers to exists, unless it was deleted since.
    if (images.kind === 'disk') pictures = copyImages(images.dir, imagesDir);
    if (values['with-key']) {
      writeServerKey(keyFile, secretKey ?? readServerKey(serverKeyFile(dataDir)));
    }
  });
  progress.end();
  console.log(`The database is in ${file}.`);
  if (pictures > 0) console.log(`The pictures are in ${imagesDir}.`);
  if (images.kind === 's3') console.log('The pictures are in S3, and not in it.');
  if (values['with-key']) {
    console.log(
      `The server's key is in ${keyFile}: anyone who has both can link personas to accounts.`,
    );
  } else {
    console.log('The server’s key is not in it: keep a copy of that elsewhere.');
  }
} catch (error) {
  console.error(startupFailure(error, 'back up'));
  process.exit(1);
}
