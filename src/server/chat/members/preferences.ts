// What members chose for themselves in a class: whom they ignore, what they hide, whether it or a topic is muted (decision 98).
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { SavedPreferences } from '#contract/preferences.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Registers } from '#server/store/registers.ts';
import type { Database } from '#server/store/tables.ts';

/** The account whose preferences in a class are meant. */
export interface PreferenceOwner {
  classId: string;
  accountId: string;
}

const noPreferences: SavedPreferences = {
  ignored: [],
  hidden: [],
  muted: false,
  version: 0,
};

export class PreferenceStore {
  readonly #db: Database;
  readonly #registers: Registers;

  constructor(db: Database, registers: Registers) {
    this.#db = db;
    this.#registers = registers;
  }

  async get({ classId, accountId }: PreferenceOwner): Promise<SavedPreferences> {
    const entries = await this.#registers.read(this.#db, 'preferences', classId);
    return entries.get(accountId) ?? noPreferences;
  }

  /**
   * @param check called in the commit, because the membership may have ended in the meantime
   * @throws {AppError} PREFERENCES_CHANGED if `version` is not the last one, TOO_MANY_IGNORED, and the errors of `check`
   */
  async save(
    commits: Commits,
    { classId, accountId }: PreferenceOwner,
    changedPreferences: SavedPreferences,
    check?: (unitOfWork: UnitOfWork) => Promise<unknown>,
  ): Promise<SavedPreferences> {
    if (changedPreferences.ignored.length > limits.ignoredMembers) {
      throw new AppError('TOO_MANY_IGNORED');
    }
    let preferences = { ...changedPreferences, version: changedPreferences.version + 1 };
    // The account cannot leave the class during the commit.
    await commits.write(
      async (unitOfWork) => {
        await check?.(unitOfWork);
        await this.#registers.change(unitOfWork.db, 'preferences', classId, (entries) => {
          const { version, mutedTopics } = entries.get(accountId) ?? noPreferences;
          if (changedPreferences.version !== version) throw new AppError('PREFERENCES_CHANGED');
          // A browser of an earlier version knows no topics.
          preferences = { ...(mutedTopics && { mutedTopics }), ...preferences };
          entries.set(accountId, preferences);
          return true;
        });
      },
      { accountId },
    );
    return preferences;
  }
}
