// The order in which Vitest runs the test files.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take half a minute or more, mostly waiting. One that starts last leaves the other workers idle. */
const slow = [
  'anonymity/metrics.test.ts',
  'anonymity/moved-order.postgres.test.ts',
  'anonymity/nodes.postgres.test.ts',
  'anonymity/swap.test.ts',
  'app/endings/account-deletion.test.ts',
  'app/account-support/admin-accounts.test.ts',
  'app/health/admin-commands.test.ts',
  'app/backups/backup.postgres.test.ts',
  'app/backups/backup.sqlite.test.ts',
  'app/health/doctor.test.ts',
  'app/notifications/email-digest.test.ts',
  'app/backups/erased.sqlite.test.ts',
  'app/http/limits.test.ts',
  'app/endings/lost-key.sqlite.test.ts',
  'app/mail/mail-queue.test.ts',
  'app/backups/migrate-to-postgres.postgres.test.ts',
  'app/endings/new-key.test.ts',
  'app/notifications/nodes-notifications.postgres.test.ts',
  'app/backups/s3-backups.test.ts',
  'app/web-app/school-themes.sqlite.test.ts',
  'app/roles/speaking-as-staff.test.ts',
  'app/store/start.postgres.test.ts',
  'app/store/start.sqlite.test.ts',
  'app/store/vacuum.postgres.test.ts',
  'hosted/hosted-search.test.ts',
  'pdf/hostile-pdfs.test.ts',
  'pdf/pdf-content.test.ts',
  'storage/page-scrubber.sqlite.test.ts',
  'storage/transfer.postgres.test.ts',
];

const isSlow = ({ moduleId }: TestSpecification) => slow.some((file) => moduleId.endsWith(file));

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is not an array's method
    const sortedFiles = await super.sort(files);
    return [...sortedFiles.filter(isSlow), ...sortedFiles.filter((file) => !isSlow(file))];
  }
}
