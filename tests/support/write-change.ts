import { runOnDatabase } from '#server/commands/run-on-database.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Change } from '#server/store/changes.ts';

/** Writes to the database as an operator's command does, while no change of a server runs. */
export function writeChange<Result>(
  database: Config['database'],
  change: Change<Result>,
): Promise<Result> {
  return runOnDatabase(database, ({ commits }) => commits.write(change, 'everything'));
}
