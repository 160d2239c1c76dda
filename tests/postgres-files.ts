/**
 * The test files that the short form of the step `postgres` runs; `npm run test:all` runs all. Next to the contracts of the
 * storage and the tests that need PostgreSQL, these are the files of what can differ between the engines. Rules of people run
 * on SQLite only: `tests/anonymity` and `restart-equivalence` execute nearly every statement of the server.
 */
export const postgresFiles: readonly string[] = [
  '.postgres.test.ts',
  '.contract.test.ts',
  // Calls that race, where each commit reads what others have committed.
  'tests/app/store/simultaneous-calls.test.ts',
  'tests/app/moderation/moderation-races.test.ts',
  // Every change, when the answer to its commit is lost.
  'tests/app/store/restart-equivalence.test.ts',
  // Cascades over every table that has an account, in batches.
  'tests/app/endings/account-deletion.test.ts',
  // The largest write: every row of one class moves to another.
  'tests/app/class-admin/merge-classes.test.ts',
  // Patterns, case, order and pages.
  'tests/app/class-admin/class-list.test.ts',
  // Counts and sums, which PostgreSQL returns as text.
  'tests/app/health/admin-overview.test.ts',
  // Rows that are deleted in batches when their time is over.
  'tests/app/class-admin/retention.test.ts',
  'tests/app/endings/unused-accounts.test.ts',
  // The joins and groups over unread messages, and mails that are sent once.
  'tests/app/notifications/email-digest.test.ts',
  // Pages of hits.
  'tests/app/message-search/message-search.test.ts',
  // Every call and frame, and every row that they leave.
  'tests/anonymity/canary.test.ts',
  'tests/anonymity/swap.test.ts',
  // The files, the log and the dump of each engine.
  'tests/anonymity/stolen-database.test.ts',
  // Columns that a new key rewrites, and the files of the tables after that.
  'tests/anonymity/stored-outputs.test.ts',
  'tests/anonymity/swap-across-keys.test.ts',
  // The queue by which the search index follows the database.
  'tests/search/follows-database.test.ts',
];
