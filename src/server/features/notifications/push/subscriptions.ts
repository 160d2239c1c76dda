// The push subscriptions of all devices. Each subscription belongs to a session, whose row contains it encrypted. The memory
// holds only which sessions have a subscription, so that a message needs no query if no member has notifications.
import { createHmac, randomInt, type KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { PushSubscription } from '#contract/notifications.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import type { NotificationServer } from '#server/features/notifications/compose.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { setSubscription, type StoredSubscription } from '#server/accounts/session-records.ts';
import { isPublicKey } from './encrypt-payload.ts';
import { findPushHost } from '#server/config/push-hosts.ts';

interface KnownSubscription {
  accountId: string;
  service: string;
  /** A hash that is equal for two subscriptions of the same browser. */
  fingerprint: string;
}

/**
 * Every subscription fits into this size, so all have the same length, and are short enough for PostgreSQL to keep them in the
 * rows.
 */
const paddedBytes = 1024;
/**
 * The deletion is delayed, because a deletion soon after a message would show in the database that the message notified this
 * account.
 */
const minGoneMs = 6 * 60 * 60_000; // PUSH-25
const maxGoneMs = 12 * 60 * 60_000;

export class PushSubscriptions {
  readonly #server: NotificationServer;
  readonly #key: KeyObject;
  readonly #subscriptions = new Map<string, KnownSubscription>();
  readonly #sessions = new Map<string, Set<string>>();
  /** The fingerprints of subscriptions that are still stored, but no longer used, by session. */
  readonly #goneFingerprints = new Map<string, string>();
  /** The last change. Changes run one after the other, because two accounts may subscribe the same browser at the same time. */
  #lastChange: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout;

  private constructor(server: NotificationServer, rows: readonly StoredSubscription[]) {
    this.#server = server;
    this.#key = server.site.keys.notifications.subscriptions;
    for (const row of rows) this.#addStored(row);
    this.#timer = this.#schedule();
  }

  static async load(server: NotificationServer): Promise<PushSubscriptions> {
    const rows = await server.sessionRecords.listSubscriptions(server.db);
    return new PushSubscriptions(server, rows);
  }

  isEmpty(): boolean {
    return this.#subscriptions.size === 0;
  }

  has(accountId: string): boolean {
    return this.#sessions.has(accountId);
  }

  listSessions(accountId: string): readonly string[] {
    return [...(this.#sessions.get(accountId) ?? [])];
  }

  /**
   * Returns the sessions that get notifications, from the database, because another node may just have saved a subscription
   * (NODE-12).
   */
  async readSubscribed(accountId: string): Promise<ReadonlySet<string>> {
    const rows = await this.#listStored({ accountId });
    const usedRows = rows.filter((row) => {
      const fingerprint = this.#openStored(row)?.fingerprint;
      return fingerprint !== undefined && this.#goneFingerprints.get(row.sessionId) !== fingerprint;
    });
    return new Set(usedRows.map(({ sessionId }) => sessionId));
  }

  /** Returns the name of the push service of the session's device. */
  getService(sessionId: string): string {
    return this.#subscriptions.get(sessionId)?.service ?? '';
  }

  /** @throws {AppError} INVALID if the address is not allowed, or the key is not valid */
  async save(
    commits: CallCommits,
    { id: accountId, sessionId }: Account,
    subscription: PushSubscription,
  ): Promise<void> {
    const newSubscription = this.#toKnown(accountId, subscription);
    if (!newSubscription) {
      throw new AppError('PUSH_SERVICE_UNKNOWN');
    }
    if (!isPublicKey(subscription.keys.p256dh)) throw new AppError('INVALID');
    const options = { context: sessionId, padTo: paddedBytes };
    const sealed = seal(this.#key, JSON.stringify(subscription), options);
    await this.#runInOrder(async () => {
      // Otherwise the current user of this browser would get notifications of the previous one.
      const replacedIds = [...this.#subscriptions].flatMap(([id, { fingerprint }]) =>
        fingerprint === newSubscription.fingerprint && id !== sessionId ? [id] : [],
      );
      await commits.write(async ({ db: tx }) => {
        for (const id of replacedIds) await setSubscription(tx, id, null);
        await setSubscription(tx, sessionId, sealed);
      }, 'allAccounts');
      for (const id of replacedIds) this.forget(id);
      this.#add(sessionId, newSubscription);
      for (const id of [...replacedIds, sessionId]) {
        this.#server.nodes?.notificationNotices.onSubscription(id);
      }
    });
  }

  async remove(commits: CallCommits, { id, sessionId }: Account): Promise<void> {
    await this.#runInOrder(async () => {
      // The scope excludes the daily resealing of accounts, which would write the old subscription back.
      await commits.write(({ db: tx }) => setSubscription(tx, sessionId, null), {
        accountId: id,
      });
      this.forget(sessionId);
      this.#server.nodes?.notificationNotices.onSubscription(sessionId);
    });
  }

  /** @returns null if the session has ended or has no subscription */
  async find(sessionId: string): Promise<PushSubscription | null> {
    if (!this.#subscriptions.has(sessionId)) return null;
    const { db, sessionRecords } = this.#server;
    const sealed = await sessionRecords.findSubscription(db, sessionId);
    const subscription = sealed === null ? null : this.#tryOpen(sessionId, sealed);
    if (!subscription) this.forget(sessionId);
    return subscription;
  }

  /** Forgets the subscription of a session that has ended or is no longer subscribed. */
  forget(sessionId: string): void {
    this.#goneFingerprints.delete(sessionId);
    const subscription = this.#subscriptions.get(sessionId);
    if (!subscription) return;
    this.#subscriptions.delete(sessionId);
    const accountSessions = this.#sessions.get(subscription.accountId);
    accountSessions?.delete(sessionId);
    if (accountSessions?.size === 0) this.#sessions.delete(subscription.accountId);
  }

  /** Marks a subscription that the push service no longer has. It is not used again, and deleted hours later. */
  markGone(sessionId: string): void {
    this.#markGone(sessionId);
    this.#server.nodes?.notificationNotices.onSubscriptionGone(sessionId);
  }

  /** Marks a subscription that another node has marked as gone. */
  followGone(sessionId: string): void {
    this.#markGone(sessionId);
  }

  /** Reads the subscription of the session again, which another node may have changed; without a session, all subscriptions. */
  reload(sessionId?: string): Promise<void> {
    return this.#runInOrder(() => this.#reload(sessionId)).catch((error: unknown) => {
      this.#server.log.warn('push.not-reloaded', { error });
    });
  }

  /** Deletes the subscriptions that are gone. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#runInOrder(() => this.#deleteGone()).catch((error: unknown) =>
      this.#server.log.warn('push.not-removed', { error }),
    );
  }

  /** @returns null if the push service is not allowed: the setting may have changed since the subscription was saved */
  #toKnown(accountId: string, { endpoint }: PushSubscription): KnownSubscription | null {
    const service = findPushHost(endpoint, this.#server.config.push.hosts)?.host;
    if (service === undefined) return null;
    const { href } = new URL(endpoint);
    const fingerprint = createHmac('sha256', this.#key)
      .update(href)
      .digest('base64url')
      .slice(0, 16);
    return { accountId, service, fingerprint };
  }

  #listStored(
    filter: { sessionId?: string | undefined; accountId?: string },
    db = this.#server.db,
  ): Promise<StoredSubscription[]> {
    return this.#server.sessionRecords.listSubscriptions(db, filter);
  }

  #addStored(row: StoredSubscription): void {
    const subscription = this.#openStored(row);
    if (subscription) this.#add(row.sessionId, subscription);
  }

  #openStored(row: StoredSubscription): KnownSubscription | null {
    const { sessionId, accountId, push, emailVerified } = row;
    // If the operator has started to require verification, sessions of unverified accounts are rejected.
    const isRequired = this.#server.config.emailVerification === 'required';
    if (isRequired && !emailVerified) return null;
    const subscription = this.#tryOpen(sessionId, push);
    return subscription && this.#toKnown(accountId, subscription);
  }

  async #reload(changedSessionId?: string): Promise<void> {
    const rows = await this.#listStored({ sessionId: changedSessionId });
    const previouslyGone = new Map(this.#goneFingerprints);
    for (const sessionId of changedSessionId === undefined
      ? [...this.#subscriptions.keys()]
      : [changedSessionId]) {
      this.forget(sessionId);
    }
    for (const row of rows) {
      this.#addStored(row);
      const { sessionId } = row;
      // The browser of the changed session may have subscribed again with the same address.
      if (sessionId === changedSessionId) continue;
      const isStillGone =
        previouslyGone.get(sessionId) === this.#subscriptions.get(sessionId)?.fingerprint;
      if (previouslyGone.has(sessionId) && isStillGone) this.#markGone(sessionId);
    }
  }

  #markGone(sessionId: string): void {
    const fingerprint = this.#subscriptions.get(sessionId)?.fingerprint ?? '';
    this.forget(sessionId);
    this.#goneFingerprints.set(sessionId, fingerprint);
  }

  #add(sessionId: string, subscription: KnownSubscription): void {
    this.forget(sessionId);
    this.#subscriptions.set(sessionId, subscription);
    const accountSessions = this.#sessions.get(subscription.accountId);
    if (accountSessions) accountSessions.add(sessionId);
    else this.#sessions.set(subscription.accountId, new Set([sessionId]));
  }

  #tryOpen(sessionId: string, sealed: string): PushSubscription | null {
    try {
      return JSON.parse(unseal(this.#key, sealed, sessionId)) as PushSubscription;
    } catch {
      return null;
    }
  }

  #runInOrder(change: () => Promise<void>): Promise<void> {
    const changeEnd = this.#lastChange.then(change);
    this.#lastChange = changeEnd.catch(() => undefined);
    return changeEnd;
  }

  async #deleteGone(): Promise<void> {
    const sessionIds = [...this.#goneFingerprints.keys()].toSorted();
    if (sessionIds.length === 0) return;
    await this.#server.accountCommits.write(async ({ db: tx }) => {
      for (const sessionId of sessionIds) {
        // The device may have subscribed again at another node, whose notice was lost.
        const [row] = await this.#listStored({ sessionId }, tx);
        const isStillGone =
          row && this.#openStored(row)?.fingerprint === this.#goneFingerprints.get(sessionId);
        if (isStillGone) await setSubscription(tx, sessionId, null);
      }
    }, 'allAccounts');
    for (const sessionId of sessionIds) this.#goneFingerprints.delete(sessionId);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#runInOrder(() => this.#deleteGone()).catch((error: unknown) =>
          this.#server.log.warn('push.not-removed', { error }),
        );
        this.#timer = this.#schedule();
      },
      randomInt(minGoneMs, maxGoneMs),
    );
  }
}
