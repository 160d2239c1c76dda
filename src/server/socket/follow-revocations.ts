// How this server hears what another program took away: it looks once a second.
import type { Log } from '../log.ts';
import type { Reader } from '../storage/database.ts';
import {
  lastRevocation,
  listRevocations,
  type Revocation,
} from '../storage/queries/revocations.ts';
import type { Hub } from './hub.ts';

const lookEveryMs = 1000;

interface Search {
  classDeleted(classId: string): void;
  /** Reads everything anew. */
  load(): Promise<void>;
}

interface Parts {
  db: Reader;
  hub: Hub;
  search: Search;
  log: Log;
}

/**
 * Must be called before the first socket opens: what is older is no news to anybody.
 *
 * @returns how to stop; resolves when nothing is being read any more
 */
export async function followRevocations({
  db,
  hub,
  search,
  log,
}: Parts): Promise<() => Promise<void>> {
  let seen = await lastRevocation(db);
  let failing = false;
  let searchIsBehind = false;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const news = await listRevocations(db, seen);
      failing = false;
      const head = news.at(-1)?.seq ?? seen;
      const missed = news.length < head - seen;
      seen = head;
      // Nobody knows any more what was taken away: everybody comes back and is looked at anew.
      if (missed) hub.shutDown();
      else for (const one of news) tell(hub, search, one);
      if (missed) searchIsBehind = true;
      if (searchIsBehind) await search.load();
      searchIsBehind = false;
    } catch (error) {
      if (!failing) log.warn('revocations.failed', { error });
      failing = true;
    }
  }

  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null;
    });
  }, lookEveryMs);

  return async () => {
    clearInterval(timer);
    await looking;
  };
}

function tell(hub: Hub, search: Search, { kind, ref }: Revocation): void {
  switch (kind) {
    case 'class-deleted':
      search.classDeleted(ref);
      return hub.classDeleted(ref);
  }
}
