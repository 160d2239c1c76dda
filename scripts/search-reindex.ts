// `npm run search:reindex` uploads all classes to the hosted index again. The server may be running.
import { readConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { createHostedIndex } from '#server/features/class-search/hosted/hosted-index.ts';
import { reindex } from '#server/features/class-search/hosted/reindex.ts';
import { StartupError, startupFailure } from '#server/base/startup-failure.ts';
import { createCommitQueue } from '#server/store/commit-queue.ts';
import { openForCommand } from '#server/store/open-database.ts';

// Only this user may read the files that SQLite creates. The server uses the same umask.
process.umask(0o077);

try {
  const { search, database } = readConfig();
  if (search.kind !== 'algolia') {
    throw new StartupError(
      'the built-in search never needs it. For Algolia, set SEARCH=algolia and its keys.',
    );
  }
  const log = createLog({ write: () => {} });
  const db = await openForCommand(database, log);
  try {
    const commits = createCommitQueue({ db, kind: database.kind, log });
    const index = createHostedIndex(search);
    const count = await reindex({ db, commits, index });
    console.log(`The hosted index holds ${count} ${count === 1 ? 'class' : 'classes'}.`);
  } finally {
    await db.destroy();
  }
} catch (error) {
  console.error(startupFailure(error, 'reindex'));
  process.exitCode = 1;
}
