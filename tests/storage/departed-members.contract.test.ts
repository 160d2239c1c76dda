// What members chose and read in a class is erased when they leave, also if the server is killed right after. The rows go on random days.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { joinClass, leaveClass } from '#server/chat/members/joining.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import {
  changePendingRemovals,
  listPendingRemovals,
} from '#server/chat/members/pending-removals.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { createReadMarks } from '#server/chat/members/read-marks.ts';
import { removeDue } from '#server/endings/remove-departed.ts';
import { resealMemberRows } from '#server/endings/reseal-member-rows.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import {
  listMemberQuestions,
  saveWaitingQuestion,
} from '#server/chat/messages/waiting-questions-queries.ts';
import {
  addAccount,
  addClass,
  openStorage,
  timesKey,
  type OpenedStorage,
} from './opened-storage.ts';

const createKey = () => createSecretKey(randomBytes(32));
const personaKey = createKey();
const voteKey = createKey();
const keys = {
  marks: { ids: createKey(), positions: createKey() },
  preferences: { ids: createKey(), contents: createKey() },
};
const memberRowKeys = { readMarks: keys.marks, preferences: keys.preferences };
let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** The parts of a server, which writes all that it holds. */
function openServer() {
  const { db, commits } = storage;
  const readMarks = createReadMarks({ db, commits, keys: keys.marks });
  const preferences = new PreferenceStore({
    db,
    commits,
    keys: keys.preferences,
    isShared: false,
  });
  return { readMarks, preferences };
}

const muted = { ignored: [], hidden: [], muted: true, version: 0 };

/** A member who has left, of a server that was killed after the commit. */
async function leaveAndDie() {
  const classId = await addClass(storage);
  const accountId = await addAccount(storage);
  const scope = { classId, accountId };
  const join = () =>
    storage.commits.write(
      (unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId),
      scope,
    );
  await join();
  const server = openServer();
  const salt = (await findClass(storage.db, classId))?.salt ?? '';
  const reader = server.readMarks.deriveReader(classId, salt, accountId);
  const owner = server.preferences.deriveOwner(classId, salt, accountId);
  server.readMarks.save(reader, 1);
  await server.preferences.save(storage.commits, owner, muted);
  await server.readMarks.stop();
  await server.preferences.stop();
  await storage.commits.write(
    (unitOfWork) => leaveClass(unitOfWork, { ...server, personaKey, voteKey }, accountId, classId),
    scope,
  );
  /** What the next server finds. */
  const listValues = async () => {
    const next = openServer();
    const values = {
      mark: await next.readMarks.find(reader),
      ...(await next.preferences.get(owner)),
    };
    await next.preferences.stop();
    return values;
  };
  const memberId = computeMemberId(personaKey, salt, accountId);
  /** The member has asked a question that waits for release. */
  const addQuestion = () => {
    const question = { classId, id: randomUUID(), memberId, text: 'Why?', place: 1, returned: 0 };
    return storage.commits.write(({ db }) => saveWaitingQuestion(db, question), scope);
  };
  const listQuestions = () => listMemberQuestions(storage.db, classId, memberId);
  /** Joins again at the next server, and mutes the class. */
  const joinAndMute = async () => {
    await join();
    const next = openServer();
    await next.preferences.save(storage.commits, owner, muted);
    await next.preferences.stop();
  };
  /** Writes what the next server has to erase. */
  const eraseAll = async () => {
    const next = openServer();
    next.readMarks.delete(reader);
    await next.readMarks.stop();
    await next.preferences.stop();
  };
  return { join, joinAndMute, listValues, addQuestion, listQuestions, eraseAll };
}

/** Runs the removals of the next server. */
async function removeAllDue(): Promise<void> {
  const { db, commits } = storage;
  vi.setSystemTime(Date.now() + 60 * 60_000);
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  await removeDue(
    { db, commits, accountCommits: commits, personaKey, memberRowKeys, voteKey },
    signal,
  );
}

test('the next server erases the preferences and read marks of a member who left [LEAVE-13]', async () => {
  const { listValues } = await leaveAndDie();
  expect(await listValues()).toMatchObject({ mark: 1, muted: false });

  await removeAllDue();

  expect(await listValues()).toMatchObject({ mark: null, muted: false });
  expect(await listPendingRemovals(storage.db, personaKey)).toEqual([]);
});

test('a removal does not erase a second time what a server has erased [LEAVE-13]', async () => {
  const { eraseAll } = await leaveAndDie();
  const erasuresBefore = storage.erasures();

  await eraseAll();
  expect(storage.erasures()).toBe(erasuresBefore + 2);

  await removeAllDue();

  expect(storage.erasures()).toBe(erasuresBefore + 2);
});

test('questions that wait are deleted after their asker has left, but not if the asker is back [LECT-17]', async () => {
  const departed = await leaveAndDie();
  const returned = await leaveAndDie();
  for (const { addQuestion } of [departed, returned]) await addQuestion();
  await returned.join();
  expect(await departed.listQuestions()).toHaveLength(1);

  await removeAllDue();

  expect(await departed.listQuestions()).toEqual([]);
  expect(await returned.listQuestions()).toHaveLength(1);
});

test('the server does not erase what a member saves after joining again [LEAVE-13]', async () => {
  const { joinAndMute, listValues } = await leaveAndDie();
  await joinAndMute();

  await removeAllDue();

  expect(await listValues()).toMatchObject({ mark: 1, muted: true });
});

test('the rows of members who left go on random days [ANON-56]', async () => {
  const { db, commits } = storage;
  const { joinAndMute, listValues } = await leaveAndDie();
  await joinAndMute();
  for (let n = 0; n < 10; n++) await leaveAndDie();
  await removeAllDue();
  await openServer().preferences.stop();
  const countRows = async () => {
    const { readMarks, preferences } = await storage.database.tables();
    return readMarks!.length + preferences!.length;
  };
  const rowsBefore = await countRows();
  const { signal } = new AbortController();

  for (let day = 0; day < 1000 && (await countRows()) === rowsBefore; day++) {
    await resealMemberRows({ db, commits, keys: memberRowKeys }, signal);
  }

  expect(await countRows()).toBeLessThan(rowsBefore);
  // Twenty rows do not go on one day.
  expect(await countRows()).toBeGreaterThan(rowsBefore - 20);
  expect(await listValues()).toMatchObject({ mark: 1, muted: true });
});

test('two simultaneous removals both reduce the member count [PROFILE-30]', async () => {
  const classId = await addClass(storage);
  for (let n = 0; n < 2; n += 1) {
    const accountId = await addAccount(storage);
    await storage.commits.write(
      (unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId),
      { classId, accountId },
    );
  }
  const removals = ['one', 'other'].map((name) => ({
    classId,
    memberId: null,
    isCounted: true,
    dueAt: Date.now(),
    own: { reader: `reader ${name}` },
  }));
  await storage.commits.write(
    ({ db }) => changePendingRemovals(db, personaKey, () => removals),
    'independent',
  );

  await removeAllDue();

  expect((await findClass(storage.db, classId))?.memberCount).toBe(0);
});
