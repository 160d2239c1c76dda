// A whole university uses the app: each student has another kind of address, name, message and picture.
import { expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { tidyPersonaName } from '#contract/persona.ts';
import { postPictures, upload } from '#tests/support/pictures.ts';
import { createRandom } from '#tests/support/random.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';
import { createPicture } from '#tests/support/university/pictures.ts';

/** Thirty students have each kind of address, name and picture. `npm run test:all` has a thousand. */
const peopleCount = Number(process.env['BACKCHANNEL_TEST_PEOPLE'] ?? 30);
/** The class is smaller than the list of persona names, because each name is unique in a class. */
const classSize = 10;

const app = setUpApp();
const classCount = Math.ceil(peopleCount / classSize);

interface PostedMessage {
  id: string;
  memberId: string;
}

test.each(Array.from({ length: classCount }, (_, n) => [n]))(
  'each student of class %i of a real university can do what a member can do',
  async (classNumber) => {
    const firstNumber = classNumber * classSize;
    const count = Math.min(classSize, peopleCount - firstNumber);
    const fields = university.createClassFields(classNumber);
    const owner = await app.createStudent(`owner${classNumber}`);
    const classId = await owner.createClass(fields);
    const { me: ownerPersona } = await owner.snapshot(classId);
    const opening = await owner.post(classId, fields.courseName);
    const people: { n: number; student: TestClient; message: PostedMessage }[] = [];

    let earlier: PostedMessage = { id: opening.id, memberId: ownerPersona.memberId };
    for (let n = firstNumber; n < firstNumber + count; n++) {
      const student = app.visitor(university.createPerson(n).localPart);
      earlier = await takePart(student, n, classId, earlier).catch((error: unknown) => {
        throw new Error(`Person ${n} (${student.email}) could not take part.`, { cause: error });
      });
      people.push({ n, student, message: earlier });
    }

    const { messages } = await owner.snapshot(classId);
    const shownTexts = new Map(messages.map((message) => [message.id, message.text]));

    await Promise.all(
      people.map(async ({ n, student, message }) => {
        const { localPart } = university.createPerson(n);
        const file = accountExportSchema.parse(await student.call('exportAccount', {}));
        expect(file.email).toBe(`${localPart}@university.edu`.toLowerCase());
        expect(file.classes, localPart).toMatchObject([
          {
            persona: { anonymousName: tidyPersonaName(university.createPerson(n).personaName) },
            messages: [{ text: university.createMessageText(n) }, { images: [{}] }],
            reactions: [{ emoji: '👍' }],
            reports: [{ text: createReportText(n) }],
          },
        ]);
        // The snapshot has the newest messages only.
        const shownText = shownTexts.get(message.id) ?? university.createMessageText(n);
        expect(shownText).toBe(university.createMessageText(n));

        await student.call('deleteAccount', {
          body: { password: student.password, messages: 'delete' },
        });
        await expect(student.newBrowser().signIn()).rejects.toMatchObject({
          code: 'WRONG_CREDENTIALS',
        });
      }),
    );
    for (const { student } of people) {
      expect(app.logLines.filter((line) => line.includes(student.email))).toEqual([]);
    }
  },
);

/** Signs up and does what a member can do, with the message of the previous student as the target. */
async function takePart(
  student: TestClient,
  n: number,
  classId: string,
  earlier: PostedMessage,
): Promise<PostedMessage> {
  const { personaName } = university.createPerson(n);
  const params = { classId };
  await student.signUp();
  await student.newBrowser().signIn();
  await student.join(classId);
  await student.call('changePersona', { params, body: { anonymousName: personaName } });

  const socket = await student.connect();
  const text = university.createMessageText(n);
  const { me } = await socket.subscribe(classId);
  const reply = await socket.post(classId, text);
  expect(reply, text).toMatchObject({ type: 'ack' });
  const reaction = { type: 'react', classId, messageId: earlier.id, emoji: '👍' };
  expect(await socket.request(reaction)).toMatchObject({ type: 'ack' });

  const { name, bytes } = await createPicture(createRandom(n), n);
  const { imageId } = await upload(student, classId, bytes);
  await postPictures(socket, classId, [{ imageId, alt: name }]);

  await student.call('reportMember', {
    params,
    body: {
      memberId: earlier.memberId,
      reason: 'spam',
      text: createReportText(n),
    },
  });
  socket.close();
  return { id: reply.id, memberId: me.memberId };
}

function createReportText(n: number): string {
  return university.createMessageText(n).slice(0, 200).toWellFormed().trim();
}
