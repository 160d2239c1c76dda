// What accounts chose about their notifications: settings for all classes, encrypted in the account's row, and a choice for
// each class in the register of its members. Neither names a persona (decision 50).
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import {
  defaultSettings,
  sealSettings,
  unsealSettings,
  type StoredSettings,
} from '#server/accounts/sealed-settings.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  findNotificationSettings,
  listNotificationSettings,
  listAllNotificationSettings,
  setNotificationSettings,
} from './notifications-queries.ts';
import { changeMembers, type Memberships } from '#server/chat/members/memberships.ts';

interface Dependencies {
  db: Database;
  key: KeyObject;
  personaKey: KeyObject;
  memberships: Memberships;
}

export const defaultNotify: NotifyChoice = 'mentions'; // PUSH-9

const dayMs = 24 * 60 * 60_000;
const accountsPerRead = 500;

/** Settings are saved in the queue of accounts, and the choice for a class in that of classes. */
export class NotificationChoices {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  getSettings(accountId: string): Promise<StoredSettings> {
    return this.#getSettings(this.#dependencies.db, accountId);
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
    for (let lastAccountId = ''; ;) {
      const rows = await listNotificationSettings(
        this.#dependencies.db,
        lastAccountId,
        accountsPerRead,
      );
      const last = rows.at(-1);
      if (!last) return;
      yield rows.flatMap(({ accountId, sealed }) =>
        unsealSettings(this.#dependencies.key, accountId, sealed).digest ? accountId : [],
      );
      lastAccountId = last.accountId;
    }
  }

  /** What the account chose for its classes; classes without a choice are missing. */
  async listChosen(accountId: string): Promise<{ classId: string; notify: NotifyChoice }[]> {
    const { db, memberships } = this.#dependencies;
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
      async ({ db: tx }) => {
        await changeMembers(tx, this.#dependencies.personaKey, classId, (members) => {
          const membership = members.get(accountId);
          if (!membership) throw new AppError('NOT_FOUND');
          members.set(accountId, { ...membership, notify });
          return membership.notify !== notify;
        });
      },
      { classId },
    );
  }

  async #getSettings(from: Database, accountId: string): Promise<StoredSettings> {
    const sealed = await findNotificationSettings(from, accountId);
    return sealed === null
      ? defaultSettings
      : unsealSettings(this.#dependencies.key, accountId, sealed);
  }

  /** Changes settings in one transaction: the profile page and a link in a mail may change them at the same time. */
  async #changeSettings(
    commits: Commits,
    accountId: string,
    changes: Partial<StoredSettings>,
  ): Promise<void> {
    await commits.write(
      async ({ db: tx }) => {
        const previousSettings = await this.#getSettings(tx, accountId);
        if (changes.digest === previousSettings.digest) return;
        const sealed = sealSettings(this.#dependencies.key, accountId, {
          ...previousSettings,
          ...changes,
        });
        await setNotificationSettings(tx, accountId, sealed);
      },
      { accountId },
    );
  }
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
