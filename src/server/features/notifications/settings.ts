// What accounts chose about their notifications: settings for all classes, encrypted in the account's row, and a choice for
// each class in its enrollment. Both are rows of accounts and name no persona (decision 50).
import type { KeyObject } from 'node:crypto';
import { createRecentMap } from '#server/base/recent-map.ts';
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import {
  defaultSettings,
  type AccountRecords,
  type StoredSettings,
} from '#server/accounts/account-records.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listChoicesIn,
  decryptEnrollments,
  setChoice,
} from '#server/chat/classes/enrollments-queries.ts';

interface Dependencies {
  db: Database;
  accountRecords: Pick<AccountRecords, 'findById' | 'listAll' | 'change'>;
  timesKey: KeyObject;
  /** The choices or the members of the class changed. */
  onChanged?: (classId: string) => void;
}

export const defaultNotify: NotifyChoice = 'mentions'; // PUSH-9

/** Reading one class scans all enrollments: 9 ms for 100,000 of them, which together take some 10 MB of memory here. */
const maxCachedClasses = 20_000;
const dayMs = 24 * 60 * 60_000;

/** The commits are those of the queue of accounts. */
export class NotificationChoices {
  readonly #dependencies: Dependencies;
  readonly #cache = createRecentMap<Promise<Map<string, NotifyChoice>>>(maxCachedClasses);

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async getSettings(accountId: string): Promise<StoredSettings> {
    const { db, accountRecords } = this.#dependencies;
    return (await accountRecords.findById(db, accountId))?.settings ?? defaultSettings;
  }

  /** @throws {AppError} INVALID for a snooze that is too long */
  async saveSettings(
    commits: CallCommits,
    accountId: string,
    settings: CallInput<'saveNotifications'>['body'],
  ): Promise<void> {
    const { snoozedUntil } = settings;
    if ((snoozedUntil ?? 0) > Date.now() + limits.snoozeDays * dayMs) {
      throw new AppError('INVALID', 'Notifications can be snoozed for at most 30 days.');
    }
    await this.#changeSettings(commits, accountId, settings);
  }

  /** Writes nothing if the account is gone or has it like that. */
  saveDigest(commits: Commits, accountId: string, digest: boolean): Promise<void> {
    return this.#changeSettings(commits, accountId, { digest });
  }

  /** The accounts that want a digest, in groups. */
  async *listDigestAccounts(): AsyncGenerator<string[]> {
    const { db, accountRecords } = this.#dependencies;
    for await (const accounts of accountRecords.listAll(db)) {
      yield accounts.filter(({ settings }) => settings.digest).map(({ id }) => id);
    }
  }

  /** What the account chose for its classes; classes without a choice are missing. */
  async listChosen(accountId: string): Promise<{ classId: string; notify: NotifyChoice }[]> {
    const enrollments = [
      ...(await decryptEnrollments(this.#dependencies.db, this.#dependencies.timesKey, accountId)),
    ];
    return enrollments
      .flatMap(([classId, content]) =>
        content?.notify === undefined ? [] : [{ classId, notify: content.notify }],
      )
      .toSorted((a, b) => (a.classId < b.classId ? -1 : 1));
  }

  /** @throws {AppError} NOT_FOUND if the account is not in the class */
  async choose(
    commits: CallCommits,
    accountId: string,
    classId: string,
    notify: NotifyChoice,
  ): Promise<void> {
    const isSaved = await commits.write(
      ({ db: tx }) => setChoice(tx, this.#dependencies.timesKey, { accountId, classId }, notify),
      { accountId },
    );
    if (!isSaved) throw new AppError('NOT_FOUND');
    this.#update(classId, (choices) => choices.set(accountId, notify));
  }

  /** The choice of each account in the class. Cached: who uses it checks the membership. */
  getChoices(classId: string): Promise<Map<string, NotifyChoice>> {
    const cached = this.#cache.get(classId);
    if (cached) return cached;
    const read = listChoicesIn(this.#dependencies.db, this.#dependencies.timesKey, classId).then(
      (rows) => new Map(rows.map((row) => [row.accountId, row.notify ?? defaultNotify])),
    );
    this.#cache.set(classId, read);
    read.catch(() => this.#cache.delete(classId));
    return read;
  }

  /** Keeps the cache in step with joining and leaving. */
  setEnrolled(accountId: string, classId: string, isEnrolled: boolean): void {
    this.#update(classId, (choices) => {
      if (isEnrolled) choices.set(accountId, choices.get(accountId) ?? defaultNotify);
      else choices.delete(accountId);
    });
  }

  /** Another node changed the choices of the class. */
  forget(classId: string): void {
    this.#cache.delete(classId);
  }

  /** Other nodes may have changed any. */
  forgetAll(): void {
    this.#cache.clear();
  }

  /** A list that is being read may lack the change, so it changes afterwards. */
  #update(classId: string, change: (choices: Map<string, NotifyChoice>) => void): void {
    void this.#cache.get(classId)?.then(change, () => {});
    this.#dependencies.onChanged?.(classId);
  }

  /** Changes settings in one transaction: the profile page and a link in a mail may change them at the same time. */
  async #changeSettings(
    commits: Commits,
    accountId: string,
    changes: Partial<StoredSettings>,
  ): Promise<void> {
    await commits.write(
      async ({ db: tx }) => {
        await this.#dependencies.accountRecords.change(tx, accountId, ({ settings }) =>
          changes.digest === settings.digest ? null : { settings: { ...settings, ...changes } },
        );
      },
      { accountId },
    );
  }
}
