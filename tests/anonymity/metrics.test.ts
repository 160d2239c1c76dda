// A patient reader of /metrics, such as the staff who run the monitoring, knows neither the server key nor the database, but
// may be in a class, read the mail log and send requests. One student's rare action must not show on the page.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { report, listCases } from '#tests/support/moderation.ts';
import { turnOnNotifications } from '#tests/support/notifications.ts';
import { createJpeg, sendFile, upload } from '#tests/support/pictures.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { addStoredRole } from '#tests/support/roles.ts';

/** Renewals follow quickly. With `isExact`, the numbers are served as they are. */
const state = vi.hoisted(() => ({ renewals: 0, isExact: false }));
vi.mock(import('#server/base/noisy-gauge.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    renewalMs: 20,
    createNoisyGauge(...args) {
      const coarse = original.createNoisyGauge(...args);
      const [step] = args;
      return {
        renew(exact) {
          // The memory's step: two numbers have it.
          if (step === 32 * 1024 * 1024) state.renewals += 0.5;
          return state.isExact ? exact : coarse.renew(exact);
        },
      };
    },
  };
});

const service = await startPushService();
const settings = { PUSH_HOSTS: service.host, PUSH_DELAY: '0', LIMITS: 'reports=1/1d' };
const apps: RunningApp[] = [];
afterEach(async () => {
  state.isExact = false;
  for (const app of apps.splice(0)) await app.stop();
});

/** Waits for more renewals than a change can be late. */
async function waitForRenewals(): Promise<void> {
  const from = state.renewals;
  await expect.poll(() => state.renewals - from, { interval: 5 }).toBeGreaterThan(13);
}

async function fetchPage(app: RunningApp): Promise<string> {
  await waitForRenewals();
  const page = await (await fetch(`${app.origin}/metrics`)).text();
  // These change all the time. METRIC-12 says how they are rounded.
  const ofProcess = /^(process_|nodejs_|backchannel_event_loop_|backchannel_metrics_renewed_)/;
  return page
    .split('\n')
    .filter((line) => !ofProcess.test(line))
    .join('\n');
}

/** Gets the overview without the free space, which other programs change. */
async function getOverview(_app: RunningApp, operator: TestClient): Promise<string> {
  await waitForRenewals();
  const overview = await operator.call('readOverview', {});
  return JSON.stringify({ ...overview, sizes: { ...overview.sizes, free: null } });
}

type Act = (ada: TestClient) => Promise<unknown>;

/** A class with a few members, and everything that Ada can do once. */
async function prepare() {
  const app = await startApp(settings);
  apps.push(app);
  const ada = await app.createStudent('ada');
  const ben = await app.createStudent();
  const mod = await app.createStudent();
  const classId = await ben.createClass();
  await mod.join(classId);
  await addStoredRole(app.database, {
    email: mod.email,
    classId: null,
    role: 'operator',
    staffName: 'Sam',
  });
  const message = await ben.post(classId, 'Hello');
  const params = { classId };
  const id = randomUUID();
  const acts: Record<string, Act> = {
    'do nothing': async () => {},
    'sign up': () => app.createStudent('late'),
    'ask for a reset mail': (student) =>
      student.call('requestPasswordReset', { body: { email: student.email } }),
    'mistype a password': (student) =>
      student.newBrowser().fetch('/api/auth/sign-in/email', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: student.email, password: `not ${password}` }),
      }),
    'sign in': (student) => student.newBrowser().signIn(),
    join: (student) => student.join(classId),
    'open the class': (student) => student.connectTo(classId),
    post: (student) => student.post(classId, 'Something private', id),
    'edit, react and delete': async (student) => {
      const socket = await student.connectTo(classId);
      await socket.request({ type: 'edit', classId, messageId: id, text: 'Something else' });
      await socket.request({ type: 'react', classId, messageId: message.id, emoji: '👍' });
      await socket.request({ type: 'delete', classId, messageId: id });
      socket.close();
    },
    'be refused': (student) => student.fetch('/api/classes/AAAAAAAAAAAAAAAA'),
    'search for a class': (student) =>
      student.call('searchClasses', {
        body: { requests: [{ indexName: 'classSearch', query: 'input output' }] },
      }),
    'send a picture': async (student) => upload(student, classId, await createJpeg()),
    'send a broken picture': (student) => sendFile(student, classId, Buffer.from('GIF89a…')),
    report: (student) => report(student, classId, { messageId: message.id }),
    'have an exception in the page': (student) => student.call('countInterfaceError', {}),
    'hit a limit': (student) =>
      student.fetch(`/api/classes/${classId}/reports`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messageId: message.id, reason: 'spam' }),
      }),
    'be decided about': async () => {
      const [openCase] = await listCases(mod);
      if (!openCase) throw new Error('There is no case.');
      const body = { version: openCase.version, decision: 'keep', reason: 'Harmless' } as const;
      await mod.call('decideCase', { params: { caseId: openCase.caseId }, body });
    },
    'get a notification': async (student) => {
      const device = await turnOnNotifications(student, service);
      await student.call('chooseNotifications', { params, body: { notify: 'all' } });
      await ben.post(classId, 'A message that notifies');
      await device.waitFor(classId);
    },
    'get a notification that fails': async (student) => {
      const device = await turnOnNotifications(student, service);
      service.answer(device, [{ status: 400 }]);
      const socket = await student.connectTo(classId);
      socket.send({ type: 'viewing', classId, inView: true });
      expect(await socket.request({})).toMatchObject({ code: 'INVALID' });
      socket.close();
      await socket.closed;
      await ben.post(classId, 'Another one');
      await expect.poll(() => service.countRequests(device)).toBe(1);
    },
    'change the name': (student) =>
      student.call('changePersona', { params, body: { anonymousName: 'Blue Fox' } }),
    leave: (student) => student.leave(classId),
    'delete the account': (student) =>
      student.call('deleteAccount', { body: { password, messages: 'delete' } }),
  };
  return { app, ada, mod, acts };
}

/** @returns the names of the actions after which the page was another one, and of all others */
async function playOnce(
  read: (app: RunningApp, operator: TestClient) => Promise<string> = fetchPage,
) {
  const { app, ada, mod, acts } = await prepare();
  const changedNames: string[] = [];
  const unchanged: string[] = [];
  const first = await read(app, mod);
  let pageBefore = first;
  for (const [name, act] of Object.entries(acts)) {
    await act(ada);
    const pageAfter = await read(app, mod);
    (pageAfter === pageBefore ? unchanged : changedNames).push(name);
    pageBefore = pageAfter;
  }
  return { changed: changedNames, unchanged, first, page: pageBefore };
}

test('no metric changes when one student does one rare thing [METRIC-11, ANON-3]', async () => {
  const { changed, unchanged } = await playOnce();

  expect(changed).toEqual([]);
  expect(unchanged.length).toBeGreaterThan(20);
});

test('the overview of operators does not change when one student does one rare thing [ADMIN-18, ADMIN-19, ANON-3]', async () => {
  const { changed, unchanged } = await playOnce(getOverview);

  expect(changed).toEqual([]);
  expect(unchanged.length).toBeGreaterThan(20);
});

test('an overview of exact numbers shows some of the actions [ADMIN-18, ANON-3]', async () => {
  state.isExact = true;

  const { changed } = await playOnce(getOverview);

  expect(changed).toContain('open the class');
});

test('the metrics show a busy minute at its end [METRIC-9]', async () => {
  const app = await startApp();
  apps.push(app);
  const countRefusals = (page: string) => Number(/code="NOT_FOUND"\} (\d+)$/m.exec(page)?.[1]);

  expect(countRefusals(await fetchPage(app))).toBe(0);

  for (let n = 0; n < 15; n++) {
    await Promise.all(Array.from({ length: 100 }, () => fetch(`${app.origin}/api/nope`)));
  }
  const refusalCount = countRefusals(await fetchPage(app));
  expect(refusalCount % 100).toBe(0);
  expect(refusalCount).toBeGreaterThan(0);
});

test('exact metrics show each of the actions [METRIC-11, ANON-3]', async () => {
  state.isExact = true;
  const { unchanged, first, page } = await playOnce();
  expect(unchanged).toEqual(['do nothing']);

  // Acts change values, and add no name, label or label value.
  const removeValues = (text: string) => text.replaceAll(/ [\d.]+$/gm, '');
  expect(removeValues(page)).toBe(removeValues(first));

  // Otherwise the actions together could reach a step in the test above.
  const commits = Number(/^backchannel_commit_batch_size_count (\d+)$/m.exec(page)?.[1]);
  expect(commits).toBeGreaterThan(20);
  expect(commits).toBeLessThan(100);
});
