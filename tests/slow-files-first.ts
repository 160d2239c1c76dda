// The order in which Vitest runs the test files.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take half a minute or more, mostly waiting. One that starts last leaves the other workers idle. */
const slow = [
  'anonymity/metrics.test.ts',
  'anonymity/moved-order.postgres.test.ts',
  'anonymity/nodes.postgres.test.ts',
  'anonymity/stolen-marks.test.ts',
  'anonymity/swap.test.ts',
  'app/account-deletion.test.ts',
  'app/admin-accounts.test.ts',
  'app/admin-commands.test.ts',
  'app/backup.postgres.test.ts',
  'app/backup.sqlite.test.ts',
  'app/doctor.test.ts',
  'app/email-digest.test.ts',
  'app/erased.sqlite.test.ts',
  'app/limits.test.ts',
  'app/lost-key.sqlite.test.ts',
  'app/mail-queue.test.ts',
  'app/migrate-to-postgres.postgres.test.ts',
  'app/moderation-crash.test.ts',
  'app/new-key.test.ts',
  'app/nodes-notifications.postgres.test.ts',
  'app/s3-backups.test.ts',
  'app/school-themes.sqlite.test.ts',
  'app/speaking-as-staff.test.ts',
  'app/start.postgres.test.ts',
  'app/start.sqlite.test.ts',
  'app/university.test.ts',
  'app/vacuum.postgres.test.ts',
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
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
