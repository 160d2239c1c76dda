// The search in the messages of a class. The index is built in the background, block by block, so that no message waits
// for it; a search reads the messages that are not indexed yet. Edits and deletions drop the index of their block in
// their own commit, so no erased word stays (decision 32).
import type { Feature, Server } from '#server/feature.ts';
import { MessageIndexer } from './index-messages.ts';
import { registerMessageSearchRoutes } from './routes.ts';

export function createMessageSearch({
  db,
  commits,
  keys,
  lease,
  log,
}: Pick<Server, 'db' | 'commits' | 'keys' | 'lease' | 'log'>): Feature {
  const indexer = new MessageIndexer(db, lease, log);
  return {
    routes: (route) => registerMessageSearchRoutes(route, { db, personaKey: keys.personas }),
    onLogAppended: (classId, items) => indexer.onLogAppended(classId, items),
    start: () => indexer.start(commits),
    stop: () => indexer.stop(),
  };
}
