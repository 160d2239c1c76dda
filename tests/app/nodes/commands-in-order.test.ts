// Entries that a command appends to the log of a class reach open pages in the order of the log.
import { expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { writeChange } from '#tests/support/write-change.ts';
import { editClass } from '#server/features/class-admin/class-administration.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

test('open pages get the entries of a command in order and without gaps [LOG-84]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const writer = await ada.connectTo(classId);
  const reader = await ben.connect();
  const { seq: head } = await reader.subscribe(classId);
  await reader.waitFor('live');

  const { database } = loadConfig(app.database.settings);
  for (const courseName of ['First name', 'Second name']) {
    const fields = { ...someClass, courseName, year: 2026 };
    await writeChange(database, (unitOfWork) => editClass(unitOfWork, classId, fields, ''));
  }

  await writer.post(classId, 'after both');
  await reader.waitFor('events', ({ to }) => to === head + 3);

  const seqs = reader.frames.flatMap((frame) =>
    frame.type === 'events' ? frame.items.map(({ seq }) => seq) : [],
  );
  expect(seqs).toEqual([head + 1, head + 2, head + 3]);
});
