// The transparency report: public numbers of moderation, without people or times.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acceptClock } from '#tests/support/digests.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { applyDecisions, decide, report } from '#tests/support/moderation.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import {
  confirmUnmasking,
  dayMs,
  runLater,
  createReportedAuthor,
  requestUnmasking,
  createTwoOperators,
  type Stage,
} from '#tests/support/unmasking.ts';

let app: RunningApp;
let ann: TestClient;
let stage: Stage;
beforeAll(async () => {
  app = await startApp({ UNMASKING: 'on' });
  const [operator, secondOperator] = await createTwoOperators(app);
  ann = operator;
  stage = await moderateAll(app, ann, secondOperator);
});
afterAll(() => app.stop());

/** Removes and unmasks a message, mutes its author twice, and then removes the author. */
async function moderateAll(
  site: RunningApp,
  operator: TestClient,
  secondOperator: TestClient,
): Promise<Stage> {
  const reported = await createReportedAuthor(site, operator);
  const { messageId, caseId, classId, author, member } = reported;
  const sanction = { kind: 'mute', hours: 1 } as const;
  await decide(operator, messageId, { decision: 'remove', sanction });
  await applyDecisions(site);
  await confirmUnmasking(secondOperator, await requestUnmasking(operator, caseId));

  const { memberId } = (await author.snapshot(classId)).me;
  await report(member, classId, { memberId });
  await decide(operator, memberId, { sanction });
  await applyDecisions(site);

  const thirdStudent = await site.createStudent();
  await thirdStudent.join(classId);
  await report(thirdStudent, classId, { memberId });
  await decide(operator, memberId, { sanction: { kind: 'remove' } });
  await applyDecisions(site);
  return reported;
}

type Figures = Record<string, [recent: number, total: number]>;
const noFigures: Figures = {
  reports: [0, 0],
  removedMessages: [0, 0],
  mutes: [0, 0],
  removals: [0, 0],
  suspensions: [0, 0],
  unmaskings: [0, 0],
};
const expectedFigures: Figures = {
  reports: [3, 3],
  removedMessages: [1, 1],
  mutes: [2, 2],
  removals: [1, 1],
  suspensions: [0, 0],
  unmaskings: [1, 1],
};

async function getSiteFigures(site = app): Promise<Figures> {
  const { figures } = await site.visitor().call('readSiteTransparency', {});
  return Object.fromEntries(figures.map(({ figure, recent, total }) => [figure, [recent, total]]));
}

async function getClassFigures(client: TestClient): Promise<Record<string, number>> {
  const params = { classId: stage.classId };
  const { figures } = await client.call('readClassTransparency', { params });
  return Object.fromEntries(figures.map(({ figure, recent }) => [figure, recent]));
}

test('a number does not change on the day of the action [OPEN-3]', async () => {
  expect(await getSiteFigures()).toEqual(noFigures);
});

test('visitors see the numbers of the site from the next day on [OPEN-1, OPEN-3]', async () => {
  await runLater(dayMs, async () => {
    expect(await getSiteFigures()).toEqual(expectedFigures);
    const { through } = await app.visitor().call('readSiteTransparency', {});
    expect(through).toBe(new Date(Date.now() - dayMs).toISOString().slice(0, 10));
  });
});

test('only members and moderators see the numbers of a class, where a person counts once [OPEN-4]', async () => {
  const zeroFigures = { removedMessages: 0, mutedMembers: 0, removedMembers: 0 };
  expect(await getClassFigures(stage.member)).toEqual(zeroFigures);
  await runLater(dayMs, async () => {
    const roundedFigures = { removedMessages: 1, mutedMembers: 1, removedMembers: 1 };
    expect(await getClassFigures(stage.member)).toEqual(roundedFigures);
    expect(await getClassFigures(ann)).toEqual(roundedFigures);
    const stranger = await app.createStudent();
    await expect(getClassFigures(stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('the numbers of a day are counted once [OPEN-3]', async () => {
  await runLater(2 * dayMs, async () => {
    expect(await getSiteFigures()).toEqual(expectedFigures);
    // This change of the database shows that nothing is counted again.
    await app.database.query(`update "reportCounts" set reports = 99`);
    expect(await getSiteFigures()).toEqual(expectedFigures);
    await app.database.query(`update "reportCounts" set reports = 3`);
  });
});

test('an action counts only in total after 30 days, and after the end of its class [OPEN-1, OPEN-3]', async () => {
  const site = await startApp({ UNMASKING: 'on' });
  const [operator, secondOperator] = await createTwoOperators(site);
  const { classId } = await moderateAll(site, operator, secondOperator);

  expect((await runAdminCommand(site.database.settings, 'delete-class', classId)).code).toBe(0);

  await runLater(30 * dayMs, async () =>
    expect(await getSiteFigures(site)).toEqual(expectedFigures),
  );
  const onlyTotals = Object.fromEntries(
    Object.entries(expectedFigures).map(([name, [, total]]) => [name, [0, total]]),
  );
  await runLater(31 * dayMs, async () => {
    await site.restart(() => acceptClock(site));
    const listRemainingCases = () => site.database.query(`select "classId" from cases`);
    await expect.poll(listRemainingCases, { timeout: 10_000 }).toEqual([]);
    expect(await site.database.query(`select "requestId" from unmaskings`)).toEqual([]);
    expect(await getSiteFigures(site)).toEqual(onlyTotals);
  });

  await site.stop();
});
