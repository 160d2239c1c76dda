// Simultaneous actions of moderators, authors, members and the administrator.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let sam: TestClient;
let kim: TestClient;
beforeAll(async () => {
  sam = await app.createStudent();
  kim = await app.createStudent();
  await grantRole(app, sam, null, 'Sam');
  await grantRole(app, kim, null, 'Kim');
});

/** Creates a class with messages that a member reported. */
async function createReportedMessages(count: number) {
  const author = await app.createStudent();
  const member = await app.createStudent();
  const classId = await author.createClass();
  await member.join(classId);
  const messageIds: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await author.post(classId, `message ${n}`);
    await report(member, classId, { messageId: id });
    messageIds.push(id);
  }
  return { author, member, classId, messageIds };
}

const listAuditActions = async (caseId: string) =>
  (await app.database.query(`select act from "auditLog" where "caseId" = '${caseId}'`)).map(
    ({ act }) => act,
  );

test('if two moderators decide simultaneously, one is rejected [MOD-14]', async () => {
  const { classId } = await createReportedMessages(10);
  const cases = await listCases(sam, { classId });
  const outcomes = await Promise.all(
    cases.map(async ({ caseId, version }) => {
      const decideAs = (moderator: TestClient, decision: 'keep' | 'remove') =>
        moderator.call('decideCase', {
          params: { caseId },
          body: { version, decision, reason: decision },
        });
      return Promise.allSettled([decideAs(sam, 'keep'), decideAs(kim, 'remove')]);
    }),
  );

  for (const outcome of outcomes) {
    const errorCodes = outcome.flatMap((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : [],
    );
    expect(errorCodes).toEqual(['ALREADY_DECIDED']);
  }

  await applyDecisions(app);
  for (const { caseId } of cases) expect(await listAuditActions(caseId)).toHaveLength(1);
});

test('an undo at the moment of the effect undoes the whole decision or nothing [MOD-15]', async () => {
  const { author, classId, messageIds } = await createReportedMessages(12);
  const pending = [];
  for (const id of messageIds) pending.push(await decide(sam, id, { decision: 'remove' }));

  const outcomes = await Promise.all(
    pending.map(async ({ caseId, effectiveAt }, n) => {
      await sleep(effectiveAt! - Date.now() + (n - 6) * 4);
      return sam
        .call('undoDecision', { params: { caseId } })
        .then(() => 'undone')
        .catch((error: { code: string }) => error.code);
    }),
  );

  await expect
    .poll(() => app.database.query(`select "caseId" from cases where status = 'pending'`), {
      timeout: 10_000,
    })
    .toEqual([]);

  const { messages } = await author.snapshot(classId);
  for (const [n, { caseId, messageId }] of pending.entries()) {
    const isUndone = outcomes[n] === 'undone';
    if (!isUndone) expect(outcomes[n]).toBe('DECISION_APPLIED');
    expect(await listAuditActions(caseId)).toEqual(isUndone ? [] : ['remove']);
    const message = messages.find(({ id }) => id === messageId);
    expect(message?.moderation).toBe(isUndone ? null : 'removed');
  }
}, 60_000);

test('a report during the deletion of its message has all evidence or is rejected [MOD-5, MOD-9]', async () => {
  const { author, member, classId } = await createReportedMessages(0);
  const ids = Array.from({ length: 12 }, () => randomUUID());
  const socket = await author.connect();
  for (const id of ids) await socket.request({ type: 'post', classId, id, text: `text ${id}` });
  const outcomes = await Promise.all(
    ids.map(async (messageId, n) => {
      await sleep(n);
      const reporting = report(member, classId, { messageId });
      const deletion = socket.request({ type: 'delete', classId, messageId });
      const code = await reporting.then(() => null).catch((error: { code: string }) => error.code);
      expect(await deletion).toMatchObject({ type: 'ack' });
      return code;
    }),
  );
  socket.close();
  const cases = await listCases(sam, { classId });

  for (const [n, id] of ids.entries()) {
    const caseOfMessage = cases.find(({ messageId }) => messageId === id);
    if (outcomes[n] === null) {
      expect(caseOfMessage).toMatchObject({ shown: 'deleted', evidence: { text: `text ${id}` } });
    } else expect([outcomes[n], caseOfMessage]).toEqual(['NOT_FOUND', undefined]);
  }
});

test('a decision takes effect in a class that ended or was deleted in the meantime [MOD-15, MOD-29, MOD-32]', async () => {
  const endedClass = await createReportedMessages(1);
  const deletedClass = await createReportedMessages(1);
  for (const { messageIds } of [endedClass, deletedClass]) {
    const sanction = { kind: 'remove' } as const;
    await decide(sam, messageIds[0]!, { decision: 'remove', sanction });
  }
  const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

  expect((await run('archive-class', endedClass.classId)).code).toBe(0);
  expect((await run('delete-class', deletedClass.classId)).code).toBe(0);

  await applyDecisions(app);
  const { messages } = await endedClass.author.snapshot(endedClass.classId);
  expect(messages).toMatchObject([{ moderation: 'removed', text: '' }]);
  expect((await run('restore-class', deletedClass.classId)).code).toBe(0);
  expect((await deletedClass.member.snapshot(deletedClass.classId)).messages).toMatchObject([
    { moderation: 'removed', text: '' },
  ]);

  const socket = await deletedClass.author.connect();
  expect(await socket.request({ type: 'subscribe', classId: deletedClass.classId })).toMatchObject({
    code: 'REMOVED_FROM_CLASS',
  });

  socket.close();
  expect((await run('verify-audit')).code).toBe(0);
});

test('simultaneous commands and decisions leave the audit log whole [MOD-26]', async () => {
  const { messageIds } = await createReportedMessages(6);
  const student = await app.createStudent();
  for (const id of messageIds) await decide(sam, id, { decision: 'remove' });
  const due = app.database.query(
    `update cases set "effectiveAt" = ${Date.now()} where status = 'pending'`,
  );
  await due;
  const grants = Promise.all(
    ['A', 'B', 'C', 'D'].map((name) =>
      runAdminCommand(app.database.settings, 'grant-operator', student.email, name),
    ),
  );
  await app.restart();

  for (const { code, errors } of await grants) expect([code, errors]).toEqual([0, []]);
  await expect
    .poll(() => app.database.query(`select "caseId" from cases where status = 'pending'`))
    .toEqual([]);
  expect((await runAdminCommand(app.database.settings, 'verify-audit')).out).toContain('is whole');
});
