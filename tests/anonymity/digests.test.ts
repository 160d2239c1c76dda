// The digest that detects a repeated post must not confirm a guess: an attacker with a copy of the database
// tries short texts and known files.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, enter, newClass, post, startApp, type RunningApp } from '../app/running-app.ts';
import { jpeg, upload } from '../app/pictures.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const rowOf = async (table: string, key: string, id: string) => {
  const [row] = await app.database.query(`select * from ${table} where "${key}" = '${id}'`);
  return row!;
};

test('no digest of a text or a file can be made without the server’s key [ANON-38]', async () => {
  const student = await app.newStudent();
  const classId = await newClass(student);
  const live = await student.connect();
  const { me } = await enter(live, classId);
  const { id } = await post(live, classId, 'yes');
  const file = await jpeg();
  const { imageId } = await upload(student, classId, file);
  const digest = String((await rowOf('messages', 'id', id))['digest']);
  const ofImage = String((await rowOf('images', 'imageId', imageId))['digest']);
  expect(digest).toHaveLength(43);
  expect(ofImage).toHaveLength(43);

  // Any stored value may be part of the digest, in the order that the code uses.
  const sha256 = (...parts: (string | Uint8Array)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('base64url');
  };
  const guesses = [
    sha256('yes'),
    sha256('\nyes'),
    sha256(`${id}\nyes`),
    sha256(JSON.stringify(['message', id, 'yes', '', '', ''])),
  ];
  expect(guesses).not.toContain(digest);
  const owner = [classId, me.memberId];
  const guessesOfFile = [
    sha256(file),
    sha256(`${owner.join('\n')}\n`, file),
    sha256(JSON.stringify(['image', ...owner]), file),
  ];
  expect(guessesOfFile).not.toContain(ofImage);
  // The same text posted twice has two digests.
  const again = await post(live, classId, 'yes');
  expect((await rowOf('messages', 'id', again.id))['digest']).not.toBe(digest);
});

test('an edit and a deletion clear the digest, and a late retry is still acknowledged [ANON-38, LOG-30]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await ben.call('joinClass', { params: { classId } });
  const [live, other] = [await ada.connect(), await ben.connect()];
  await enter(live, classId);
  await enter(other, classId);
  const [edited, deleted] = [randomUUID(), randomUUID()];
  await post(live, classId, 'yes', edited);
  await post(live, classId, 'no', deleted);
  await ask(live, { type: 'edit', classId, messageId: edited, text: 'maybe' });
  await ask(live, { type: 'delete', classId, messageId: deleted });
  const first = { type: 'ack', seq: 1 };
  const second = { type: 'ack', seq: 2 };
  for (const id of [edited, deleted]) {
    expect((await rowOf('messages', 'id', id))['digest']).toBe('');
    expect(await post(other, classId, 'yes', id)).toMatchObject({ code: 'ID_CONFLICT' });
  }
  expect(await post(live, classId, 'yes', edited)).toMatchObject(first);
  expect(await post(live, classId, 'no', deleted)).toMatchObject(second);
  const { messages, seq } = await enter(other, classId);
  expect(messages.map(({ text }) => text)).toEqual(['maybe']);
  expect(seq).toBe(4);
});

test('a start clears the unkeyed digests of an older version [ANON-38, LOG-30]', async () => {
  const student = await app.newStudent();
  const classId = await newClass(student);
  const live = await student.connect();
  await enter(live, classId);
  const { id } = await post(live, classId, 'yes');
  const old = createHash('sha256').update('\nyes').digest('base64url');
  await app.restart(async () => {
    await app.database.query(`update messages set digest = '${old}' where id = '${id}'`);
    await app.database.query(`delete from kysely_migration where name >= '0015-digests'`);
  });
  expect((await rowOf('messages', 'id', id))['digest']).toBe('');
  const retry = await post(await student.connect(), classId, 'yes', id);
  expect(retry).toMatchObject({ type: 'ack', seq: 1 });
});
