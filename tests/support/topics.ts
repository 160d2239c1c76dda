// The topics of a class.
import { randomBytes } from 'node:crypto';

/** Stores a topic, without an entry of the log. The settings keep their version. */
export async function addTopic(
  { database }: { database: { query(sql: string): Promise<unknown> } },
  classId: string,
): Promise<{ topicId: string }> {
  const topicId = randomBytes(12).toString('base64url');
  const topics = JSON.stringify([{ topicId, name: 'Homework' }]);
  await database.query(
    `insert into "classSettings"
       ("classId", version, "slowModeSeconds", "readOnly", "picturesOff", description, rules, pins, topics)
     values ('${classId}', 0, 0, 0, 0, '', '', '[]', '${topics}')
     on conflict ("classId") do update set topics = excluded.topics`,
  );
  return { topicId };
}
