import { isDeepStrictEqual } from 'node:util';
import type { Class } from '#contract/entities.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { listFindableAfter, toClass } from '#server/chat/classes/classes-queries.ts';
import { writeMetadata } from '#server/store/server-metadata-queries.ts';
import { enqueueClasses } from '#server/chat/classes/search-index-queue-queries.ts';
import type { HostedIndex } from './hosted-index.ts';
import { settingsMetadataName } from './index-writer.ts';

/**
 * Replaces the hosted index, whether or not a server is running. A running server may write to the old index
 * meanwhile, so classes that changed are queued again.
 *
 * @returns the number of classes in the new index
 */
export async function reindex(
  index: HostedIndex,
  { db, commits }: { db: Database; commits: CommitQueue },
): Promise<number> {
  const classesBefore = await listClasses(db);
  await index.writeSettings();
  await index.replaceAll([...classesBefore.values()]);
  const classesAfter = await listClasses(db);
  const changedIds = [...new Set([...classesBefore.keys(), ...classesAfter.keys()])].filter(
    (classId) => !isDeepStrictEqual(classesBefore.get(classId), classesAfter.get(classId)),
  );
  await commits.write(async (unitOfWork) => {
    await writeMetadata(unitOfWork.db, settingsMetadataName, index.settingsVersion);
    await enqueueClasses(unitOfWork.db, changedIds);
  }, 'independent');
  return classesBefore.size;
}

const rowsPerBatch = 2000;

async function listClasses(db: Database): Promise<Map<string, Class>> {
  const classes = new Map<string, Class>();
  let last = '';
  for (;;) {
    const rows = await listFindableAfter(db, last, rowsPerBatch);
    for (const row of rows) classes.set(row.classId, toClass(row));
    const lastRow = rows.at(-1);
    if (!lastRow) return classes;
    last = lastRow.classId;
  }
}
