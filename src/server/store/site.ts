// What rules and queries ask besides the rows. It stays the same while the server runs.
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Database } from './tables.ts';

export interface Site {
  keys: ServerKeys;
  /** The addresses of the setting OPERATORS, in lower case. */
  operators: readonly string[];
  accountRecords: {
    listIds(
      db: Database,
      emails: readonly string[],
    ): Promise<readonly { accountId: string; email: string }[]>;
    listById(
      db: Database,
      ids: readonly string[],
      options?: { skipsDamaged?: boolean },
    ): Promise<readonly { id: string; email: string; language: string | null }[]>;
  };
}

/** What a function that reads is given. In a commit, it is the unit of work. */
export interface Reader {
  db: Database;
  site: Site;
}

const fail = (): never => {
  throw new Error('This program has not loaded the server key.');
};

/** For commands that need no key. */
export const noSite: Site = {
  get keys() {
    return fail();
  },
  get operators() {
    return fail();
  },
  get accountRecords() {
    return fail();
  },
};
