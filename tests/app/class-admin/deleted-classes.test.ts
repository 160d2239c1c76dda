// Deleted classes: an administrator can restore them within 30 days, then the server erases them.
import { existsSync, readdirSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { postPicture, upload } from '#tests/support/pictures.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const patience = { timeout: 20_000, interval: 100 };
const runCommand = (name: string, classId: string) =>
  runAdminCommand(app.database.settings, name, classId);
const getToday = () => Math.floor(Date.now() / 86_400_000);

/** Sets the deletion time back by this many days. */
const setDeletedDaysAgo = (classId: string, days: number) =>
  app.database.query(
    `update classes set "deletedDay" = ${getToday() - days} where "classId" = '${classId}'`,
  );

/** The number of the class's rows in each table. */
async function countRows(classId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, rows] of Object.entries(await app.database.tables())) {
    const rowCount = rows.filter((row) => row['classId'] === classId).length;
    if (rowCount > 0) counts[name] = rowCount;
  }
  return counts;
}

/** A class with two members, a persona name, messages, a mention, a reaction and a picture. */
async function createLivelyClass(
  ada: TestClient,
  ben: TestClient,
  text: string,
  courseName: string,
) {
  const classId = await ada.createClass({ courseName });
  await ben.join(classId);
  const { persona } = await ada.call('changePersona', {
    params: { classId },
    body: { anonymousName: 'Otter' },
  });
  const sockets = [await ada.connect(), await ben.connect()] as const;
  const { id: messageId } = await sockets[0].post(classId, text);
  sockets[1].send({ type: 'react', classId, messageId, emoji: '👍', rid: 999 });
  await sockets[1].waitForReply(999);
  const { imageId } = await upload(ben, classId, createOnePage({}));
  await postPicture(sockets[1], classId, imageId);
  await sockets[1].post(classId, `Hello ${toMentionToken(persona.memberId)}`);
  const body = { ignored: [persona.memberId], hidden: [], muted: true, version: 0 };
  await ben.call('savePreferences', { params: { classId }, body });
  const room = await sockets[0].subscribe(classId);
  return { classId, imageId, room };
}

test('a restored class has all that it had before its deletion, and search finds it again [ADMIN-11]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();

  const { classId, imageId, room } = await createLivelyClass(ada, ben, 'hello', 'Palaeography');
  expect((await runCommand('delete-class', classId)).out).toContain(
    `kept for 30 days, then erased. Until then: npm run admin -- restore-class ${classId}`,
  );
  await expect.poll(async () => (await findClasses(ada, 'palaeography')).nbHits, patience).toBe(0);

  await setDeletedDaysAgo(classId, 30);
  await app.restart();

  const restored = await runCommand('restore-class', classId);
  expect(restored).toMatchObject({ code: 0, errors: [] });
  expect(restored.out).toContain('The class CS 146 is back');
  for (const student of [ada, ben]) {
    const { classes } = await student.call('listClasses', {});
    expect(classes.map((item) => item.classId)).toEqual([classId]);
  }

  const restoredRoom = await ada.snapshot(classId);
  expect(restoredRoom.messages).toEqual(room.messages);
  expect(restoredRoom.personas).toEqual(room.personas);
  expect(restoredRoom.me).toEqual(room.me);
  expect((await ben.fetch(`/images/${imageId}.webp`)).status).toBe(200);
  await expect.poll(async () => (await findClasses(ada, 'palaeography')).nbHits, patience).toBe(1);
  expect(await ben.post(classId, 'and on')).toMatchObject({ type: 'ack' });
  expect((await runCommand('restore-class', classId)).errors[0]).toContain('no deleted class');
});

test('the server erases only classes that were deleted more than 30 days ago [ADMIN-12, PDF-12]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const erasedText = randomUUID();
  const keptText = randomUUID();
  const { classId, imageId } = await createLivelyClass(ada, ben, erasedText, 'Gone');
  const other = await createLivelyClass(ada, ben, keptText, 'Kept');

  // More rows than one commit deletes.
  for (let n = 0; n < 450; n++) {
    await app.database.query(
      `insert into log ("classId", seq, id, kind, ref) values ('${classId}', ${1000 + n}, 'x', 'class', '')`,
    );
  }
  const listFiles = () => readdirSync(join(app.database.settings.DATA_DIR, 'images'));
  const listPdfFiles = () => listFiles().filter((name) => name.startsWith(imageId));
  expect(listPdfFiles()).toHaveLength(3);

  await runCommand('delete-class', classId);
  await runCommand('delete-class', other.classId);
  await setDeletedDaysAgo(classId, 31);
  await setDeletedDaysAgo(other.classId, 30);
  // A stop writes the read marks.
  await app.restart();
  const countsBefore = await countRows(other.classId);

  expect((await runCommand('restore-class', classId)).errors[0]).toContain('more than 30 days ago');

  await app.restart();
  // The server deletes the files at the next start or within a minute, then their rows and the class.
  const countOtherRows = async () => {
    const { classes: _class, images: _images, ...rows } = await countRows(classId);
    return rows;
  };
  // The deletion stays in the audit log.
  await expect.poll(countOtherRows, patience).toEqual({ auditLog: 1 });

  await app.restart();
  await expect.poll(listPdfFiles, patience).toEqual([]);
  await expect.poll(async () => (await countRows(classId))['images'] ?? 0, patience).toBe(0);

  await app.restart();
  await expect.poll(() => countRows(classId), patience).toEqual({ auditLog: 1 });
  await expect.poll(() => app.database.content(), patience).not.toContain(erasedText);

  expect(await countRows(other.classId)).toEqual(countsBefore);
  expect(existsSync(join(app.database.settings.DATA_DIR, 'images', `${other.imageId}.webp`))).toBe(
    true,
  );
  expect((await runCommand('restore-class', other.classId)).code).toBe(0);

  const { messages } = await ada.snapshot(other.classId);
  expect(messages[0]).toMatchObject({ text: keptText });
  expect((await ada.call('listClasses', {})).classes.map((item) => item.classId)).toEqual([
    other.classId,
  ]);
});
