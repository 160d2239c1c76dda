// Follows what changed outside the logs of classes: change events, no matter who stored them, and with several nodes the end of
// sessions. One timer reads the database; a commit of this server and a notice of another node only make it read earlier.
import { listExistingSessions } from './accounts/session-records.ts';
import { mergeRuns } from './base/merge-runs.ts';
import { findClass } from './chat/classes/classes-queries.ts';
import { forgetIds } from './chat/members/member-ids.ts';
import type { Feature, Server } from './feature.ts';
import type { CatchUpCache } from './live/catch-up-cache.ts';
import {
  getLastChangeEvent,
  listChangeEvents,
  type ChangeEvent,
} from './store/change-events-queries.ts';

/** After these, sessions may have ended, or accounts be suspended. */
const kindsThatEndSessions: ReadonlySet<ChangeEvent['kind']> = new Set([
  'suspensions-changed',
  'address-changed',
  'sessions-ended',
] as const);

const intervalMs = 1000;
const sessionsPerRead = 1_000;

export class ChangeFollower {
  readonly #server: Server;
  readonly #catchUps: CatchUpCache;
  readonly #features: readonly Feature[];
  #lastSeen = 0;
  /** No one can tell what changed. */
  #isLost = false;
  #isFailing = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #read = mergeRuns(() => this.#tryFollow());
  #lastRead: Promise<void> = Promise.resolve();

  constructor(server: Server, catchUps: CatchUpCache, features: readonly Feature[]) {
    this.#server = server;
    this.#catchUps = catchUps;
    this.#features = features;
  }

  /** Call this before the first socket opens. Older changes do not affect any socket. */
  async start(): Promise<void> {
    this.#lastSeen = await getLastChangeEvent(this.#server.db);
    await this.#loadAll();
    this.#server.suspendedAccounts.recordFollowed(this.#lastSeen);
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
    const { hub, accounts } = this.#server;
    accounts.recentSessions.clear();
    for (const feature of this.#features) feature.onSessionEnded?.(sessionId);
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
    const { accounts, hub } = this.#server;
    this.#isLost = true;
    accounts.recentSessions.clear();
    for (const feature of this.#features) feature.clearCaches?.();
    this.#catchUps.clear();
    hub.shutDown();
    void this.check();
  }

  async #tryFollow(): Promise<void> {
    try {
      await this.#followAll();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#server.log.warn('changes.failed', { error });
      this.#isFailing = true;
    }
  }

  async #followAll(): Promise<void> {
    const { db, nodes, onErased, suspendedAccounts } = this.#server;
    const events = await listChangeEvents(db, this.#lastSeen);
    const head = events.at(-1)?.seq ?? this.#lastSeen;
    // The program that erased data covers only the database's files of its own process.
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
    // Other nodes end sessions, and Redis may lose their notices.
    if (nodes || events.some(({ kind }) => kindsThatEndSessions.has(kind))) {
      await this.#endSessions();
    }
    // If one fails, the next look repeats all of them, which does no harm.
    this.#lastSeen = head;
    suspendedAccounts.recordFollowed(head);
  }

  async #loadAll(): Promise<void> {
    const { db, memberships, suspendedAccounts, log } = this.#server;
    const [damagedCount] = await Promise.all([
      memberships.load(db),
      suspendedAccounts.load(),
      ...this.#features.map(async (feature) => feature.load?.()),
    ]);
    if (damagedCount > 0) log.error('registers.damaged', { count: damagedCount });
  }

  async #follow(event: ChangeEvent): Promise<void> {
    const { db, hub, accounts, memberships } = this.#server;
    const { kind, ref: classId } = event;
    if (kind.startsWith('class-')) this.#catchUps.invalidate(classId);
    // Before the hub: what a page then asks for is as the event says.
    for (const feature of this.#features) await feature.onChange?.(event);
    switch (kind) {
      case 'staff-changed':
        return hub.recheckMembers(classId);
      case 'address-changed':
      case 'sessions-ended':
        return accounts.recentSessions.clear();
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
    const { db, hub, suspendedAccounts } = this.#server;
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
