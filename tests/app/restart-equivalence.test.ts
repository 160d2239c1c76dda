// After each change, open pages and the server show what a freshly started server shows of the same data, however the commit
// ended. On PostgreSQL the answer to the commit, or the commit, may be lost on its way.
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import { clientFrame } from '#contract/socket.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import {
  callsWithoutChange,
  changeNames,
  changeSettings,
  framesWithoutChange,
  prepareChange,
  setOperators,
  setScene,
  type ChangeName,
  type Scene,
} from '#tests/support/changes.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { openDevice, type Device } from '#tests/support/open-device.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

test('each call and each frame that changes something has a case here [LOG-85]', () => {
  const calls = listRegisteredCalls()
    .filter(({ name }) => routes[name].method !== 'GET' && !callsWithoutChange[name])
    .map(({ name }) => name);
  const frames = clientFrame.options
    .map(({ shape }) => shape.type.value)
    .filter((type) => !framesWithoutChange[type]);

  expect(changeNames).toEqual(expect.arrayContaining([...calls, ...frames]));
});

type View = Record<string, unknown>;

/** What a page shows, without what depends on when it was opened. */
function toShown({ live }: Device, classId: string, isSignedOut: boolean): View {
  if (isSignedOut) return { state: 'signed out' };
  const view: RoomView = live.room(classId).getSnapshot();
  const { state, messages, me, staff, sanction, settings, preferences, personas } = view;
  const authors = new Set([me, ...messages.map(({ memberId }) => memberId)]);
  const known = [...personas.values()].filter(({ memberId }) => authors.has(memberId));
  const announcements = live.announcements.getSnapshot()[classId] ?? [];
  const texts = announcements.map(({ announcementId, text }) => ({ announcementId, text }));
  if (state === 'gone') return { state, sanction };
  return {
    ...{ state, messages, me, staff, sanction, settings, announcements: texts },
    ...{ preferences, personas: known.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1)) },
  };
}

interface Page {
  device: Device;
  isSignedOut: boolean;
}

function openPage(person: TestClient, classId: string): Page {
  const device = openDevice(person);
  const page = { device, isSignedOut: false };
  device.live.onSignedOut(() => (page.isSignedOut = true));
  device.live.room(classId);
  return page;
}

type Pages = Record<string, Page>;

const readersOf = ({ ada, adaElsewhere, ben }: Scene) => ({ ada, adaElsewhere, ben });

function openPages(
  scene: Scene,
  readers: readonly string[] = Object.keys(readersOf(scene)),
): Pages {
  const open = Object.entries(readersOf(scene)).filter(([who]) => readers.includes(who));
  return Object.fromEntries(open.map(([who, person]) => [who, openPage(person, scene.classId)]));
}

/** What the replies tell of the moment of the call, or of the other changes. */
const unasked: Partial<Record<RouteName, string>> = {
  exportAccount: 'It is a file with the time of the export.',
  schoolTheme: 'No change concerns it.',
  readSiteOpenness: 'It counts the other scenes.',
};

const memberCalls = listRegisteredCalls()
  .map(({ name }) => name)
  .filter((name) => routes[name].method === 'GET' && !unasked[name])
  .filter((name) => /^\/api\/(?:me|classes)\b/.test(routes[name].path));

async function ask(person: TestClient, name: RouteName, scene: Scene, query = {}) {
  const { classId, memberId, caseId } = scene;
  const path = routeUrl(name, { params: { classId, memberId, caseId }, query });
  const response = await person.fetch(path);
  return [response.status, await response.text()];
}

async function askAll(scene: Scene): Promise<View> {
  const { ada, ben, olga, classId, courseName } = scene;
  const view: View = {};
  for (const name of memberCalls) view[`Ada: ${name}`] = await ask(ada, name, scene);
  for (const name of ['listMembers', 'listClasses', 'readClass'] as const) {
    view[`Ben: ${name}`] = await ask(ben, name, scene);
  }
  view['listCases'] = await ask(olga, 'listCases', scene, { classId, state: 'open' });
  for (const name of ['readModeratedMember', 'readCaseContext', 'readUnmasking'] as const) {
    view[name] = await ask(olga, name, scene);
  }
  view['found'] = (await findClasses(olga, courseName)).hits;
  return view;
}

/** The same scene on another server with the same data. */
function moveScene(scene: Scene, app: RunningApp): Scene {
  const move = (person: TestClient) =>
    createTestClient(app.origin, person.email, {
      cookie: person.cookie(),
      password: person.password,
    });
  const { ada, adaElsewhere, ben, olga, otto } = scene;
  return {
    ...scene,
    app,
    ada: move(ada),
    adaElsewhere: move(adaElsewhere),
    ben: move(ben),
    olga: move(olga),
    otto: move(otto),
  };
}

interface Played {
  scene: Scene;
  pages: Pages;
}

const isPostgres = Boolean(process.env['BACKCHANNEL_TEST_DATABASE']);
/** As `npm run test:all` sets it. */
const isLong = process.env['BACKCHANNEL_TEST_PEOPLE'] !== undefined;
const postgresWays = isLong
  ? (['acknowledged', 'answered by a lost reply', 'lost on its way'] as const)
  : (['answered by a lost reply'] as const);
const ways = isPostgres ? postgresWays : (['acknowledged'] as const);

describe.each(ways)('when its commit is %s', (way) => {
  let database: TestDatabase;
  let proxy: PostgresProxy | null = null;
  let app: RunningApp;
  let fresh: RunningApp;
  const later = Date.now() + 3_600_000;
  const live = new Map<ChangeName, View>();
  const played = new Map<ChangeName, Played>();
  const failures = new Map<ChangeName, unknown>();

  async function play(name: ChangeName, scene: Scene): Promise<void> {
    const act = await prepareChange(name, scene);
    const pages = openPages(scene);
    played.set(name, { scene, pages });
    await settle(pages, scene.classId);
    // Such a page comes back only when it is loaded again.
    for (const [who, { isSignedOut }] of Object.entries(pages)) {
      if (isSignedOut) delete pages[who];
    }
    if (way === 'answered by a lost reply') proxy?.loseNextCommitAnswer();
    if (way === 'lost on its way') proxy?.loseNextCommit();

    await act();

    if (proxy?.isLossDue()) throw new Error('The change has not committed.');
    await postponeDecisions();
    await followClasses(scene, pages);
    live.set(name, { ...showAll(pages, scene.classId), ...(await askAll(scene)) });
  }

  /** What can be undone now can be undone until the end of the test. */
  async function postponeDecisions(): Promise<void> {
    for (const table of ['cases', 'reviews']) {
      await database.query(`update ${table} set "effectiveAt" = ${later} where status = 'pending'`);
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
    for (const { pages } of played.values()) closeAll(pages);
    fresh = await startApp({ ...changeSettings, DATA_DIR }, database);
  });
  afterAll(async () => {
    await fresh.close();
    await app.close();
    await database.drop();
  });

  test.each(changeNames)('%s leaves all as after a start [LOG-85]', async (name) => {
    expect(failures.get(name)).toBe(undefined);
    const before = played.get(name)!;
    const scene = moveScene(before.scene, fresh);
    const { classId } = scene;
    const pages = openPages(scene, Object.keys(before.pages));
    await settle(pages, classId);

    const shown = { ...showAll(pages, classId), ...(await askAll(scene)) };

    closeAll(pages);
    expect(live.get(name)).toEqual(shown);
  });
});

function showAll(pages: Pages, classId: string): View {
  return Object.fromEntries(
    Object.entries(pages).map(([who, { device, isSignedOut }]) => [
      `page of ${who}`,
      toShown(device, classId, isSignedOut),
    ]),
  );
}

function closeAll(pages: Pages): void {
  for (const { device } of Object.values(pages)) device.live.close();
}

/** As the list of classes does, which each page reads again when it comes into view. */
async function followClasses(scene: Scene, pages: Pages): Promise<void> {
  await hasArrived(pages);
  for (const [who, person] of Object.entries(readersOf(scene))) {
    const list = await person.call('listClasses', {}).catch(() => null);
    if (list) pages[who]?.device.live.follow(list.classes.map(({ classId }) => classId));
  }
  await settle(pages, scene.classId);
}

const hasArrived = (pages: Pages) =>
  Promise.all(Object.values(pages).map(({ device }) => device.flush()));

/** Waits until each page shows the class, or that it cannot. */
async function settle(pages: Pages, classId: string): Promise<void> {
  for (const page of Object.values(pages)) {
    const { live } = page.device;
    for (let tries = 0; tries < 500; tries++) {
      if (page.isSignedOut) break;
      const { state } = live.room(classId).getSnapshot();
      if (state === 'ready' && live.connection.getSnapshot() === 'online') break;
      if (state === 'gone') break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
