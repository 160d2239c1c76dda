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

interface Known {
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
  const known = new Map<string, Known>();
  const sessions = new Map<string, Set<string>>();
  /** Sessions whose subscription is still stored, but not used, with its fingerprint. */
  const gone = new Map<string, string>();

  /** @returns null if the push service is not allowed: the setting may have changed since it was saved */
  function toKnown(accountId: string, { endpoint }: PushSubscription): Known | null {
    const service = findPushHost(endpoint, hosts)?.host;
    if (service === undefined) return null;
    const { href } = new URL(endpoint);
    const fingerprint = createHmac('sha256', key).update(href).digest('base64url').slice(0, 16);
    return { accountId, service, fingerprint };
  }

  for (const stored of await listSubscriptions(db)) addStored(stored);

  function addStored(stored: StoredSubscription): void {
    const one = openStored(stored);
    if (one) add(stored.sessionId, one);
  }

  function openStored(stored: StoredSubscription): Known | null {
    const { sessionId, accountId, push, emailVerified } = stored;
    // The setting may be new: sessions of unverified accounts are then rejected.
    if (dependencies.isVerificationRequired && !emailVerified) return null;
    const subscription = tryOpen(sessionId, push);
    return subscription && toKnown(accountId, subscription);
  }

  async function reload(changed?: string): Promise<void> {
    const stored = await listSubscriptions(db, { sessionId: changed });
    const wasGone = new Map(gone);
    for (const sessionId of changed === undefined ? [...known.keys()] : [changed]) {
      forget(sessionId);
    }
    for (const one of stored) {
      addStored(one);
      const { sessionId } = one;
      // A browser may subscribe again with the address that was gone.
      if (sessionId === changed) continue;
      const isStillGone = wasGone.get(sessionId) === known.get(sessionId)?.fingerprint;
      if (wasGone.has(sessionId) && isStillGone) markGone(sessionId);
    }
  }

  function markGone(sessionId: string): void {
    const fingerprint = known.get(sessionId)?.fingerprint ?? '';
    forget(sessionId);
    gone.set(sessionId, fingerprint);
  }

  function add(sessionId: string, one: Known): void {
    forget(sessionId);
    known.set(sessionId, one);
    const ofAccount = sessions.get(one.accountId);
    if (ofAccount) ofAccount.add(sessionId);
    else sessions.set(one.accountId, new Set([sessionId]));
  }

  function forget(sessionId: string): void {
    gone.delete(sessionId);
    const one = known.get(sessionId);
    if (!one) return;
    known.delete(sessionId);
    const ofAccount = sessions.get(one.accountId);
    ofAccount?.delete(sessionId);
    if (ofAccount?.size === 0) sessions.delete(one.accountId);
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
  function inOrder(change: () => Promise<void>): Promise<void> {
    const changing = lastChange.then(change);
    lastChange = changing.catch(() => undefined);
    return changing;
  }

  async function deleteGone(): Promise<void> {
    const sessionIds = [...gone.keys()].toSorted();
    if (sessionIds.length === 0) return;
    await dependencies.commits.write(async ({ db: tx }) => {
      for (const sessionId of sessionIds) {
        // The device may have subscribed again at another node that this one did not hear of.
        const [stored] = await listSubscriptions(tx, { sessionId });
        const isStillGone = stored && openStored(stored)?.fingerprint === gone.get(sessionId);
        if (isStillGone) await setSubscription(tx, sessionId, null);
      }
    }, 'allAccounts');
    for (const sessionId of sessionIds) gone.delete(sessionId);
  }

  let timer = schedule();
  function schedule(): NodeJS.Timeout {
    return setTimeout(
      () => {
        inOrder(deleteGone).catch((error: unknown) => log.warn('push.not-removed', { error }));
        timer = schedule();
      },
      randomInt(minGoneMs, maxGoneMs),
    );
  }

  return {
    isEmpty: () => known.size === 0,
    has: (accountId) => sessions.has(accountId),
    listSessions: (accountId) => [...(sessions.get(accountId) ?? [])],
    async readSubscribed(accountId) {
      const stored = await listSubscriptions(db, { accountId });
      const used = stored.filter((one) => {
        const fingerprint = openStored(one)?.fingerprint;
        return fingerprint !== undefined && gone.get(one.sessionId) !== fingerprint;
      });
      return new Set(used.map(({ sessionId }) => sessionId));
    },
    getService: (sessionId) => known.get(sessionId)?.service ?? '',
    async save(commits, { id: accountId, sessionId }, subscription) {
      const one = toKnown(accountId, subscription);
      if (!one) {
        throw new AppError('INVALID', 'This server does not know your browser’s push service.');
      }
      if (!isPublicKey(subscription.keys.p256dh)) throw new AppError('INVALID');
      const options = { context: sessionId, padTo: paddedBytes };
      const sealed = seal(key, JSON.stringify(subscription), options);
      await inOrder(async () => {
        // The last one who used this browser would get notifications of someone else.
        const replaced = [...known].flatMap(([id, { fingerprint }]) =>
          fingerprint === one.fingerprint && id !== sessionId ? [id] : [],
        );
        await commits.write(async ({ db: tx }) => {
          for (const id of replaced) await setSubscription(tx, id, null);
          await setSubscription(tx, sessionId, sealed);
        }, 'allAccounts');
        for (const id of replaced) forget(id);
        add(sessionId, one);
        for (const id of [...replaced, sessionId]) onChanged?.(id);
      });
    },
    async remove(commits, { id, sessionId }) {
      await inOrder(async () => {
        // Not while all accounts are encrypted again, which would write the old subscription back.
        await commits.write(({ db: tx }) => setSubscription(tx, sessionId, null), {
          accountId: id,
        });
        forget(sessionId);
        onChanged?.(sessionId);
      });
    },
    async find(sessionId) {
      if (!known.has(sessionId)) return null;
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
      inOrder(() => reload(sessionId)).catch((error: unknown) => {
        log.warn('push.not-reloaded', { error });
      }),
    async stop() {
      clearTimeout(timer);
      await inOrder(deleteGone).catch((error: unknown) => log.warn('push.not-removed', { error }));
    },
  };
}
