// The push subscriptions of all devices. Each belongs to a session and is stored in its row, encrypted. Memory holds
// only which sessions have one, so that a message costs no query if no member has notifications.
import { createHmac, randomInt, type KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { PushSubscription } from '#contract/notifications.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Account } from '#server/http/caller.ts';
import type { Log } from '#server/base/log.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  findSubscription,
  listSubscriptions,
  setSubscription,
  type StoredSubscription,
} from './push-subscriptions-queries.ts';
import { isPublicKey } from './encrypt-payload.ts';
import { findPushHost, type PushHost } from '#server/config/push-hosts.ts';

export interface PushSubscriptions {
  isEmpty(): boolean;
  has(accountId: string): boolean;
  listSessions(accountId: string): readonly string[];
  /** The sessions that get notifications, from the database: another node may just have saved one. NODE-12 */
  readSubscribed(accountId: string): Promise<ReadonlySet<string>>;
  /** Equal for all devices of one push service. */
  getService(sessionId: string): string;
  /** @throws {AppError} INVALID for an address that is not allowed or a key that is none */
  save(commits: CallCommits, account: Account, subscription: PushSubscription): Promise<void>;
  remove(commits: CallCommits, account: Account): Promise<void>;
  /** @returns null if the session has ended or has no subscription */
  find(sessionId: string): Promise<PushSubscription | null>;
  /** The session has ended, and its row is gone. */
  forget(sessionId: string): void;
  /** The push service has no such subscription any more. It is not used again, and deleted hours later. */
  markGone(sessionId: string): void;
  /** Another node has marked it as gone. */
  followGone(sessionId: string): void;
  /** Another node may have changed the subscription of the session; without one, any subscription. */
  reload(sessionId?: string): Promise<void>;
  /** Deletes those that are gone. */
  stop(): Promise<void>;
}

interface Dependencies {
  db: Database;
  /** The queue of accounts, for the deletion of those that are gone. */
  commits: CommitQueue;
  key: KeyObject;
  timesKey: KeyObject;
  hosts: readonly PushHost[];
  isVerificationRequired: boolean;
  onChanged?: (sessionId: string) => void;
  onGone?: (sessionId: string) => void;
  log: Log;
}

interface KnownSubscription {
  accountId: string;
  service: string;
  /** Equal for two subscriptions of one browser. */
  fingerprint: string;
}

/** Every subscription fits into this size, so all have the same length, and PostgreSQL keeps them in their rows. */
const paddedBytes = 1024;
/** A deletion soon after a message would tell a thief of the database that the message notified this account. */
const minGoneMs = 6 * 60 * 60_000; // PUSH-26
const maxGoneMs = 12 * 60 * 60_000;

export async function createSubscriptions(dependencies: Dependencies): Promise<PushSubscriptions> {
  const { db, key, timesKey, hosts, onChanged, onGone, log } = dependencies;
  const subscriptions = new Map<string, KnownSubscription>();
  const sessions = new Map<string, Set<string>>();
  /** Sessions whose subscription is still stored, but not used, with its fingerprint. */
  const goneFingerprints = new Map<string, string>();

  /** @returns null if the push service is not allowed: the setting may have changed since it was saved */
  function toKnown(accountId: string, { endpoint }: PushSubscription): KnownSubscription | null {
    const service = findPushHost(endpoint, hosts)?.host;
    if (service === undefined) return null;
    const { href } = new URL(endpoint);
    const fingerprint = createHmac('sha256', key).update(href).digest('base64url').slice(0, 16);
    return { accountId, service, fingerprint };
  }

  for (const row of await listSubscriptions(db)) addStored(row);

  function addStored(row: StoredSubscription): void {
    const subscription = openStored(row);
    if (subscription) add(row.sessionId, subscription);
  }

  function openStored(row: StoredSubscription): KnownSubscription | null {
    const { sessionId, accountId, push, emailVerified } = row;
    // The setting may be new: sessions of unverified accounts are then rejected.
    if (dependencies.isVerificationRequired && !emailVerified) return null;
    const subscription = tryOpen(sessionId, push);
    return subscription && toKnown(accountId, subscription);
  }

  async function reload(changedSessionId?: string): Promise<void> {
    const rows = await listSubscriptions(db, { sessionId: changedSessionId });
    const wasGone = new Map(goneFingerprints);
    for (const sessionId of changedSessionId === undefined
      ? [...subscriptions.keys()]
      : [changedSessionId]) {
      forget(sessionId);
    }
    for (const row of rows) {
      addStored(row);
      const { sessionId } = row;
      // A browser may subscribe again with the address that was gone.
      if (sessionId === changedSessionId) continue;
      const isStillGone = wasGone.get(sessionId) === subscriptions.get(sessionId)?.fingerprint;
      if (wasGone.has(sessionId) && isStillGone) markGone(sessionId);
    }
  }

  function markGone(sessionId: string): void {
    const fingerprint = subscriptions.get(sessionId)?.fingerprint ?? '';
    forget(sessionId);
    goneFingerprints.set(sessionId, fingerprint);
  }

  function add(sessionId: string, subscription: KnownSubscription): void {
    forget(sessionId);
    subscriptions.set(sessionId, subscription);
    const ofAccount = sessions.get(subscription.accountId);
    if (ofAccount) ofAccount.add(sessionId);
    else sessions.set(subscription.accountId, new Set([sessionId]));
  }

  function forget(sessionId: string): void {
    goneFingerprints.delete(sessionId);
    const subscription = subscriptions.get(sessionId);
    if (!subscription) return;
    subscriptions.delete(sessionId);
    const ofAccount = sessions.get(subscription.accountId);
    ofAccount?.delete(sessionId);
    if (ofAccount?.size === 0) sessions.delete(subscription.accountId);
  }

  function tryOpen(sessionId: string, sealed: string): PushSubscription | null {
    try {
      return JSON.parse(unseal(key, sealed, sessionId)) as PushSubscription;
    } catch {
      return null;
    }
  }

  /** One change after the other: two accounts may subscribe the same browser at the same time. */
  let lastChange: Promise<unknown> = Promise.resolve();
  function runInOrder(change: () => Promise<void>): Promise<void> {
    const changing = lastChange.then(change);
    lastChange = changing.catch(() => undefined);
    return changing;
  }

  async function deleteGone(): Promise<void> {
    const sessionIds = [...goneFingerprints.keys()].toSorted();
    if (sessionIds.length === 0) return;
    await dependencies.commits.write(async ({ db: tx }) => {
      for (const sessionId of sessionIds) {
        // The device may have subscribed again at another node that this one did not hear of.
        const [row] = await listSubscriptions(tx, { sessionId });
        const isStillGone = row && openStored(row)?.fingerprint === goneFingerprints.get(sessionId);
        if (isStillGone) await setSubscription(tx, sessionId, null);
      }
    }, 'allAccounts');
    for (const sessionId of sessionIds) goneFingerprints.delete(sessionId);
  }

  let timer = schedule();
  function schedule(): NodeJS.Timeout {
    return setTimeout(
      () => {
        runInOrder(deleteGone).catch((error: unknown) => log.warn('push.not-removed', { error }));
        timer = schedule();
      },
      randomInt(minGoneMs, maxGoneMs),
    );
  }

  return {
    isEmpty: () => subscriptions.size === 0,
    has: (accountId) => sessions.has(accountId),
    listSessions: (accountId) => [...(sessions.get(accountId) ?? [])],
    async readSubscribed(accountId) {
      const rows = await listSubscriptions(db, { accountId });
      const usedRows = rows.filter((row) => {
        const fingerprint = openStored(row)?.fingerprint;
        return fingerprint !== undefined && goneFingerprints.get(row.sessionId) !== fingerprint;
      });
      return new Set(usedRows.map(({ sessionId }) => sessionId));
    },
    getService: (sessionId) => subscriptions.get(sessionId)?.service ?? '',
    async save(commits, { id: accountId, sessionId }, subscription) {
      const newSubscription = toKnown(accountId, subscription);
      if (!newSubscription) {
        throw new AppError('INVALID', 'This server does not know your browser’s push service.');
      }
      if (!isPublicKey(subscription.keys.p256dh)) throw new AppError('INVALID');
      const options = { context: sessionId, padTo: paddedBytes };
      const sealed = seal(key, JSON.stringify(subscription), options);
      await runInOrder(async () => {
        // The last one who used this browser would get notifications of someone else.
        const replacedIds = [...subscriptions].flatMap(([id, { fingerprint }]) =>
          fingerprint === newSubscription.fingerprint && id !== sessionId ? [id] : [],
        );
        await commits.write(async ({ db: tx }) => {
          for (const id of replacedIds) await setSubscription(tx, id, null);
          await setSubscription(tx, sessionId, sealed);
        }, 'allAccounts');
        for (const id of replacedIds) forget(id);
        add(sessionId, newSubscription);
        for (const id of [...replacedIds, sessionId]) onChanged?.(id);
      });
    },
    async remove(commits, { id, sessionId }) {
      await runInOrder(async () => {
        // Not while all accounts are encrypted again, which would write the old subscription back.
        await commits.write(({ db: tx }) => setSubscription(tx, sessionId, null), {
          accountId: id,
        });
        forget(sessionId);
        onChanged?.(sessionId);
      });
    },
    async find(sessionId) {
      if (!subscriptions.has(sessionId)) return null;
      const sealed = await findSubscription(db, timesKey, sessionId);
      const subscription = sealed === null ? null : tryOpen(sessionId, sealed);
      if (!subscription) forget(sessionId);
      return subscription;
    },
    forget,
    markGone(sessionId) {
      markGone(sessionId);
      onGone?.(sessionId);
    },
    followGone: markGone,
    reload: (sessionId) =>
      runInOrder(() => reload(sessionId)).catch((error: unknown) => {
        log.warn('push.not-reloaded', { error });
      }),
    async stop() {
      clearTimeout(timer);
      await runInOrder(deleteGone).catch((error: unknown) =>
        log.warn('push.not-removed', { error }),
      );
    },
  };
}
