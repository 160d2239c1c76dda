// Two classes that the same students take, with their memberIds.
import { randomInt } from 'node:crypto';
import { toMentionToken } from '#contract/mentions.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { university } from '#tests/support/university.ts';

/**
 * The number of students. By chance, an attempt pairs one of them on average, and nine or more in one of a million attempts.
 */
export const size = 24;
export const maxChanceHits = 8;

export interface PopulatedClass {
  classId: string;
  /** Account ids to memberIds. */
  truth: ReadonlyMap<string, string>;
  members: ReadonlyMap<TestClient, string>;
}

/**
 * Students join in one order and appear in another, with different orders in each class.
 *
 * @param silent no student posts
 */
export async function fillSchool(app: RunningApp, silent = false): Promise<PopulatedClass[]> {
  const students: TestClient[] = [];
  for (let n = 0; n < size; n++) students.push(await app.createStudent());
  const owner = await app.createStudent();
  const classIds = [await owner.createClass(), await owner.createClass({ courseNumber: '7' })];
  for (const classId of classIds) {
    for (const student of shuffle(students)) await student.join(classId);
  }
  const accounts = await app.database.query('select id, email from accounts');
  const idsByEmail = new Map(accounts.map(({ id, email }) => [String(email), String(id)]));
  const classes: PopulatedClass[] = [];
  for (const classId of classIds) {
    const members = new Map<TestClient, string>();
    for (const student of shuffle(students)) {
      const socket = await student.connect();
      members.set(student, (await socket.subscribe(classId)).me.memberId);
      if (!silent) await showStudents(student, socket, classId, [...members.values()]);
      await student.call('savePreferences', {
        params: { classId },
        body: { ignored: [...members.values()].slice(0, -1), hidden: [], muted: false, version: 0 },
      });
      socket.close();
    }
    const truth = new Map([...members].map(([{ email }, id]) => [idsByEmail.get(email) ?? '', id]));
    classes.push({ classId, truth, members });
  }
  return classes;
}

/** Some students choose a name. Each posts, reports someone, mentions someone who appeared before, and has another read position. */
async function showStudents(
  student: TestClient,
  socket: TestSocket,
  classId: string,
  memberIds: readonly string[],
): Promise<void> {
  const n = memberIds.length;
  if (randomInt(2) === 0) {
    const body = { anonymousName: university.createPerson(n).personaName };
    await student.call('changePersona', { params: { classId }, body });
  }
  const mention = toMentionToken(shuffle(memberIds)[0] ?? '');
  await socket.post(classId, `${university.createMessageText(n)} ${mention}`);
  if (randomInt(3) === 0) {
    const { imageId } = await upload(student, classId, await createJpeg(8 + n));
    const isPdf = randomInt(3) === 0;
    const other = await upload(
      student,
      classId,
      isPdf ? createOnePage({}) : await createJpeg(8, 8 + n),
    );
    const images = [{ imageId, alt: `Board ${n}` }, { imageId: other.imageId }];
    await postPictures(socket, classId, images);
  }
  const otherIds = memberIds.slice(0, -1);
  if (otherIds.length > 0) {
    const body = { memberId: shuffle(otherIds)[0] ?? '', reason: 'spam' } as const;
    await student.call('reportMember', { params: { classId }, body });
  }
  socket.send({ type: 'read', classId, seq: n });
  // Rows of accounts that change in the order in which their personas appeared.
  await chooseNotifications(student, classId, 'all');
  await saveSettings(student, { showText: true });
}

export function shuffle<Item>(list: Iterable<Item>): Item[] {
  const remainingItems = [...list];
  return Array.from({ length: remainingItems.length }, () =>
    remainingItems.splice(randomInt(remainingItems.length), 1),
  ).flat();
}

/** The number of pairs that a thief guessed right. */
export function countHits(
  guess: readonly (readonly [string, string])[],
  truth: ReadonlyMap<string, string>,
): number {
  return guess.filter(([account, member]) => truth.get(account) === member).length;
}
