// Background changes that commit more than once. The process is killed after each commit, and the next start goes on.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getToday } from '#server/base/days.ts';
import { createLog } from '#server/base/log.ts';
import { postMessage } from '#server/chat/messages/messages.ts';
import { listRoles, saveRole } from '#server/chat/staff/stored-roles.ts';
import { changePendingRemovals } from '#server/chat/members/pending-removals.ts';
import { removeDue } from '#server/endings/remove-departed.ts';
import { applyDueDecisions } from '#server/features/moderation/reports/due-decisions.ts';
import { startScheduledRemovals } from '#server/endings/scheduled-removals.ts';
import { eraseDeletedClasses } from '#server/features/class-admin/deleted-classes.ts';
import { removeLinksOfEnded } from '#server/features/class-admin/ended-classes.ts';
import { removeMessagesOfEnded } from '#server/features/class-admin/ended-messages.ts';
import { endTerm } from '#server/features/class-admin/terms.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { alwaysHeldLease } from '#server/store/background-lease.ts';
import {
  accountRecords,
  addAccount,
  addClass,
  openStorage,
  enroll,
  type OpenedStorage,
} from './opened-storage.ts';

const { signal } = new AbortController();
let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** Runs it again and again, and kills it after each commit, or a later one. @returns how often it was killed */
async function runThroughKills(
  run: (commits: CommitQueue) => Promise<unknown>,
  commitsBeforeKill = 1,
): Promise<number> {
  for (let kills = 0; ; kills++) {
    let commitCount = 0;
    const killed = Promise.withResolvers<true>();
    const commits: CommitQueue = {
      ...storage.commits,
      async write(change, scope, group) {
        const result = await storage.commits.write(change, scope, group);
        commitCount += 1;
        if (commitCount < commitsBeforeKill) return result;
        killed.resolve(true);
        return new Promise<never>(() => {});
      },
    };
    const isKilled = await Promise.race([killed.promise, run(commits).then(() => false)]);
    if (!isKilled) return kills;
  }
}

const addClasses = (count: number) =>
  Promise.all(Array.from({ length: count }, () => addClass(storage)));

async function listClasses(classIds: readonly string[]) {
  const rows = await storage.db
    .selectFrom('classes')
    .selectAll()
    .where('classId', 'in', classIds)
    .execute();
  return rows.toSorted((a, b) => (a.classId < b.classId ? -1 : 1));
}

async function listEntries(classIds: readonly string[]) {
  return storage.db
    .selectFrom('log')
    .select(['classId', 'kind'])
    .where('classId', 'in', classIds)
    .execute();
}

/** Adds a member with messages. */
async function addMessages(classId: string, count: number): Promise<void> {
  const accountId = await addAccount(storage);
  const author = { accountId, classId };
  await storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), author);
  for (let n = 0; n < count; n++) {
    await storage.commits.write(
      (unitOfWork) => postMessage(unitOfWork, author, { id: randomUUID(), text: 'gone' }),
      author,
    );
  }
}

const listMessages = (classId: string) =>
  storage.db.selectFrom('messages').selectAll().where('classId', '=', classId).execute();

test('the erasure of a deleted class goes on after each kill, and ends the roles in it [LOG-90, ADMIN-12]', async () => {
  const [classId = '', otherClassId = ''] = await addClasses(2);
  await storage.commits.write(async (unitOfWork) => {
    for (const staffsClassId of [classId, otherClassId, null]) {
      const role = { classId: staffsClassId, role: 'moderator', staffName: 'Sam' } as const;
      await saveRole(unitOfWork, { accountId: 'sam', ...role });
    }
  }, 'everything');
  const rows = Array.from({ length: 450 }, (_, n) => ({
    classId,
    seq: n + 1,
    id: randomUUID(),
    kind: 'class' as const,
    ref: '',
  }));
  await storage.db.insertInto('log').values(rows).execute();
  const deletion = { status: 'deleted' as const, statusBefore: 'active' as const, deletedDay: 1 };
  await storage.db.updateTable('classes').set(deletion).where('classId', '=', classId).execute();

  const kills = await runThroughKills((commits) =>
    eraseDeletedClasses({ db: storage.db, commits }, 100, signal),
  );

  expect(kills).toBeGreaterThan(3);
  expect(await listClasses([classId])).toEqual([]);
  expect(await listEntries([classId])).toEqual([]);
  const heldRoles = await listRoles(storage, 'sam');
  expect(heldRoles.map((held) => held.classId)).toEqual([otherClassId, null]);
});

test('the end of a term goes on after each kill, and each class ends once [LOG-90, TERM-3]', async () => {
  const classIds = await addClasses(3);
  await storage.db
    .updateTable('classes')
    .set({ semesterSeason: 'Fall' })
    .where('classId', 'in', classIds)
    .execute();
  const term = { season: 'Fall', lastDay: 30_000 } as const;

  const kills = await runThroughKills((commits) =>
    endTerm(
      { db: storage.db, commits },
      term,
      { reopenDays: 7, timeZone: 'America/Los_Angeles' },
      signal,
    ),
  );

  expect(kills).toBe(3);

  const statuses = (await listClasses(classIds)).map(({ status }) => status);
  expect(statuses).toEqual(['archived', 'archived', 'archived']);
  expect(await listEntries(classIds)).toHaveLength(3);
});

test('the removal of links goes on after each kill, and changes each salt once [LOG-90, ANON-26]', async () => {
  const classIds = await addClasses(3);
  await storage.db
    .updateTable('classes')
    .set({ status: 'archived', endedDay: 20_000, reopenableUntil: 8 })
    .where('classId', 'in', classIds)
    .execute();
  const salts = new Set((await listClasses(classIds)).map(({ salt }) => salt));

  const kills = await runThroughKills((commits) =>
    removeLinksOfEnded(storage.db, commits, 100, signal),
  );

  expect(kills).toBe(3);
  for (const { salt, reopenableUntil } of await listClasses(classIds)) {
    expect(reopenableUntil).toBeNull();
    expect(salts.has(salt)).toBe(false);
  }
});

test('the removal of the messages of an ended class goes on after each kill [LOG-90, RETAIN-1]', async () => {
  const [classId = ''] = await addClasses(1);
  await addMessages(classId, 45);
  await storage.db
    .updateTable('classes')
    .set({ status: 'archived', endedDay: 1 })
    .where('classId', '=', classId)
    .execute();

  const kills = await runThroughKills((commits) =>
    removeMessagesOfEnded(storage.db, commits, 100, signal),
  );

  expect(kills).toBe(4);

  const messages = await listMessages(classId);
  expect(messages).toHaveLength(45);
  expect(messages.every(({ text }) => text === '')).toBe(true);

  const removals = (await listEntries([classId])).filter(({ kind }) => kind === 'deleted');
  expect(removals).toHaveLength(45);
});

test('the removal of a deleted account from a class goes on after each kill, and counts once [LOG-90, PROFILE-29]', async () => {
  const [classId = ''] = await addClasses(1);
  await addMessages(classId, 45);
  const { memberId } = (await listMessages(classId))[0]!;
  const removal = { classId, memberId, isCounted: true, dueAt: Date.now() };
  await storage.commits.write(
    (unitOfWork) => changePendingRemovals(unitOfWork, () => [removal]),
    'independent',
  );
  const { db, site } = storage;

  // The first commit of each run erases what waits for release.
  const kills = await runThroughKills((commits) => removeDue({ db, site, commits }, signal), 2);

  expect(kills).toBe(4);
  expect((await listMessages(classId)).every(({ text }) => text === '')).toBe(true);
  expect(await listClasses([classId])).toMatchObject([{ memberCount: 0 }]);
});

test('a decision takes effect in one commit [MOD-15]', async () => {
  const [classId = ''] = await addClasses(1);
  await addMessages(classId, 1);
  const { id: messageId, memberId } = (await listMessages(classId))[0]!;
  const decision = { decision: 'remove', sanctionKind: 'mute', sanctionHours: 1, escalates: 1 };
  const decider = { reason: 'Insult', decidedBy: 'Sam', effectiveAt: 1, forOperators: 0 };
  const ids = { caseId: 'a case', number: 1, classId, memberId, messageId };
  const row = { ...ids, ...decision, ...decider, status: 'pending', version: 2, evidence: null };
  await storage.db
    .insertInto('cases')
    .values(row as never)
    .execute();
  const { db, site } = storage;
  const log = createLog({ write: () => {} });

  const kills = await runThroughKills((commits) =>
    applyDueDecisions({ db, site, commits, accountRecords, lease: alwaysHeldLease, log }),
  );

  expect(kills).toBe(1);
  expect(await listMessages(classId)).toMatchObject([{ text: '', moderation: 'removed' }]);
  const { sanctions, reviews, auditLog } = await storage.database.tables();
  expect([sanctions, reviews].map((rows) => rows!.length)).toEqual([1, 1]);
  const entries = auditLog!.filter(({ caseId }) => caseId === 'a case');
  expect(entries.map(({ act }) => act)).toEqual(['remove', 'mute', 'escalate']);
});

test('erasing a class stops between two commits when another node takes the lease [NODE-2]', async () => {
  const classId = await addClass(storage);
  const { db, commits } = storage;
  const entries = Array.from({ length: 500 }, (_, n) => {
    return { classId, seq: n + 1, id: String(n), kind: 'class' as const, ref: '' };
  });
  await commits.write(async ({ db: tx }) => {
    await tx.insertInto('log').values(entries).execute();
    await tx
      .updateTable('classes')
      .set({ status: 'deleted', deletedDay: 0 })
      .where('classId', '=', classId)
      .execute();
  }, 'everything');
  let hasLease = true;
  const gatedCommits: typeof commits = {
    ...commits,
    async write(change, scope) {
      const result = await commits.write(change, scope);
      if (typeof scope === 'object') hasLease = false;
      return result;
    },
  };
  const lease = { ...alwaysHeldLease, isHeld: () => hasLease };
  const log = createLog({ write: () => {} });
  const stop = startScheduledRemovals(
    { db, site: storage.site, commits: gatedCommits, lease, log },
    null,
    async () => getToday(),
  );
  await expect.poll(() => hasLease).toBe(false);
  await stop();

  expect(await listEntries([classId])).toHaveLength(300);
});
