// Polls the database once a second for what another program deleted, restored or ended.
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
  /** Reloads the whole index. */
  load(): Promise<void>;
}

interface Parts {
  db: Database;
  hub: Hub;
  rooms: Pick<Rooms, 'forget'>;
  search: Search;
  /**
   * Called if another program erased data. That program's own cleanup covers only what it wrote itself.
   */
  onErased(): void;
  log: Log;
}

/**
 * Call this before the first socket opens. Older revocations do not affect any socket.
 *
 * @returns a function that stops polling and resolves when the last poll is done
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
      // Some revocations are no longer stored. All browsers must reconnect, so that their access is
      // checked again.
      if (missed) hub.shutDown();
      else for (const one of news) await tell({ db, hub, rooms, search }, one);
      // `seen` changes only after the notifications. If one fails, all are repeated, which does no
      // harm.
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

/**
 * Publishes the last entry of the class's log. The other program wrote it, so this server has not
 * published it.
 */
async function publishLast(db: Database, hub: Hub, classId: string): Promise<void> {
  const found = await findClass(db, classId);
  if (!found) return;
  const last = await replay(db, classId, { seq: found.seq - 1, id: null }, found.seq);
  if (last) hub.publishMissed(classId, last);
}
