// Recomputes all name keys if `personaNameKey` has changed. Names stay the same.
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import { readMetadata, writeMetadata } from '../storage/queries/facts.ts';
import { clearNameKeys, listNamed, setNameKey } from '../storage/queries/personas.ts';
import { personaNameKey } from './persona-name-key.ts';

const factName = 'nameKeys';
/** Increase it with each change of `personaNameKey`. */
const version = '2';

/** If two members' names now look the same, both keep their names, but only one keeps the key. */
export async function renewNameKeys(reader: Database, commits: CommitQueue): Promise<void> {
  if ((await readMetadata(reader, factName)) === version) return;
  await commits.write(async ({ db }) => {
    const personas = await listNamed(db);
    await clearNameKeys(db);
    const taken = new Set<string>();
    for (const { classId, memberId, anonymousName } of personas) {
      const nameKey = personaNameKey(anonymousName);
      const place = `${classId}\n${nameKey}`;
      if (taken.has(place)) continue;
      taken.add(place);
      await setNameKey(db, classId, memberId, nameKey);
    }
    await writeMetadata(db, factName, version);
  });
}
