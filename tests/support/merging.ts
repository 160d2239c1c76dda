// Steps that the tests of merged classes share.
import { editMembers } from './members.ts';
import { grantRole } from './moderation.ts';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';
import { insertStoredAccount, listStoredAccounts } from '#tests/support/stored-accounts.ts';

export async function createOperator(app: RunningApp): Promise<TestClient> {
  const operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
  return operator;
}

export async function mergeAll(
  operator: TestClient,
  classId: string,
  keptClassId: string,
): Promise<void> {
  await operator.call('mergeClass', { params: { classId }, body: { keptClassId } });
}

let silent = 0;

/**
 * Adds members who have never signed in, by the database: hundreds of sign-ups would take minutes.
 *
 * @returns the ids of their accounts
 */
export async function addSilentMembers(
  app: RunningApp,
  count: number,
  classIds: readonly string[],
): Promise<string[]> {
  if (count === 0) return [];
  const { query } = app.database;
  const ids = Array.from({ length: count }, () => `silent-${++silent}`);
  const [someone] = await listStoredAccounts(app.database);
  for (const id of ids) {
    const keys = { mailboxKey: null, signOnKey: null };
    await insertStoredAccount(app.database, {
      ...someone!,
      ...keys,
      id,
      email: `${id}@university.edu`,
    });
  }
  for (const classId of classIds) {
    await editMembers(app.database.settings, classId, (members) => {
      for (const id of ids) members.set(id, { joinedDay: 20_000 });
    });
    await query(
      `update classes set "memberCount" = "memberCount" + ${count} where "classId" = '${classId}'`,
    );
  }
  return ids;
}
