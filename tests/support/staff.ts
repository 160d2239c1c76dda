// The role of staff in tests.
import { expect } from 'vitest';
import { admin } from './run-command.ts';
import type { TestDatabase } from './test-database.ts';
import type { TestClient } from './test-client.ts';

export async function grantStaff(
  app: { database: Pick<TestDatabase, 'settings'> },
  { email }: TestClient,
  classId: string,
  name: string,
): Promise<void> {
  const { code, errors } = await admin(
    app.database.settings,
    ...['grant-staff', email, classId, name],
  );
  expect([code, errors]).toEqual([0, []]);
}
