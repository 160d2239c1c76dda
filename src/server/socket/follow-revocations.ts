// How this server hears what another program took away or ended: it looks once a second.
import { replay } from '../domain/catch-up.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { findClass } from '../storage/queries/classes.ts';
import {
  lastRevocation,
  listRevocations,
  type Revocation,
} from '../storage/queries/revocations.ts';
import type { Hub } from './hub.ts';
import type { Rooms } from './rooms.ts';

const pollIntervalMs = 1000;

interface Search {
  classGone(classId: string): void;
  classRestored(classId: string): Promise<void>;
  /** Reads everything anew. */
  load(): Promise<void>;
}

interface Parts {
  db: Database;
  hub: Hub;
  rooms: Pick<Rooms, 'forget'>;
  search: Search;
  /** Another program erased something: its own cleaning reaches only what it wrote itself. */
  onErased(): void;
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
  rooms,
  search,
  onErased,
  log,
}: Parts): Promise<() => Promise<void>> {
  let seen = await lastRevocation(db);
  let failing = false;
  let searchIsBehind = false;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    try {
      const news = await listRevocations(db, seen);
      const head = news.at(-1)?.seq ?? seen;
      if (news.length > 0) onErased();
      const missed = news.length < head - seen;
      // Nobody knows any more what was taken away: everybody comes back and is looked at anew.
      if (missed) hub.shutDown();
      else for (const one of news) await tell({ db, hub, rooms, search }, one);
      // Not before: what could not be told is told again, which does no harm.
      seen = head;
      failing = false;
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
  }, pollIntervalMs);

  return async () => {
    clearInterval(timer);
    await looking;
  };
}

async function tell(
  { db, hub, rooms, search }: Pick<Parts, 'db' | 'hub' | 'rooms' | 'search'>,
  { kind, ref }: Revocation,
): Promise<void> {
  rooms.forget(ref);
  switch (kind) {
    case 'class-deleted':
      search.classGone(ref);
      return hub.classDeleted(ref);
    case 'class-restored':
      return search.classRestored(ref);
    case 'class-ended':
      search.classGone(ref);
      return publishLast(db, hub, ref);
  }
}

/** The last entry of the class's log, which the other program made and this server's rooms lack. */
async function publishLast(db: Database, hub: Hub, classId: string): Promise<void> {
  const found = await findClass(db, classId);
  if (!found) return;
  const last = await replay(db, classId, { seq: found.seq - 1, id: null }, found.seq);
  if (last) hub.publishMissed(classId, last);
}
