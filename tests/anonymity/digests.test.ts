// The digest that detects a repeated post must not confirm a guess: an attacker with a copy of the database
// tries short texts and known files.
import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';

const app = setUpApp();

const findRow = async (table: string, key: string, id: string) => {
  const [row] = await app.database.query(`select * from ${table} where "${key}" = '${id}'`);
  return row!;
};

test('no digest of a text can be made without the server’s key [ANON-38]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const socket = await student.connect();
  const { me } = await socket.subscribe(classId);
  const { id } = await socket.post(classId, 'yes');
  const file = await createJpeg();
  const { imageId } = await upload(student, classId, file);
  const digest = String((await findRow('messages', 'id', id))['digest']);

  const ofImage = String((await findRow('images', 'imageId', imageId))['digest']);
  expect(digest).toHaveLength(43);
  expect(ofImage).toHaveLength(43);

  // Any stored value may be part of the digest, in the order that the code uses.
  const hashParts = (...parts: (string | Uint8Array)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('base64url');
  };
  const guesses = [
    hashParts('yes'),
    hashParts('\nyes'),
    hashParts(`${id}\nyes`),
    hashParts(JSON.stringify(['message', id, 'yes', '', '', ''])),
  ];
  expect(guesses).not.toContain(digest);

  const owner = [classId, me.memberId];
  const guessesOfFile = [
    hashParts(file),
    hashParts(`${owner.join('\n')}\n`, file),
    hashParts(JSON.stringify(['image', ...owner]), file),
  ];
  expect(guessesOfFile).not.toContain(ofImage);

  // The same text posted twice has two digests.
  const secondMessage = await socket.post(classId, 'yes');
  expect((await findRow('messages', 'id', secondMessage.id))['digest']).not.toBe(digest);
});

test('an edit or a deletion clears the digest of a message [ANON-38, LOG-30]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const socket = await ada.connect();
  const other = await ben.connect();
  await socket.subscribe(classId);
  await other.subscribe(classId);
  const edited = randomUUID();
  const deletedId = randomUUID();
  await socket.post(classId, 'yes', edited);
  await socket.post(classId, 'no', deletedId);
  await socket.request({ type: 'edit', classId, messageId: edited, text: 'maybe' });

  await socket.request({ type: 'delete', classId, messageId: deletedId });
  const first = { type: 'ack', seq: 1 };
  const second = { type: 'ack', seq: 2 };
  for (const id of [edited, deletedId]) {
    expect((await findRow('messages', 'id', id))['digest']).toBe('');
    expect(await other.post(classId, 'yes', id)).toMatchObject({ code: 'ID_CONFLICT' });
  }
  expect(await socket.post(classId, 'yes', edited)).toMatchObject(first);
  expect(await socket.post(classId, 'no', deletedId)).toMatchObject(second);

  const { messages, seq } = await other.subscribe(classId);
  expect(messages.map(({ text }) => text)).toEqual(['maybe']);
  expect(seq).toBe(4);
});
