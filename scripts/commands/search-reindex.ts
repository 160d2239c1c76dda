// `npm run search:reindex` uploads all classes to the hosted index again. The server may be running.
import type { Config } from '#server/config/config-types.ts';
import { runOnDatabase } from '#server/commands/run-on-database.ts';
import { createHostedIndex } from '#server/features/class-search/hosted/hosted-index.ts';
import { reindex } from '#server/features/class-search/hosted/reindex.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { createCommand } from './command-call.ts';

export const runReindex = createCommand('reindex', async ({ loadConfig, out }) => {
  const { search, database } = loadConfig();
  const count = await reindexAll(search, database);
  out.write(`The hosted index holds ${count} ${count === 1 ? 'class' : 'classes'}.\n`);
});

/** @returns the number of classes */
async function reindexAll(search: Config['search'], database: Config['database']): Promise<number> {
  if (search.kind !== 'algolia') {
    throw new StartupError(
      'the built-in search never needs it. For Algolia, set ALGOLIA_APP_ID and its keys.',
    );
  }
  return runOnDatabase(database, (openedDatabase) =>
    reindex(createHostedIndex(search), openedDatabase),
  );
}
