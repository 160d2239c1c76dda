// Attacks on moderation and failures of it.
import { expect, test } from 'vitest';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp({ LIMITS: 'mails=1/1h, reports=1000/1d' });

async function setScene() {
  const author = await app.createStudent();
  const member = await app.createStudent();
  const operator = await app.createStudent();
  const classId = await author.createClass();
  await member.join(classId);
  await grantRole(app, operator, null, 'Sam');
  const { id } = await author.post(classId, 'a bad word');
  const { me } = await author.snapshot(classId);
  return { author, member, operator, classId, messageId: id, memberId: me.memberId };
}

async function edit(author: TestClient, classId: string, messageId: string, texts: string[]) {
  const socket = await author.connect();
  for (const text of texts) await socket.request({ type: 'edit', classId, messageId, text });
  socket.close();
}

test('a decision that cannot be applied delays no other one [MOD-15]', async () => {
  const firstScene = await setScene();
  const secondScene = await setScene();
  for (const { member, operator, classId, messageId } of [firstScene, secondScene]) {
    await report(member, classId, { messageId });
    await decide(operator, messageId, { decision: 'remove' });
  }
  const setDueTime = (classId: string, dueAt: number) =>
    app.database.query(`update cases set "effectiveAt" = ${dueAt} where "classId" = '${classId}'`);
  const getCaseStatus = async ({ classId }: typeof firstScene) =>
    (await app.database.query(`select status from cases where "classId" = '${classId}'`))[0]?.[
      'status'
    ];
  // The next entry of the first class's log is taken.
  const decoy = `where "classId" = '${firstScene.classId}' and kind = 'decoy'`;

  await app.database.query(
    `insert into log ("classId", seq, id, kind, ref) select "classId", seq + 1, 'decoy', 'decoy', ''
     from classes where "classId" = '${firstScene.classId}'`,
  );
  await setDueTime(firstScene.classId, 1);
  await setDueTime(secondScene.classId, 2);

  await expect.poll(() => getCaseStatus(secondScene), { timeout: 10_000 }).toBe('decided');
  expect(await getCaseStatus(firstScene)).toBe('pending');

  await app.database.query(`delete from log ${decoy}`);
  await expect.poll(() => getCaseStatus(firstScene), { timeout: 10_000 }).toBe('decided');
});

test('many edits push out no reported evidence [MOD-9]', async () => {
  const { author, member, operator, classId, messageId } = await setScene();
  const otherMember = await app.createStudent();
  await otherMember.join(classId);
  await report(member, classId, { messageId });
  await edit(author, classId, messageId, ['worse']);
  await report(otherMember, classId, { messageId });
  const texts = Array.from({ length: 40 }, (_, n) => `version ${n}`);

  await edit(author, classId, messageId, texts);

  const [openCase] = await listCases(operator, { classId });
  const edits = openCase!.evidence!.edits.map(({ text }) => text);
  expect(openCase!.evidence!.text).toBe('a bad word');
  expect(edits).toEqual(['worse', ...texts.slice(-19)]);
});

test('a case that no one decides is erased 180 days after its last report [MOD-65]', async () => {
  const { author, member, operator, classId } = await setScene();
  const { id: messageId } = await author.post(classId, 'marked evidence 8817');
  await report(member, classId, { messageId });
  const listCaseRows = async () =>
    app.database.query(`select "caseId", evidence from cases where "messageId" = '${messageId}'`);
  const sealed = String((await listCaseRows())[0]!['evidence']).slice(0, 40);
  const today = Math.floor(Date.now() / 86_400_000);
  const setReportDay = (day: number) =>
    app.restart(() =>
      app.database.query(`update reports set day = ${day} where target = '${messageId}'`),
    );

  await setReportDay(today - 179);

  expect(await listCases(operator, { classId })).toHaveLength(1);

  await setReportDay(today - 180);
  await expect.poll(listCaseRows).toEqual([]);
  await expect.poll(() => app.database.content(), { timeout: 15_000 }).not.toContain(sealed);
  expect(await app.database.query(`select * from reports where target = '${messageId}'`)).toEqual(
    [],
  );
});

test('moderators see the newest hundred of many reports of a case [MOD-12]', async () => {
  const { member, operator, classId, messageId } = await setScene();
  await report(member, classId, { messageId, text: 'the newest' });
  const [row] = await app.database.query(`select * from reports where "target" = '${messageId}'`);
  const { caseId, text, day } = row!;

  await app.restart(async () => {
    for (let n = 0; n < 150; n++) {
      await app.database.query(
        `insert into reports ("classId", reporter, target, "caseId", reason, text, day) values
         ('${classId}', 'r${n}', '${messageId}', '${String(caseId)}', 'spam', '${String(text)}', ${Number(day) - 1})`,
      );
    }
  });

  const [openCase] = await listCases(operator, { classId });
  expect(openCase).toMatchObject({ reportCount: 151 });
  expect(openCase!.reports).toHaveLength(100);
  expect(openCase!.reports.at(-1)).toMatchObject({ text: 'the newest' });
});

test('mails about threats have a separate limit [MOD-67]', async () => {
  const { member, operator, classId, messageId } = await setScene();

  await operator.call('requestPasswordReset', { body: { email: operator.email } });

  expect(await app.waitForNextMailTo(operator)).toContain('password');

  await report(member, classId, { messageId, reason: 'threat' });
  expect(await app.waitForNextMailTo(operator)).toContain('/moderation');
});

test('an unsent mail about a threat is sent after a crash [MOD-67]', async () => {
  const { operator } = await setScene();

  await app.restart(() =>
    app.database.query(`insert into "serverMetadata" (name, value) values ('threatMailsDue', '1')`),
  );

  expect(await app.waitForNextMailTo(operator)).toContain('/moderation');
  await expect
    .poll(() => app.database.query(`select * from "serverMetadata" where name = 'threatMailsDue'`))
    .toEqual([]);
});

test('verify-audit with a noted hash detects an audit log whose end was cut [MOD-26]', async () => {
  const { member, operator, classId, memberId } = await setScene();
  await report(member, classId, { memberId });
  await decide(operator, memberId, {});
  await applyDecisions(app);
  const { entries } = await operator.call('listAuditLog', { query: {} });
  const { number, hash } = entries[0]!;
  const verify = (...args: string[]) =>
    runAdminCommand(app.database.settings, 'verify-audit', ...args);

  expect(await verify(hash)).toMatchObject({ code: 0 });

  await app.database.query(`delete from "auditLog" where number = ${number}`);
  expect(await verify()).toMatchObject({ code: 0 });

  const cut = await verify(hash);
  expect(cut.code).toBe(1);
  expect(cut.errors.join()).toContain('no entry with the noted hash');
});
