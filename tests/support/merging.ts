// Steps that the tests of merged classes share.
import { grantRole } from './moderation.ts';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';
import { insertStoredAccount, listStoredAccounts } from '#tests/support/stored-accounts.ts';

export async function createOperator(app: RunningApp): Promise<TestClient> {
  const operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
  return operator;
}

/** @returns how many steps were left after each call */
export async function mergeAll(
  operator: TestClient,
  classId: string,
  keptClassId: string,
): Promise<number[]> {
  const stepCounts: number[] = [];
  do {
    const reply = await operator.call('mergeClass', { params: { classId }, body: { keptClassId } });
    stepCounts.push(reply.stepsLeft);
  } while (stepCounts.at(-1) !== 0);
  return stepCounts;
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
    await query(
      `insert into enrollments ("accountId", "classId", "joinedDay") values ${ids
        .map((id) => `('${id}', '${classId}', 20000)`)
        .join()}`,
    );
    await query(
      `update classes set "memberCount" = "memberCount" + ${count} where "classId" = '${classId}'`,
    );
  }
  return ids;
}
