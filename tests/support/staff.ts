// The role of staff in tests.
import { grantStaffByCommand } from './roles.ts';
import type { TestDatabase } from './test-database.ts';
import type { TestClient } from './test-client.ts';

export async function grantStaff(
  app: { database: Pick<TestDatabase, 'settings'> },
  { email }: TestClient,
  classId: string,
  name: string,
): Promise<void> {
  await grantStaffByCommand(app.database.settings, { email, classId }, name);
}
