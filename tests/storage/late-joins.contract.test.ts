// The member counts of classes that courses of a learning platform lead to.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { delayJoins, findClass } from '#server/chat/classes/classes-queries.ts';
import { publishLateJoins, removeMember } from '#server/chat/members/joining.ts';
import { publishSomeJoins } from '#server/features/lti/feature.ts';
import { addClass, enroll, openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

async function addLinkedClass(): Promise<string> {
  const classId = await addClass(storage);
  await storage.commits.write(({ db }) => delayJoins(db, classId), { classId });
  return classId;
}

async function join(classId: string): Promise<string> {
  const accountId = createRandomId();
  await storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), { classId });
  return accountId;
}

const leave = (classId: string, accountId: string) =>
  storage.commits.write((unitOfWork) => removeMember(unitOfWork, accountId, classId), { classId });

const publish = (classId: string) =>
  storage.commits.write((unitOfWork) => publishLateJoins(unitOfWork, classId), { classId });

const countMembers = async (classId: string) => (await findClass(storage.db, classId))?.memberCount;

test('who joins a class with a course is counted later, and who leaves meanwhile is taken from them [LTI-16]', async () => {
  const classId = await addLinkedClass();
  await join(classId);
  await publish(classId);
  expect(await countMembers(classId)).toBe(1);

  const accountId = await join(classId);
  await join(classId);
  expect(await countMembers(classId)).toBe(1);
  await leave(classId, accountId);
  expect(await countMembers(classId)).toBe(1);
  await publish(classId);
  expect(await countMembers(classId)).toBe(2);
  await publish(classId);
  expect(await countMembers(classId)).toBe(2);
});

test('a class without a course counts its members at once, also after the first course [JOIN-4, LTI-16]', async () => {
  const classId = await addClass(storage);
  const accountId = await join(classId);
  await join(classId);
  expect(await countMembers(classId)).toBe(2);

  await storage.commits.write(({ db }) => delayJoins(db, classId), { classId });
  expect(await countMembers(classId)).toBe(2);
  await leave(classId, accountId);
  expect(await countMembers(classId)).toBe(1);
});

test('the member counts of several classes grow at random times [LTI-16]', async () => {
  const classIds = await Promise.all(Array.from({ length: 12 }, addLinkedClass));
  for (const classId of classIds) await join(classId);
  const log = createLog({ write: () => {} });
  const minutes = new Map<string, number>();

  for (let minute = 0; minutes.size < classIds.length; minute += 1) {
    await publishSomeJoins({ ...storage, lease: { isHeld: () => true }, log });
    for (const classId of classIds) {
      const isNew = !minutes.has(classId) && (await countMembers(classId)) === 1;
      if (isNew) minutes.set(classId, minute);
    }
  }

  // One in thirty each minute: that all of them grow within these minutes has a probability below a millionth.
  expect(Math.max(...minutes.values())).toBeGreaterThan(10);
  expect(new Set(minutes.values()).size).toBeGreaterThan(3);
});
