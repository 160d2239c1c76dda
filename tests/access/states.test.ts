// What someone may not do in an active class, they may not do in any state of the class, of the server key or of their role.
// The calls and frames are all of the contract, as access.test.ts expects them in an active class.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { routes, type RouteName } from '#contract/routes.ts';
import { loadConfig } from '#server/config/config.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import { changeKey, signInByMail } from '#tests/support/change-key.ts';
import { mergeAll } from '#tests/support/merging.ts';
import { listCases, report } from '#tests/support/moderation.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { quoteEmail } from '#tests/support/test-database.ts';
import { writeChange } from '#server/commands/write-change.ts';
import { expectedOfCalls, expectedOfFrames, people, type Person } from './expectations.ts';
import { frames, makeCall, type Scene } from './requests.ts';

/** Whom of access.test.ts the person equals when it comes to rights. */
const columns = {
  stranger: 'stranger',
  former: 'former',
  member: 'member',
  author: 'author',
  otherModerator: 'otherModerator',
  staff: 'staff',
  /** The roles of these two have ended. */
  formerModerator: 'stranger',
  formerOperator: 'stranger',
} as const satisfies Record<string, Person>;
type Name = keyof typeof columns;
const names = Object.keys(columns) as Name[];

interface Site {
  app: RunningApp;
  clients: Record<Name, TestClient>;
  operator: TestClient;
}

const shared = setUpApp();
let site: Site;
beforeAll(async () => {
  site = await setUpSite(shared);
});

async function setUpSite(app: RunningApp): Promise<Site> {
  const clients = {} as Site['clients'];
  for (const name of names) clients[name] = await app.createStudent(name.toLowerCase());
  const operator = await app.createStudent('operator');
  await setRole(app, operator, '', 'operator');
  await setRole(app, clients.otherModerator, await operator.createClass(), 'moderator');
  return { app, clients, operator };
}

async function setRole(
  app: RunningApp,
  { email, name }: TestClient,
  classId: string,
  role: string,
) {
  await app.database.query(
    `insert into roles ("accountId", "classId", role, "staffName")
     select id, '${classId}', '${role}', '${name}' from accounts where email = ${quoteEmail(email)}`,
  );
}

async function endRoles(app: RunningApp, { email }: TestClient): Promise<void> {
  await app.database.query(
    `delete from roles where "accountId" = (select id from accounts where email = ${quoteEmail(email)})`,
  );
}

/** A class with a reported message and an escalation. The roles of two people have ended. */
async function setScene({ app, clients, operator }: Site): Promise<Scene> {
  const { author, member, former, formerModerator, formerOperator, staff } = clients;
  const classId = await author.createClass();
  for (const student of [member, former]) await student.join(classId);
  const { id: authors } = await author.post(classId, 'from the author');
  const { id: formers } = await former.post(classId, 'from one who left');
  await former.leave(classId);
  await setRole(app, staff, classId, 'staff');
  await setRole(app, formerModerator, classId, 'moderator');
  await setRole(app, formerOperator, '', 'operator');
  await listCases(formerModerator, { classId });
  for (const client of [formerModerator, formerOperator]) await endRoles(app, client);
  await report(member, classId, { messageId: authors });
  const [reported] = await listCases(operator, { classId });
  const reviewId = randomBytes(12).toString('base64url');
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, day, status, version)
     select '${reviewId}', "classId", "memberId", "caseId", 'escalation', "caseId", 20000, 'open', 1
     from cases where "caseId" = '${reported!.caseId}'`,
  );
  return {
    classId,
    getMessageId: (name) => (name === 'former' ? formers : authors),
    memberId: reported!.persona.memberId,
    caseId: reported!.caseId,
    reviewId,
  };
}

/** Calls that need a role or a membership. */
const guarded = (Object.keys(routes) as RouteName[]).filter((route) => {
  const signedInStatuses = new Set(expectedOfCalls[route].slice(people.indexOf('stranger')));
  return signedInStatuses.size > 1 || /^[/]api[/](admin|moderation)[/]/.test(routes[route].path);
});
const answeredFrames = ['subscribe', 'post', 'edit', 'delete', 'react'] as const;

/** What these people are granted although it is rejected in an active class. */
async function findGranted({ clients }: Site, scene: Scene, wantedNames: readonly Name[] = names) {
  const granted: string[] = [];
  for (const name of wantedNames) {
    const client = clients[name];
    const column = people.indexOf(columns[name]);
    const rejectedRoutes = guarded.filter((route) => expectedOfCalls[route][column]! >= 400);
    await Promise.all(
      rejectedRoutes.map(async (route) => {
        const { ok, body } = await makeCall(route, { name, client }, scene);
        await body?.cancel();
        if (ok) granted.push(`${name}: ${route}`);
      }),
    );
    const socket = await client.connect();
    for (const type of answeredFrames) {
      const isRejected = !['ack', 'room'].includes(expectedOfFrames[type][column]!);
      if (!isRejected) continue;
      const ids = { classId: scene.classId, messageId: scene.getMessageId(name) };
      const { rid: _, ...frame } = frames[type](ids, 0);
      const reply = await socket.request(frame);
      if (reply.type !== 'nack') granted.push(`${name}: ${type}`);
    }
    socket.close();
  }
  return granted.toSorted();
}

/** Everything that the calls and frames could change. The server moves rows of accounts at any time, so they are sorted. */
async function loadRows({ database }: RunningApp): Promise<Record<string, string[]>> {
  const tables = await database.tables();
  const { classes, messages, reactions, enrollments, personas, roles } = tables;
  const { cases, reviews, sanctions, reports, auditLog, announcements } = tables;
  const rows = { classes, messages, reactions, enrollments, personas, roles };
  const allRows = { ...rows, cases, reviews, sanctions, reports, auditLog, announcements };
  return Object.fromEntries(
    Object.entries(allRows).map(([table, tableRows]) => [
      table,
      (tableRows ?? []).map((row) => JSON.stringify(row)).toSorted(),
    ]),
  );
}

type Change = (site: Site, classId: string) => Promise<unknown>;
const prepareOperatorCall =
  (route: 'endClass' | 'deleteClass' | 'restoreClass'): Change =>
  ({ operator }, classId) =>
    operator.call(route, { params: { classId } });

const removeLinks: Change = ({ app }, classId) => {
  const { database } = loadConfig({ ...app.database.settings });
  return writeChange(database, (unitOfWork) => endClass(unitOfWork, classId, '', 0));
};

const end = prepareOperatorCall('endClass');
const remove = prepareOperatorCall('deleteClass');
const restore = prepareOperatorCall('restoreClass');
const merge: Change = async ({ operator }, classId) =>
  mergeAll(operator, classId, await operator.createClass());

test.each<[state: string, changes: Change[]]>([
  ['is active', []],
  ['has ended', [end]],
  ['was deleted', [remove]],
  ['was restored', [remove, restore]],
  ['was merged', [merge]],
])(
  'no one gets more rights in a class that %s than in an active one [HTTP-53]',
  async (_, changes) => {
    const scene = await setScene(site);
    for (const change of changes) await change(site, scene.classId);
    const rowsBefore = await loadRows(site.app);

    expect(await findGranted(site, scene)).toEqual([]);
    expect(await loadRows(site.app)).toEqual(rowsBefore);
  },
);

test.each<[state: string, changes: Change[]]>([
  ['has lost its links', [removeLinks]],
  ['was restored without links', [removeLinks, remove, restore]],
])(
  'a member of a class that %s gets only the right to report their own message [HTTP-53]',
  async (_, changes) => {
    const scene = await setScene(site);
    for (const change of changes) await change(site, scene.classId);

    expect(await findGranted(site, scene)).toEqual(['author: reportMember']);
  },
);

test.each([
  ['there', []],
  // The message is no longer theirs: they can react to it and report it, as everybody.
  ['lost', ['author: react', 'author: reportMember']],
] as const)(
  'no one gets more rights with a new server key whose old one is %s [HTTP-53]',
  async (oldKey, expected) => {
    const ownSite = await setUpSite(await startApp());
    onTestFinished(() => ownSite.app.stop());
    const scene = await setScene(ownSite);
    await changeKey(ownSite.app, oldKey);
    for (const client of Object.values(ownSite.clients)) {
      await (oldKey === 'lost' ? signInByMail(ownSite.app, client) : client.signIn());
    }
    const [row] = await ownSite.app.database.query('select "memberId" from cases');

    const granted = await findGranted(ownSite, { ...scene, memberId: String(row!['memberId']) });

    expect(granted).toEqual(expected);
  },
);

test('the check of rights notices a role that has not ended [HTTP-53]', async () => {
  // The moderator can decide the case. On the shared server, the decision would take effect during another test.
  const ownSite = await setUpSite(await startApp());
  onTestFinished(() => ownSite.app.stop());
  const scene = await setScene(ownSite);
  await setRole(ownSite.app, ownSite.clients.formerModerator, scene.classId, 'moderator');

  const granted = await findGranted(ownSite, scene, ['formerModerator']);

  expect(granted).toContain('formerModerator: listCases');
});
