// What accounts chose about their notifications: settings for all classes, encrypted in the account's row, and a choice for
// each class in its enrollment. Both are rows of accounts and name no persona (decision 50).
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { NotificationSettings, NotifyChoice } from '#contract/notifications.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findNotificationSettings,
  listNotificationSettings,
  listAllNotificationSettings,
  setNotificationSettings,
} from './notifications-queries.ts';
import {
  listChoicesIn,
  decryptEnrollments,
  setChoice,
} from '#server/chat/classes/enrollments-queries.ts';

/** The commits are those of the queue of accounts. */
export interface NotificationChoices {
  getSettings(accountId: string): Promise<StoredSettings>;
  /** @throws {AppError} INVALID for a snooze that is too long */
  saveSettings(
    commits: CallCommits,
    accountId: string,
    settings: NotificationSettings,
  ): Promise<void>;
  /** Writes nothing if the account is gone or has it like that. */
  saveDigest(commits: Commits, accountId: string, digest: boolean): Promise<void>;
  /** The accounts that want a digest, in groups. */
  listDigestAccounts(): AsyncGenerator<string[]>;
  /** What the account chose for its classes; classes without a choice are missing. */
  listChosen(accountId: string): Promise<{ classId: string; notify: NotifyChoice }[]>;
  /** @throws {AppError} NOT_FOUND if the account is not in the class */
  choose(
    commits: CallCommits,
    accountId: string,
    classId: string,
    notify: NotifyChoice,
  ): Promise<void>;
  /** The choice of each account in the class. Cached: who uses it checks the membership. */
  getChoices(classId: string): Promise<ReadonlyMap<string, NotifyChoice>>;
  /** Keeps the cache in step with joining and leaving. */
  setEnrolled(accountId: string, classId: string, isEnrolled: boolean): void;
  /** Another node changed the choices of the class. */
  forget(classId: string): void;
  /** Other nodes may have changed any. */
  forgetAll(): void;
}

interface Dependencies {
  db: Database;
  key: KeyObject;
  timesKey: KeyObject;
  /** The choices or the members of the class changed. */
  onChanged?: (classId: string) => void;
}

/** One value, so that a stolen copy cannot tell who wants a digest from who has quiet hours. */
interface StoredSettings extends NotificationSettings {
  digest: boolean;
}

const defaultSettings: StoredSettings = {
  showText: false,
  quietHours: null,
  snoozedUntil: null,
  digest: false,
};
export const defaultNotify: NotifyChoice = 'mentions'; // PUSH-9

/** Every value fits into this size, so it tells nothing by its length. */
const paddedBytes = 256;
/** Reading one class scans all enrollments: 9 ms for 100,000 of them, which together take some 10 MB of memory here. */
const maxCachedClasses = 20_000;
const dayMs = 24 * 60 * 60_000;
const accountsPerRead = 500;

export function createNotificationChoices(dependencies: Dependencies): NotificationChoices {
  const { db, key, timesKey, onChanged } = dependencies;
  const cache = new LRUCache<string, Promise<Map<string, NotifyChoice>>>({
    max: maxCachedClasses,
  });

  function getChoices(classId: string): Promise<Map<string, NotifyChoice>> {
    const cached = cache.get(classId);
    if (cached) return cached;
    const read = listChoicesIn(db, timesKey, classId).then(
      (rows) => new Map(rows.map((row) => [row.accountId, row.notify ?? defaultNotify])),
    );
    cache.set(classId, read);
    read.catch(() => cache.delete(classId));
    return read;
  }

  /** A list that is being read may lack the change, so it changes afterwards. */
  function update(classId: string, change: (choices: Map<string, NotifyChoice>) => void): void {
    void cache.get(classId)?.then(change, () => {});
    onChanged?.(classId);
  }

  async function getSettings(from: Database, accountId: string): Promise<StoredSettings> {
    const sealed = await findNotificationSettings(from, accountId);
    return sealed === null ? defaultSettings : unsealSettings(key, accountId, sealed);
  }

  /** Changes settings in one transaction: the profile page and a link in a mail may change them at the same time. */
  async function changeSettings(
    commits: Commits,
    accountId: string,
    changes: Partial<StoredSettings>,
  ): Promise<void> {
    await commits.write(
      async ({ db: tx }) => {
        const previousSettings = await getSettings(tx, accountId);
        if (changes.digest === previousSettings.digest) return;
        const sealed = sealSettings(key, accountId, { ...previousSettings, ...changes });
        await setNotificationSettings(tx, accountId, sealed);
      },
      { accountId },
    );
  }

  return {
    getChoices,
    getSettings: (accountId) => getSettings(db, accountId),
    async saveSettings(commits, accountId, settings) {
      const { snoozedUntil } = settings;
      if ((snoozedUntil ?? 0) > Date.now() + limits.snoozeDays * dayMs) {
        throw new AppError('INVALID', 'Notifications can be snoozed for at most 30 days.');
      }
      await changeSettings(commits, accountId, settings);
    },
    saveDigest: (commits, accountId, digest) => changeSettings(commits, accountId, { digest }),
    async *listDigestAccounts() {
      for (let lastAccountId = ''; ;) {
        const rows = await listNotificationSettings(db, lastAccountId, accountsPerRead);
        const last = rows.at(-1);
        if (!last) return;
        yield rows.flatMap(({ accountId, sealed }) =>
          unsealSettings(key, accountId, sealed).digest ? accountId : [],
        );
        lastAccountId = last.accountId;
      }
    },
    async listChosen(accountId) {
      const enrollments = [...(await decryptEnrollments(db, timesKey, accountId))];
      return enrollments
        .flatMap(([classId, content]) =>
          content?.notify === undefined ? [] : [{ classId, notify: content.notify }],
        )
        .toSorted((a, b) => (a.classId < b.classId ? -1 : 1));
    },
    async choose(commits, accountId, classId, notify) {
      const isSaved = await commits.write(
        ({ db: tx }) => setChoice(tx, timesKey, { accountId, classId }, notify),
        { accountId },
      );
      if (!isSaved) throw new AppError('NOT_FOUND');
      update(classId, (choices) => choices.set(accountId, notify));
    },
    setEnrolled(accountId, classId, isEnrolled) {
      update(classId, (choices) => {
        if (isEnrolled) choices.set(accountId, choices.get(accountId) ?? defaultNotify);
        else choices.delete(accountId);
      });
    },
    forget: (classId) => void cache.delete(classId),
    forgetAll: () => cache.clear(),
  };
}

function sealSettings(key: KeyObject, accountId: string, settings: StoredSettings): string {
  return seal(key, JSON.stringify(settings), { context: accountId, padTo: paddedBytes });
}

/** Settings of earlier versions lack fields. */
function unsealSettings(key: KeyObject, accountId: string, sealed: string): StoredSettings {
  const storedSettings = JSON.parse(unseal(key, sealed, accountId)) as Partial<StoredSettings>;
  return { ...defaultSettings, ...storedSettings };
}

/** Seals the defaults, so that no copy of the database tells who has other settings. */
export function sealDefaultSettings(key: KeyObject, accountId: string): string {
  return sealSettings(key, accountId, defaultSettings);
}

/** Seals all settings with the new server key. */
export async function rekeySettings(
  db: DatabaseTransaction,
  oldKey: KeyObject,
  newKey: KeyObject,
): Promise<void> {
  for (const { accountId, sealed } of await listAllNotificationSettings(db)) {
    const settings = unsealSettings(oldKey, accountId, sealed);
    await setNotificationSettings(db, accountId, sealSettings(newKey, accountId, settings));
  }
}

/** Clears all settings if the old key is lost: no one can read them, and all accounts have the defaults again. */
export async function clearSettings(db: DatabaseTransaction): Promise<void> {
  for (const { accountId } of await listAllNotificationSettings(db)) {
    await setNotificationSettings(db, accountId, null);
  }
}
