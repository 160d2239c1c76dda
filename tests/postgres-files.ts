/**
 * The test files that the short form of the step `postgres` runs; `npm run test:all` runs all. Next to the contracts of the
 * storage and the tests that need PostgreSQL, each file is here for a kind of query or write. Together they execute nearly
 * every statement of the server.
 */
export const postgresFiles: readonly string[] = [
  '.postgres.test.ts',
  '.contract.test.ts',
  // Unique addresses, sessions, and links that are used up once.
  'tests/app/accounts/accounts.test.ts',
  // Cascades over every table that has an account, in batches.
  'tests/app/endings/account-deletion.test.ts',
  // Counts and sums, which PostgreSQL returns as text.
  'tests/app/health/admin-overview.test.ts',
  // Lists with filters, patterns and pages.
  'tests/app/class-admin/admin-classes.test.ts',
  // Rows that end at a time.
  'tests/app/announcements/announcements.test.ts',
  // Cases, their reviews and their order in the queue.
  'tests/app/moderation/appeals.test.ts',
  // The joins and groups over unread messages, and mails that are sent once.
  'tests/app/notifications/email-digest.test.ts',
  // The states of files, and their deletion by a partial index.
  'tests/app/pictures/images.test.ts',
  // Queues from which one process takes each row.
  'tests/app/mail/mail-queue.test.ts',
  // The largest write: every row of one class moves to another.
  'tests/app/class-admin/merge-classes.test.ts',
  // Pages of hits.
  'tests/app/message-search/message-search.test.ts',
  // Concurrent decisions, which only one wins.
  'tests/app/moderation/moderation-races.test.ts',
  // Binary columns that a new key rewrites.
  'tests/app/endings/new-key.test.ts',
  // Every change, when the answer to its commit is lost.
  'tests/app/store/restart-equivalence.test.ts',
  // Rows that are deleted in batches when their time is over.
  'tests/app/class-admin/retention.test.ts',
  // Requests that two operators confirm, sealed rows and the audit log.
  'tests/app/moderation/unmasking.test.ts',
  // Votes, which are found by rows of keys and counted by joins.
  'tests/app/questions/questions.test.ts',
  'tests/app/questions/ends-of-votes.test.ts',
  'tests/app/polls/polls.test.ts',
  // Links that a count limits, and settings that are replaced as text.
  'tests/app/lectures/presenter-links.test.ts',
  // Questions that are counted and replaced.
  'tests/app/lectures/waiting-questions.test.ts',
  // Read marks, which only grow.
  'tests/app/chat/unread.test.ts',
  // Months without use, by days.
  'tests/app/endings/unused-accounts.test.ts',
  // Every call and frame, and every row that they leave.
  'tests/anonymity/canary.test.ts',
  'tests/anonymity/swap.test.ts',
  // The files of the tables after every output of the key is replaced.
  'tests/anonymity/stored-outputs.test.ts',
  'tests/anonymity/swap-across-keys.test.ts',
  // The queue by which the search index follows the database.
  'tests/search/follows-database.test.ts',
];
