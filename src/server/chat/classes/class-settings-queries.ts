// What moderators set for a class.
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { ClassSettings, Lecture, Topic } from '#contract/entities.ts';
import { isOver, type QuietTime } from '#contract/quiet-times.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { prepareQuery } from '#server/store/prepare-query.ts';

const selectSettings = prepareQuery((db, $: { classId: string }) =>
  db.selectFrom('classSettings').selectAll().where('classId', '=', $.classId),
);

/** Finds the settings, without the quiet times that are over. */
export async function findSettings(db: Database, classId: string): Promise<ClassSettings> {
  const [row] = await selectSettings(db, { classId });
  if (!row) return defaultClassSettings;
  const { version, slowModeSeconds, description, rules } = row;
  const now = Date.now();
  const quietTimes = (JSON.parse(row.quietTimes) as QuietTime[]).filter(
    (quietTime) => !isOver(quietTime, now),
  );
  return {
    version,
    slowModeSeconds,
    readOnly: row.readOnly === 1,
    picturesOff: row.picturesOff === 1,
    description,
    rules,
    pins: JSON.parse(row.pins) as string[],
    quietTimes,
    ...(row.lecture !== null && { lecture: JSON.parse(row.lecture) as Lecture }),
    ...(row.topics !== null && { topics: JSON.parse(row.topics) as Topic[] }),
  };
}

export async function listTopicNames(
  db: Database,
  classId: string,
): Promise<ReadonlyMap<string | null, string>> {
  const { topics = [] } = await findSettings(db, classId);
  return new Map(topics.map(({ topicId, name }) => [topicId, name]));
}

export async function saveSettings(
  db: DatabaseTransaction,
  classId: string,
  settings: ClassSettings,
): Promise<void> {
  const values = {
    ...settings,
    readOnly: Number(settings.readOnly),
    picturesOff: Number(settings.picturesOff),
    pins: JSON.stringify(settings.pins),
    quietTimes: JSON.stringify(settings.quietTimes),
    lecture: settings.lecture ? JSON.stringify(settings.lecture) : null,
    topics: settings.topics ? JSON.stringify(settings.topics) : null,
  };
  await db
    .insertInto('classSettings')
    .values({ classId, ...values })
    .onConflict((conflict) => conflict.column('classId').doUpdateSet(values))
    .execute();
}
