// Polls the database once a second for the classes that another program deleted, restored, ended, merged or edited, or whose
// staff it changed, for announcements, and for the accounts whose address it changed or whose sessions it ended.
import { replay } from '#server/chat/messages/catch-up.ts';
import { forgetIdsOf } from '#server/chat/members/member-ids.ts';
import type { Log } from '#server/base/log.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { listInBoth } from '#server/chat/classes/enrolments-queries.ts';
import {
  lastRevocation,
  listRevocations,
  type Revocation,
} from '#server/store/revocations-queries.ts';
import type { Hub } from './hub.ts';
import type { CatchUpCache } from './catch-up-cache.ts';

const pollIntervalMs = 1000;

interface Search {
  removeClass(classId: string): void;
  addClass(classId: string): Promise<void>;
  /** Reloads the whole index. */
  load(): Promise<void>;
}

interface Parts {
  db: Database;
  hub: Hub;
  catchUps: Pick<CatchUpCache, 'invalidate'>;
  search: Search;
  /** @param accountId the account whose sessions ended, or '' if none did */
  onAccountChanged(accountId: string): Promise<void>;
  /** Members joined the class together. */
  onEnrolled(classId: string): void;
  announcements: { load(): Promise<void> };
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
export async function followRevocations(parts: Parts): Promise<() => Promise<void>> {
  const { db, hub, search, announcements, onErased, log } = parts;
  let lastSeen = await lastRevocation(db);
  await announcements.load();
  let isFailing = false;
  let searchIsBehind = false;
  let polling: Promise<void> | null = null;

  async function poll(): Promise<void> {
    try {
      const revocations = await listRevocations(db, lastSeen);
      const head = revocations.at(-1)?.seq ?? lastSeen;
      if (revocations.length > 0) onErased();
      const isIncomplete = revocations.length < head - lastSeen;
      // Some revocations are no longer stored. All browsers must reconnect, so that their access is
      // checked again.
      if (isIncomplete) {
        await announcements.load();
        hub.shutDown();
      } else {
        for (const revocation of revocations) await notify(parts, revocation);
      }
      // `lastSeen` changes only after the notifications. If one fails, the next poll repeats all of them,
      // which does no harm.
      lastSeen = head;
      isFailing = false;
      if (isIncomplete) searchIsBehind = true;
      if (searchIsBehind) await search.load();
      searchIsBehind = false;
    } catch (error) {
      if (!isFailing) log.warn('revocations.failed', { error });
      isFailing = true;
    }
  }

  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = null;
    });
  }, pollIntervalMs);

  return async () => {
    clearInterval(timer);
    await polling;
  };
}

async function notify(
  { db, hub, catchUps, search, onAccountChanged, onEnrolled, announcements }: Parts,
  { kind, ref }: Revocation,
): Promise<void> {
  if (kind === 'staff-changed') return hub.recheckMembers(ref);
  if (kind === 'address-changed' || kind === 'sessions-ended') return onAccountChanged(ref);
  if (kind === 'announcements-changed') return announcements.load();
  catchUps.invalidate(ref);
  switch (kind) {
    case 'class-deleted':
      search.removeClass(ref);
      return hub.notifyClassDeleted(ref);
    case 'class-restored':
      return search.addClass(ref);
    case 'class-changed':
      await search.addClass(ref);
      return publishLast(db, hub, ref);
    case 'class-ended':
      forgetIdsOf(ref);
      search.removeClass(ref);
      await hub.recheckMembers(ref);
      return publishLast(db, hub, ref);
    case 'class-merged': {
      const keptId = (await findClass(db, ref))?.mergedInto;
      if (!keptId) return;
      onEnrolled(keptId);
      return hub.notifyMerged(keptId, new Set(await listInBoth(db, { duplicateId: ref, keptId })));
    }
  }
}

/**
 * Publishes the last entry of the class's log. The other program wrote it, so this server has not
 * published it.
 */
async function publishLast(db: Database, hub: Hub, classId: string): Promise<void> {
  const found = await findClass(db, classId);
  // An imported class has no log yet.
  if (!found || found.seq === 0) return;
  const last = await replay(db, classId, { seq: found.seq - 1, id: null }, found.seq);
  if (last) hub.publishMissed(classId, last);
}
