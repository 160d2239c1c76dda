// After each change, open pages and the server show what a freshly started server shows of the same data, however the commit
// ended. On PostgreSQL the answer to the commit, or the commit, may be lost on its way.
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { callNames } from '#tests/calls/calls.ts';
import {
  areAllCasesTested,
  changeNames,
  changeSettings,
  moveScene,
  prepareChange,
  setOperators,
  setScene,
  type ChangeName,
  type ChangeScene,
} from '#tests/calls/changes.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import {
  closePages,
  openPages,
  settlePages,
  showPages,
  updatePages,
  type Pages,
  type Shown,
} from '#tests/support/pages.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { publishVotesSoon } from '#tests/support/questions.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

publishVotesSoon();

/** What the replies tell of the moment of the call, or of the other changes. */
const unasked: Partial<Record<RouteName, string>> = {
  exportAccount: 'It is a file with the time of the export.',
  schoolTheme: 'No change concerns it.',
  readSiteTransparency: 'It counts the other scenes.',
};

const memberCalls = callNames
  .filter((name) => routes[name].method === 'GET' && !unasked[name])
  .filter((name) => /^\/api\/(?:me|classes)\b/.test(routes[name].path));

async function ask(person: TestClient, name: RouteName, scene: ChangeScene, query = {}) {
  const { classId, memberId, caseId } = scene;
  const path = toRouteUrl(name, { params: { classId, memberId, caseId }, query });
  const response = await person.fetch(path);
  return [response.status, await response.text()];
}

async function askAll(scene: ChangeScene): Promise<Shown> {
  const { ada, ben, olga, classId, courseName } = scene;
  const view: Shown = {};
  for (const name of memberCalls) view[`Ada: ${name}`] = await ask(ada, name, scene);
  for (const name of ['listMembers', 'listClasses', 'readClass'] as const) {
    view[`Ben: ${name}`] = await ask(ben, name, scene);
  }
  view['listCases'] = await ask(olga, 'listCases', scene, { classId, state: 'open' });
  for (const name of ['readModeratedMember', 'readCaseContext', 'readUnmasking'] as const) {
    view[name] = await ask(olga, name, scene);
  }
  // The letters of its random name are also in names of other scenes.
  view['found'] = (await findClasses(olga, courseName)).hits.filter(
    ({ objectID }) => objectID === classId,
  );
  return view;
}

interface Played {
  scene: ChangeScene;
  pages: Pages;
}

const isPostgres = Boolean(process.env['BACKCHANNEL_TEST_DATABASE']);
const postgresWays = areAllCasesTested
  ? (['acknowledged', 'answered by a lost reply', 'lost on its way'] as const)
  : (['answered by a lost reply'] as const);
const ways = isPostgres ? postgresWays : (['acknowledged'] as const);

describe.each(ways)('a change whose commit is %s', (way) => {
  let database: TestDatabase;
  let proxy: PostgresProxy | null = null;
  let app: RunningApp;
  let fresh: RunningApp;
  const laterTime = Date.now() + 3_600_000;
  const live = new Map<ChangeName, Shown>();
  const played = new Map<ChangeName, Played>();
  const failures = new Map<ChangeName, unknown>();

  async function play(name: ChangeName, scene: ChangeScene): Promise<void> {
    const act = await prepareChange(name, scene);
    const pages = openPages(scene);
    played.set(name, { scene, pages });
    await settlePages(pages, scene.classId);
    // Such a page comes back only when it is loaded again.
    for (const [reader, { isSignedOut }] of Object.entries(pages)) {
      if (isSignedOut) delete pages[reader];
    }
    if (way === 'answered by a lost reply') proxy?.loseNextCommitAnswer();
    if (way === 'lost on its way') proxy?.loseNextCommit();

    await act();

    if (proxy?.isLossDue()) throw new Error('The change has not committed.');
    await postponeDecisions();
    await updatePages(pages, scene);
    live.set(name, { ...showPages(pages, scene.classId), ...(await askAll(scene)) });
  }

  /** What can be undone now can be undone until the end of the test. */
  async function postponeDecisions(): Promise<void> {
    for (const table of ['cases', 'reviews']) {
      await database.query(
        `update ${table} set "effectiveAt" = ${laterTime} where status = 'pending'`,
      );
    }
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    const { DATABASE_URL } = database.settings;
    if (DATABASE_URL) proxy = await startPostgresProxy(DATABASE_URL);
    app = await startApp(
      { ...changeSettings, ...(proxy && { DATABASE_URL: proxy.url }) },
      database,
    );
    const operators = await setOperators(app);
    for (const name of changeNames) {
      await play(name, await setScene(operators)).catch((error: unknown) =>
        failures.set(name, error),
      );
    }
    // Stops as a killed process does: what the server has not stored by now is lost.
    const DATA_DIR = `${database.settings.DATA_DIR}-fresh`;
    cpSync(database.settings.DATA_DIR, DATA_DIR, { recursive: true });
    proxy?.end();
    for (const { pages } of played.values()) closePages(pages);
    fresh = await startApp({ ...changeSettings, DATA_DIR }, database);
  }, 600_000);
  afterAll(async () => {
    await fresh.close();
    await app.close();
    await database.drop();
  });

  test.each(changeNames)(
    `the server shows a change by %s as after a restart when its commit is ${way} [LOG-87]`,
    async (name) => {
      expect(failures.get(name)).toBe(undefined);

      const playedScene = played.get(name)!;
      const scene = moveScene(playedScene.scene, fresh);
      const { classId } = scene;
      const pages = openPages(scene, Object.keys(playedScene.pages));
      await settlePages(pages, classId);

      const freshShown = { ...showPages(pages, classId), ...(await askAll(scene)) };

      closePages(pages);
      expect(live.get(name)).toEqual(freshShown);
    },
  );
});
