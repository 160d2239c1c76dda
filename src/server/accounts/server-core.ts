// What the modules above the mails get from the server. The `Server` of feature.ts has more.
import type { ClientAddresses } from '#server/base/client-addresses.ts';
import type { FileSandbox } from '#server/base/file-worker.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { Log } from '#server/base/log.ts';
import type { Metrics } from '#server/base/metrics.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { Config } from '#server/config/config-types.ts';
import type { MailQueue } from '#server/mail/mail-queue.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Site } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import type { AccountRecords } from './account-records.ts';
import type { BlockedAddresses } from './blocked-addresses.ts';
import type { LimitedMails } from './limited-mails.ts';
import type { Mailboxes } from './mailboxes.ts';
import type { SessionRecords } from './session-records.ts';

export interface ServerCore {
  config: Config;
  log: Log;
  keys: ServerKeys;
  site: Site;
  /** Identifies the server key. */
  keyCheck: string;
  metrics: Metrics;
  limiter: Limiter;
  addresses: ClientAddresses;
  mailboxes: Mailboxes;
  accountRecords: AccountRecords;
  sessionRecords: SessionRecords;
  /** The sandbox of the processes that decode files. */
  sandbox: Promise<FileSandbox>;
  db: Database;
  /** Removes deleted data from the disk. Call it after each deletion. */
  onErased(): void;
  /** Identifies the history of the database. A restored database has another epoch. */
  epoch: string;
  lease: BackgroundLease;
  /** The queue of classes. */
  commits: CommitQueue;
  /** The queue of accounts and sessions: rows of one transaction would pair an account with a class. */
  accountCommits: CommitQueue;
  mails: MailQueue;
  limitedMails: LimitedMails;
  blockedAddresses: BlockedAddresses;
}
