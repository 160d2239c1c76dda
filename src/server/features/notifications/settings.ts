// What accounts chose about their notifications: settings for all classes, encrypted in the account's row, and a choice for
// each class in the register of its members. Neither names a persona (decision 50).
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import { defaultSettings, type StoredSettings } from '#server/accounts/account-records.ts';
import type { Server } from '#server/feature.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import { changeMembers } from '#server/chat/members/memberships.ts';

export const defaultNotify: NotifyChoice = 'mentions'; // PUSH-8

const dayMs = 24 * 60 * 60_000;

/** Settings are saved in the queue of accounts, and the choice for a class in that of classes. */
export class NotificationChoices {
  readonly #server: Pick<Server, 'db' | 'accountRecords' | 'memberships'>;

  constructor(server: Pick<Server, 'db' | 'accountRecords' | 'memberships'>) {
    this.#server = server;
  }

  async getSettings(accountId: string): Promise<StoredSettings> {
    const { db, accountRecords } = this.#server;
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
      throw new AppError('SNOOZE_TOO_LONG');
    }
    await this.#changeSettings(commits, accountId, settings);
  }

  /** Writes nothing if the account is gone or has it like that. */
  saveDigest(commits: Commits, accountId: string, digest: boolean): Promise<void> {
    return this.#changeSettings(commits, accountId, { digest });
  }

  /** The accounts that want a digest, in groups. */
  async *listDigestAccounts(): AsyncGenerator<string[]> {
    const { db, accountRecords } = this.#server;
    for await (const accounts of accountRecords.listAll(db, { skipsDamaged: true })) {
      yield accounts.filter(({ settings }) => settings.digest).map(({ id }) => id);
    }
  }

  /** What the account chose for its classes; classes without a choice are missing. */
  async listChosen(accountId: string): Promise<{ classId: string; notify: NotifyChoice }[]> {
    const { db, memberships } = this.#server;
    return [...(await memberships.list(db, accountId))]
      .flatMap(([classId, { notify }]) => (notify === undefined ? [] : [{ classId, notify }]))
      .toSorted((a, b) => (a.classId < b.classId ? -1 : 1));
  }

  /** @throws {AppError} NOT_FOUND if the account is not in the class */
  async choose(
    commits: CallCommits,
    accountId: string,
    classId: string,
    notify: NotifyChoice,
  ): Promise<void> {
    await commits.write(
      async (unitOfWork) => {
        await changeMembers(unitOfWork, classId, (members) => {
          const membership = members.get(accountId);
          if (!membership) throw new AppError('NOT_FOUND');
          members.set(accountId, { ...membership, notify });
          return true;
        });
      },
      { classId },
    );
  }

  /** Changes settings in one transaction: the profile page and a link in a mail may change them at the same time. */
  async #changeSettings(
    commits: Commits,
    accountId: string,
    changes: Partial<StoredSettings>,
  ): Promise<void> {
    await commits.write(
      async ({ db: tx }) => {
        await this.#server.accountRecords.change(tx, accountId, ({ settings }) =>
          changes.digest === settings.digest ? null : { settings: { ...settings, ...changes } },
        );
      },
      { accountId },
    );
  }
}
