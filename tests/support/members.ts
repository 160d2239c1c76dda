// Opens the registers of members with the server key of the test.
import { changeMembers, listMembers, type Membership } from '#server/chat/members/memberships.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { runOnDatabase } from '#server/commands/run-on-database.ts';
import { loadConfig } from '#server/config/config.ts';
import type { TestDatabase } from './test-database.ts';

type Settings = TestDatabase['settings'];

/** @returns the members of each class */
export async function listAllMembers(
  settings: Settings,
): Promise<Map<string, ReadonlyMap<string, Membership>>> {
  const config = loadConfig({ ...settings });
  const { site } = loadCommandKeys(config);
  return runOnDatabase(config.database, async ({ db }) => {
    const rows = await db
      .selectFrom('registers')
      .select('classId')
      .where('kind', '=', 'members')
      .orderBy('classId')
      .execute();
    const classes = new Map<string, ReadonlyMap<string, Membership>>();
    for (const { classId } of rows) {
      classes.set(classId, await listMembers({ db, site }, classId));
    }
    return classes;
  });
}

export async function listAccountsIn(settings: Settings, classId: string): Promise<string[]> {
  return [...((await listAllMembers(settings)).get(classId)?.keys() ?? [])];
}

/** Changes the members next to a running server, whose index does not learn of it. */
export async function editMembers(
  settings: Settings,
  classId: string,
  change: (members: Map<string, Membership>) => unknown,
): Promise<void> {
  const config = loadConfig({ ...settings });
  const { site } = loadCommandKeys(config);
  await runOnDatabase(config.database, ({ commits }) =>
    commits.write(
      (unitOfWork) =>
        changeMembers({ ...unitOfWork, site }, classId, (members) => {
          change(members);
          return true;
        }),
      { classId },
    ),
  );
}
