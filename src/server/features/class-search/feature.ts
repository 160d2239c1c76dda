// The search for classes, over an index in memory that each commit keeps in step, or over a hosted index (Algolia) that
// browsers query directly. Both answer in Algolia's dialect, so the web app has one client for both. If a query finds
// nothing, `rewrite/` tries what students mean by it.
import type { Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import {
  closeSearchIndexQueue,
  isSearchIndexQueueOpen,
} from '#server/chat/classes/search-index-queue-queries.ts';
import type { Feature, Server } from '#server/feature.ts';
import type { Database } from '#server/store/tables.ts';
import { createDatabaseIndex, type DatabaseIndex } from './database-index.ts';
import { loadShortForms } from './rewrite/short-forms.ts';
import { searchRoutes } from './routes.ts';

/**
 * Opened before the queues and stopped after them, because their last commits change the index, too.
 *
 * @returns null if a hosted index answers
 */
export function openClassIndex(
  { search, dataDir }: Pick<Config, 'search' | 'dataDir'>,
  db: Database,
  log: Log,
): DatabaseIndex | null {
  if (search.kind !== 'builtin') return null;
  return createDatabaseIndex(db, log, loadShortForms(dataDir));
}

type Dependencies = Pick<
  Server,
  'config' | 'db' | 'commits' | 'epoch' | 'lease' | 'limiter' | 'metrics' | 'nodes' | 'log'
>;

export async function createClassSearch(server: Dependencies, classIndex: DatabaseIndex | null) {
  const { limiter, metrics, nodes } = server;
  const listener = nodes && classIndex ? nodes.shareSearch(classIndex) : classIndex;
  const hosted = await openHosted(server);
  return {
    /** The hosts of the hosted index, which pages connect to. */
    browserHosts: hosted?.browserHosts ?? [],
    /** The changes that wait for the hosted index, counted up to a limit. */
    countWaiting: async (limit: number) => (await hosted?.countWaiting(limit)) ?? 0,
    routes(route) {
      const index = classIndex?.index ?? null;
      searchRoutes(route, { index, createAccess: hosted?.access ?? null, limiter, metrics });
    },
    load: () => classIndex?.load(),
    async onChange({ kind, ref: classId }) {
      if (kind === 'class-deleted' || kind === 'class-ended') classIndex?.removeClass(classId);
      if (kind === 'class-restored' || kind === 'class-changed') {
        await classIndex?.addClass(classId);
      }
    },
    onClassesChanged: (classes) => listener?.classesChanged(classes),
    stop: () => hosted?.stop(),
  } satisfies Feature & Record<string, unknown>;
}

/** Imports the client of the hosted index only if it is configured. */
async function openHosted(server: Dependencies) {
  const { config, db, commits, epoch, lease, log } = server;
  if (config.search.kind === 'algolia') {
    const { openHostedSearch } = await import('./hosted/hosted-search.ts');
    return openHostedSearch(config.search, { db, commits, epoch, lease, log });
  }
  if (await isSearchIndexQueueOpen(db)) {
    await commits.write((unitOfWork) => closeSearchIndexQueue(unitOfWork.db), 'everything');
  }
  return null;
}
