// What members chose and read in a class is erased when they leave. What the server still has to remove waits.
import crypto, { createSecretKey, hkdfSync, randomUUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { seal } from '#server/base/seal.ts';
import { leaveClass } from '#server/chat/members/joining.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import {
  changePendingRemovals,
  listPendingRemovals,
  resealPendingRemovals,
  type PendingRemoval,
  type StoredRemoval,
} from '#server/chat/members/pending-removals.ts';
import { deriveVoter } from '#server/chat/votes/votes.ts';
import { listClassVotes } from '#server/chat/votes/votes-queries.ts';
import { postMessage } from '#server/chat/messages/messages.ts';
import { vote } from '#server/chat/questions/questions.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { getRegisters } from '#server/store/registers.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { ReadMarks } from '#server/chat/members/read-marks.ts';
import { removeDue } from '#server/endings/remove-departed.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { writeMetadata } from '#server/store/server-metadata-queries.ts';
import { deriveAskerId } from '#server/chat/private-questions/private-questions.ts';
import {
  insertPrivateQuestion,
  listClassPrivateQuestions,
} from '#server/chat/private-questions/private-questions-queries.ts';
import {
  listMemberQuestions,
  saveWaitingQuestion,
} from '#server/chat/questions/waiting-questions-queries.ts';
import {
  addAccount,
  addClass,
  openStorage,
  enroll,
  testKeys,
  type OpenedStorage,
} from './opened-storage.ts';

const { personas: personaKey } = testKeys;
const registers = getRegisters(personaKey);
let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** The parts of a server, which writes all that it holds. */
function openServer() {
  const { db, commits } = storage;
  const readMarks = new ReadMarks(db, commits, registers);
  return { readMarks, preferences: new PreferenceStore(db, registers) };
}

const muted = { ignored: [], hidden: [], muted: true, version: 0 };

/** A member who has left, of a server that was killed after the commit. */
async function leaveAndDie() {
  const classId = await addClass(storage);
  const accountId = await addAccount(storage);
  const scope = { classId, accountId };
  const join = () =>
    storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), scope);
  await join();
  const server = openServer();
  const salt = (await findClass(storage.db, classId))?.salt ?? '';
  const member = { classId, accountId };
  server.readMarks.save(member, 1);
  await server.preferences.save(storage.commits, member, muted);
  await server.readMarks.stop();
  const leave = () =>
    storage.commits.write((unitOfWork) => leaveClass(unitOfWork, accountId, classId), scope);
  await leave();
  /** What the next server finds. */
  const listValues = async () => {
    const next = openServer();
    return {
      mark: await next.readMarks.find(member),
      ...(await next.preferences.get(member)),
    };
  };
  const memberId = computeMemberId(personaKey, salt, accountId);
  /** The member has asked a question that waits for release. */
  const addQuestion = () => {
    const fields = { text: 'Why?', place: 1, returned: 0, topicId: null };
    const question = { classId, id: randomUUID(), memberId, ...fields };
    return storage.commits.write(({ db }) => saveWaitingQuestion(db, question), scope);
  };
  const listQuestions = () => listMemberQuestions(storage.db, classId, memberId);
  /** Joins again at the next server, and mutes the class. */
  const joinAndMute = async () => {
    await join();
    const next = openServer();
    await next.preferences.save(storage.commits, member, muted);
    next.readMarks.save(member, 2);
    await next.readMarks.stop();
  };
  return {
    accountId,
    classId,
    join,
    leave,
    joinAndMute,
    listValues,
    addQuestion,
    listQuestions,
  };
}

/** Runs the removals of the next server. */
async function removeAllDue(commits: CommitQueue = storage.commits): Promise<void> {
  const { db, site } = storage;
  vi.setSystemTime(Date.now() + 60 * 60_000);
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  await removeDue({ db, site, commits }, signal);
}

test('the commit in which a member leaves erases their preferences and read position [LEAVE-13]', async () => {
  const { listValues } = await leaveAndDie();

  expect(await listValues()).toMatchObject({ mark: null, muted: false, version: 0 });

  await removeAllDue();
  expect(await listPendingRemovals(storage)).toEqual([]);
});

test('the removal of a deleted account from a class erases its preferences and read position [LEAVE-13]', async () => {
  const { classId, accountId, joinAndMute, listValues } = await leaveAndDie();
  await joinAndMute();
  const removal = {
    classId,
    deletedId: accountId,
    memberId: null,
    isCounted: true,
    dueAt: Date.now(),
  };
  await storage.commits.write(
    (unitOfWork) => changePendingRemovals(unitOfWork, (pending) => [...pending, removal]),
    'independent',
  );

  await removeAllDue();

  expect(await listValues()).toMatchObject({ mark: null, muted: false, version: 0 });
});

test('a departure changes the same registers with and without preferences and a read position [NODE-5]', async () => {
  const { classId, join, leave, joinAndMute } = await leaveAndDie();
  const listVersions = async () => {
    const rows = await storage.db
      .selectFrom('registers')
      .select(['kind', 'version'])
      .where('classId', '=', classId)
      .execute();
    return Object.fromEntries(rows.map(({ kind, version }) => [kind, version]));
  };
  const changedKinds: string[][] = [];

  for (const comeBack of [join, joinAndMute]) {
    await comeBack();
    const versions = await listVersions();
    await leave();
    const newVersions = await listVersions();
    const kinds = Object.keys(newVersions).filter((kind) => newVersions[kind] !== versions[kind]);
    changedKinds.push(kinds.toSorted());
  }

  expect(changedKinds[0]).toEqual(expect.arrayContaining(['preferences', 'readMarks']));
  expect(changedKinds[1]).toEqual(changedKinds[0]);
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

test('private questions stay when their asker leaves, and go one by one with the account [PRIV-9]', async () => {
  const { accountId, classId } = await leaveAndDie();
  const classSalt = (await findClass(storage.db, classId))?.salt ?? '';
  const member = { classId, classSalt };
  const [first, second, unplanned] = [randomUUID(), randomUUID(), randomUUID()];
  const write = (change: (unitOfWork: UnitOfWork) => Promise<unknown>) =>
    storage.commits.write(change, { classId });
  await write(async (unitOfWork) => {
    for (const id of [first, second, unplanned]) {
      const askerId = deriveAskerId(unitOfWork, member, accountId, id);
      const row = { classId, id, askerId, place: 1, state: 'open', nextState: null } as const;
      await insertPrivateQuestion(unitOfWork.db, row);
    }
  });
  const listIds = async () =>
    new Set((await listClassPrivateQuestions(storage.db, classId)).map(({ id }) => id));
  const remove = async (own: PendingRemoval['own'], dueAt = 0) => {
    const removal = { classId, memberId: null, isCounted: false, own, dueAt };
    await write((unitOfWork) => changePendingRemovals(unitOfWork, (all) => [...all, removal]));
  };

  await removeAllDue();
  expect(await listIds()).toEqual(new Set([first, second, unplanned]));

  await remove({ privateQuestion: first });
  await remove({ privateQuestion: second }, Date.now() + 24 * 60 * 60_000);
  await removeAllDue();
  expect(await listIds()).toEqual(new Set([second, unplanned]));

  // It was asked while the account was being deleted.
  await remove({ voter: deriveVoter(storage, member, accountId) });
  await removeAllDue();
  expect(await listIds()).toEqual(new Set([second]));
  await write((unitOfWork) => changePendingRemovals(unitOfWork, () => []));
});

test('the server does not erase what a member saves after joining again [LEAVE-13]', async () => {
  const { joinAndMute, listValues } = await leaveAndDie();
  await joinAndMute();

  await removeAllDue();

  expect(await listValues()).toMatchObject({ mark: 2, muted: true });
});

test('two simultaneous removals both reduce the member count [PROFILE-30]', async () => {
  const classId = await addClass(storage);
  for (let n = 0; n < 2; n += 1) {
    const accountId = await addAccount(storage);
    await storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), {
      classId,
      accountId,
    });
  }
  const removals = ['one', 'other'].map((name) => ({
    classId,
    memberId: null,
    isCounted: true,
    dueAt: Date.now(),
    own: { voter: name },
  }));
  await storage.commits.write(
    (unitOfWork) => changePendingRemovals(unitOfWork, () => removals),
    'independent',
  );

  await removeAllDue();

  expect((await findClass(storage.db, classId))?.memberCount).toBe(0);
});

describe('the removals that wait', () => {
  /** Removals as those of an account that was deleted. */
  const createRemovals = (count: number): PendingRemoval[] =>
    Array.from({ length: count }, (_, n) => ({
      classId: createRandomId(),
      memberId: createRandomId(16),
      isCounted: true,
      own: { voter: createRandomId(16) },
      dueAt: Date.now() + n,
    }));
  const change = (changeList: (removals: StoredRemoval[]) => PendingRemoval[] | null) =>
    storage.commits.write(
      (unitOfWork) => changePendingRemovals(unitOfWork, changeList),
      'independent',
    );
  const add = (removals: PendingRemoval[]) => change((pending) => [...pending, ...removals]);
  const list = () => listPendingRemovals(storage);
  const getMemberId = ({ memberId }: PendingRemoval) => memberId;
  const listMemberIds = async () => (await list()).map(getMemberId);
  const listValues = async (): Promise<string[]> => {
    const rows = await storage.db.selectFrom('serverMetadata').select(['name', 'value']).execute();
    return rows.filter(({ name }) => name.endsWith('Removals')).map(({ value }) => value);
  };
  beforeEach(async () => {
    await change(() => []);
    await storage.commits.write((unitOfWork) => resealPendingRemovals(unitOfWork), 'independent');
  });
  afterEach(() => change(() => []));

  test('cost a change as much if thousands wait [LEAVE-13]', async () => {
    await add(createRemovals(5000));
    let values = await listValues();
    let writtenLength = 0;

    for (let n = 0; n < 40; n++) {
      if (n % 2 === 0) await add(createRemovals(2));
      else await change((pending) => pending.slice(1));
      const newValues = await listValues();
      for (const value of newValues) if (!values.includes(value)) writtenLength += value.length;
      values = newValues;
    }

    expect(await list()).toHaveLength(5020);
    expect(writtenLength / 40).toBeLessThan(100_000);
  });

  test('are decrypted once while they do not change [LEAVE-13]', async () => {
    await add(createRemovals(500));

    const [removal] = await list();

    expect((await list())[0]).toBe(removal);
  });

  test('are stored in random order, and in another one after each change [ANON-52]', async () => {
    const removals = createRemovals(40);
    await add(removals);
    const memberIds = await listMemberIds();

    await change((pending) => pending);

    const addedIds = removals.map(getMemberId);
    expect(new Set(memberIds)).toEqual(new Set(addedIds));
    expect(memberIds).not.toEqual(addedIds);
    expect(await listMemberIds()).not.toEqual(memberIds);
  });

  test('do not tell by their size how many a change has added or removed [ANON-52]', async () => {
    const sizes = new Set<string>();

    for (const count of [1, 30, 0, 3]) {
      await change(() => createRemovals(count));
      sizes.add(String((await listValues()).map(({ length }) => length)));
    }

    expect(sizes.size).toBe(1);
  });

  test.each([3, 300])('of version 0.3.0 are kept, if there are %i [UPGRADE-1]', async (count) => {
    const removals = createRemovals(count);
    const key = createSecretKey(
      Buffer.from(hkdfSync('sha256', personaKey, '', 'pending removals', 32)),
    );
    await storage.commits.write(
      ({ db }) =>
        writeMetadata(db, 'pendingRemovals', seal(key, JSON.stringify(removals), { padTo: 4096 })),
      'independent',
    );
    const [first] = await list();

    await change((pending) => pending.filter(({ id }) => id !== first!.id));

    const memberIds = new Set(removals.map(getMemberId));
    memberIds.delete(getMemberId(first!));
    expect(new Set(await listMemberIds())).toEqual(memberIds);
  });

  test('are those of the last departure, if a member leaves a class several times [LEAVE-13]', async () => {
    const { classId, join, leave } = await leaveAndDie();

    for (let n = 0; n < 5; n++) {
      await join();
      await leave();
    }

    expect((await list()).map((removal) => removal.classId)).toEqual([classId, classId]);
  });
});

describe('the removal of votes', () => {
  /** A member of a class with these questions leaves, with or without having voted for all of them. */
  async function leaveQuestions(questionCount: number, { voted }: { voted: boolean }) {
    const { accountId, classId, join, leave } = await leaveAndDie();
    const askerId = await addAccount(storage);
    const write = (change: (unitOfWork: UnitOfWork) => Promise<unknown>) =>
      storage.commits.write(change, { classId, accountId });
    const ids = Array.from({ length: questionCount }, () => randomUUID());
    await write((unitOfWork) => enroll(unitOfWork, askerId, classId));
    await write(async (unitOfWork) => {
      const asker = { accountId: askerId, classId };
      for (const id of ids) {
        await postMessage(unitOfWork, asker, { id, text: 'Why?', question: true });
      }
    });
    await join();
    if (voted) {
      const voter = { accountId, classId };
      await write(async (unitOfWork) => {
        for (const id of ids) await vote(unitOfWork, voter, id, true);
      });
    }
    await leave();
    const countVotes = async () => (await listClassVotes(storage.db, classId)).length;
    return { countVotes };
  }

  test('deletes them in small commits [QUEST-8]', async () => {
    const { countVotes } = await leaveQuestions(120, { voted: true });
    const counts = [await countVotes()];
    const write: CommitQueue['write'] = async (change, scope) => {
      const result = await storage.commits.write(change, scope);
      counts.push(await countVotes());
      return result;
    };

    await removeAllDue({ ...storage.commits, write });

    const differences = counts.slice(1).map((count, n) => counts[n]! - count);
    expect(counts[0]).toBe(120);
    expect(counts.at(-1)).toBe(0);
    expect(Math.max(...differences)).toBeLessThanOrEqual(100);
  });

  test('computes nothing for questions without votes [QUEST-8]', async () => {
    await leaveQuestions(120, { voted: false });
    let hmacCount = 0;
    const { createHmac } = crypto;
    const replaceHmac = (create: typeof createHmac) => {
      crypto.createHmac = create;
      syncBuiltinESMExports();
    };
    onTestFinished(() => replaceHmac(createHmac));
    replaceHmac((...args) => {
      hmacCount += 1;
      return createHmac(...args);
    });

    await removeAllDue();

    expect(hmacCount).toBeLessThan(10);
  });
});
