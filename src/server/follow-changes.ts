// Follows what changed outside the logs of classes: change events, no matter who stored them, and with several nodes the end of
// sessions. One timer reads the database; a commit of this server and a notice of another node only make it read earlier.
import { listExistingSessions } from './accounts/session-records.ts';
import type { RecentSessions } from './accounts/recent-sessions.ts';
import type { Log } from './base/log.ts';
import { mergeRuns } from './base/merge-runs.ts';
import { findClass } from './chat/classes/classes-queries.ts';
import { forgetIds } from './chat/members/member-ids.ts';
import type { Memberships } from './chat/members/memberships.ts';
import type { SuspendedAccounts } from './chat/staff/suspended-accounts.ts';
import type { Feature } from './feature.ts';
import type { CatchUpCache } from './live/catch-up-cache.ts';
import type { Hub } from './live/hub.ts';
import {
  getLastChangeEvent,
  listChangeEvents,
  type ChangeEvent,
} from './store/change-events-queries.ts';
import type { Database } from './store/tables.ts';

interface Dependencies {
  db: Database;
  hub: Hub;
  catchUps: Pick<CatchUpCache, 'invalidate' | 'clear'>;
  memberships: Pick<Memberships, 'load' | 'follow' | 'followEvent'>;
  suspendedAccounts: Pick<SuspendedAccounts, 'load' | 'isIdSuspended' | 'recordFollowed'>;
  recentSessions: Pick<RecentSessions, 'clear'>;
  features: readonly Feature[];
  /** The program that erased data covers only the database's files of its own process. */
  onErased(): void;
  /** Other nodes end sessions, and Redis may lose their notices. */
  hasNodes: boolean;
  log: Log;
}

/** After these, sessions may have ended, or accounts be suspended. */
const kindsThatEndSessions: ReadonlySet<ChangeEvent['kind']> = new Set([
  'suspensions-changed',
  'address-changed',
  'sessions-ended',
] as const);

const intervalMs = 1000;
const sessionsPerRead = 1_000;

export class ChangeFollower {
  readonly #dependencies: Dependencies;
  #lastSeen = 0;
  /** No one can tell what changed. */
  #isLost = false;
  #isFailing = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #read = mergeRuns(() => this.#tryFollow());
  #lastRead: Promise<void> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Call this before the first socket opens. Older changes do not affect any socket. */
  async start(): Promise<void> {
    this.#lastSeen = await getLastChangeEvent(this.#dependencies.db);
    await this.#loadAll();
    this.#dependencies.suspendedAccounts.recordFollowed(this.#lastSeen);
    this.#timer = setInterval(() => void this.check(), intervalMs);
  }

  /** Resolves when everything that is committed now has been followed, or could not be read. */
  check(): Promise<void> {
    if (!this.#timer) return Promise.resolve();
    this.#lastRead = this.#read();
    return this.#lastRead;
  }

  /** Closes the sockets here of a session that has ended. */
  endSession(accountId: string, sessionId: string): void {
    const { hub, recentSessions, features } = this.#dependencies;
    recentSessions.clear();
    for (const feature of features) feature.onSessionEnded?.(sessionId);
    hub.endSession(accountId, sessionId);
  }

  /** Resolves when the last look is done. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#lastRead;
  }

  /** Everything that this server remembers may be wrong. It is read again, and all browsers reconnect. */
  #clearAllCaches(): void {
    const { recentSessions, features, catchUps, hub } = this.#dependencies;
    this.#isLost = true;
    recentSessions.clear();
    for (const feature of features) feature.clearCaches?.();
    catchUps.clear();
    hub.shutDown();
    void this.check();
  }

  async #tryFollow(): Promise<void> {
    try {
      await this.#followAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#dependencies.log.warn('changes.failed', { error });
      this.#isFailing = true;
    }
  }

  async #followAll(): Promise<void> {
    const { db, hasNodes, onErased, suspendedAccounts } = this.#dependencies;
    const events = await listChangeEvents(db, this.#lastSeen);
    const head = events.at(-1)?.seq ?? this.#lastSeen;
    if (events.length > 0) onErased();
    // Some events are no longer stored.
    if (events.length < head - this.#lastSeen) {
      this.#lastSeen = head;
      this.#clearAllCaches();
    }
    if (this.#isLost) {
      await this.#loadAll();
      this.#isLost = false;
    } else {
      for (const event of events) await this.#follow(event);
    }
    if (hasNodes || events.some(({ kind }) => kindsThatEndSessions.has(kind))) {
      await this.#endSessions();
    }
    // If one fails, the next look repeats all of them, which does no harm.
    this.#lastSeen = head;
    suspendedAccounts.recordFollowed(head);
  }

  async #loadAll(): Promise<void> {
    const { db, memberships, suspendedAccounts, features, log } = this.#dependencies;
    const [damagedCount] = await Promise.all([
      memberships.load(db),
      suspendedAccounts.load(),
      ...features.map(async (feature) => feature.load?.()),
    ]);
    if (damagedCount > 0) log.error('registers.damaged', { count: damagedCount });
  }

  async #follow(event: ChangeEvent): Promise<void> {
    const { db, hub, catchUps, memberships, features } = this.#dependencies;
    const { kind, ref: classId } = event;
    if (kind.startsWith('class-')) catchUps.invalidate(classId);
    // Before the hub: what a page then asks for is as the event says.
    for (const feature of features) await feature.onChange?.(event);
    switch (kind) {
      case 'staff-changed':
        return hub.recheckMembers(classId);
      case 'address-changed':
      case 'sessions-ended':
        return this.#dependencies.recentSessions.clear();
      // Once for all events, after them.
      case 'suspensions-changed':
      case 'announcements-changed':
      case 'class-restored':
        return;
      case 'class-deleted':
        return hub.notifyClassDeleted(classId);
      case 'class-changed':
        return hub.publishLog(classId);
      case 'class-ended':
        forgetIds(classId);
        await hub.recheckMembers(classId);
        return hub.publishLog(classId);
      case 'class-merged': {
        const keptId = (await findClass(db, classId))?.mergedInto;
        if (!keptId) return;
        const keptMembers = await memberships.follow(db, keptId);
        const members = await memberships.follow(db, classId);
        return hub.notifyMerged(keptId, members.intersection(keptMembers));
      }
      case 'members-changed':
        await memberships.followEvent(db, event.ref);
    }
  }

  /** Closes the sockets here whose sessions have ended, or whose accounts are suspended. */
  async #endSessions(): Promise<void> {
    const { db, hub, suspendedAccounts } = this.#dependencies;
    await suspendedAccounts.load();
    hub.endSessions(suspendedAccounts.isIdSuspended);
    const sessions = hub.listSessions();
    for (let from = 0; from < sessions.length; from += sessionsPerRead) {
      const batch = sessions.slice(from, from + sessionsPerRead);
      const existing = await listExistingSessions(
        db,
        batch.map(({ sessionId }) => sessionId),
      );
      for (const { accountId, sessionId } of batch) {
        if (!existing.has(sessionId)) this.endSession(accountId, sessionId);
      }
    }
  }
}
