// A small university whose class lists the thief has: students of a programme take classes of their programme.
import { randomBytes, randomInt } from 'node:crypto';
import { launch, registerPlatform, startPlatformFor } from '#tests/support/lti-launch.ts';
import type { LtiPlatform } from '#tests/support/lti-platform.ts';
import { browserKeys, chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { report } from '#tests/support/moderation.ts';
import { askPoll, choose } from '#tests/support/polls.ts';
import { askPrivately } from '#tests/support/private-questions.ts';
import { ask, vote } from '#tests/support/questions.ts';
import { addStoredRole } from '#tests/support/roles.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Secrets } from './find-secrets.ts';
import type { Registrar } from './registrar.ts';
import { shuffle } from './school.ts';

/** Nothing answers there. */
const pushHost = 'http://127.0.0.1:9';
export const campusSettings = { PUSH_HOSTS: pushHost, EMAIL_VERIFICATION: 'off' };

/** What the server calls the device of each of them. */
const userAgent = 'Mozilla/5.0 (X11; CrOS x86_64) SamsungBrowser/23';
const device = 'Samsung Internet on ChromeOS';
const reportText = 'Look at that';

export interface CampusStudent {
  client: TestClient;
  accountId: string;
  /** The class list of the university, which is also that of the app. */
  classIds: readonly string[];
  /** MemberIds by class. */
  personas: Map<string, string>;
}

export interface Campus {
  students: readonly CampusStudent[];
  secrets: Secrets;
}

const programmeCount = 4;
const studentCount = 32;

/** Every account id, in whatever form the other columns are. */
async function listAccountIds({ database }: RunningApp): Promise<Set<string>> {
  return new Set((await database.query('select id from accounts')).map(({ id }) => String(id)));
}

/** Signs up, and finds the id of the new account. */
async function signUp(app: RunningApp): Promise<Omit<CampusStudent, 'classIds'>> {
  const idsBefore = await listAccountIds(app);
  const name = `student-${randomBytes(9 + randomInt(9)).toString('hex')}`;
  const client = await app.createStudent(name, { userAgent });
  const [accountId = ''] = (await listAccountIds(app)).difference(idsBefore);
  return { client, accountId, personas: new Map() };
}

/** @param app with `campusSettings` */
export async function fillCampus(app: RunningApp): Promise<Campus> {
  const owner = await signUp(app);
  const programmes: string[][] = [];
  for (let n = 0; n < programmeCount; n++) {
    const classIds = [];
    for (let m = 0; m < 4; m++) {
      classIds.push(await owner.client.createClass({ courseNumber: `${n}${m}` }));
    }
    programmes.push(classIds);
  }
  for (const classId of programmes.flat()) {
    const role = { classId, role: 'staff', staffName: 'Prof. Owl' } as const;
    await addStoredRole(app.database, { email: owner.client.email, ...role });
  }
  const platform = await startPlatformFor(app);
  await registerPlatform(app, platform);
  await linkCourses(app, programmes.flat());
  const students: CampusStudent[] = [];
  for (const n of shuffle(Array.from({ length: studentCount }, (_, place) => place))) {
    const classIds = programmes[n % programmeCount]!.filter((_, m) => m !== (n >> 2) % 4);
    const student = { ...(await signUp(app)), classIds };
    // So the order of the accounts is that of their first words.
    await joinAll(student, platform);
    students.push(student);
  }
  await platform.stop();
  const endpoints: string[] = [];
  for (const [n, student] of shuffle(students).entries()) {
    endpoints.push(await visitAll(student, students));
    if (n % 8 === 0) await grantStaff(app, student.client, student.classIds[0]!, `Prof. ${n}`);
  }
  const all = [owner, ...students];
  const emails = all.map(({ client }) => client.email);
  return {
    students,
    secrets: {
      address: [...emails, ...all.slice(1).map(({ client }) => client.name)],
      'account id': all.map(({ accountId }) => accountId),
      device: [device],
      'push endpoint': endpoints,
      'hash of a password': ['argon2id'],
      'text of a report': [reportText],
    },
  };
}

/** What the registrar knows of it, and the truth. */
export function toRegistrar({ students }: Campus): Registrar {
  return {
    lists: new Map(students.map(({ accountId, classIds }) => [accountId, classIds])),
    truth: new Map(
      students.flatMap(({ accountId, personas }) =>
        [...personas.values()].map((memberId) => [memberId, accountId] as const),
      ),
    ),
  };
}

const toCourseId = (classId: string) => `course of ${classId}`;

/** Every class has a course on the platform. */
async function linkCourses({ database }: RunningApp, classIds: readonly string[]): Promise<void> {
  const [{ platformId } = {}] = await database.query('select "platformId" from "ltiPlatforms"');
  // Instructors link in an order of theirs, which no student's list of classes shapes.
  for (const classId of shuffle(classIds)) {
    const values = [String(platformId), '1', toCourseId(classId), classId].map(
      (value) => `'${value}'`,
    );
    await database.query(
      `insert into "ltiCourses" ("platformId", "deploymentId", "contextId", "classId")
       values (${values.join(', ')})`,
    );
    await database.query(`update classes set "lateJoins" = 0 where "classId" = '${classId}'`);
  }
}

/** Opens each course on the platform, joins its class, and speaks there, all in a row. */
async function joinAll(
  { client, classIds, personas }: CampusStudent,
  platform: LtiPlatform,
): Promise<void> {
  for (const classId of shuffle(classIds)) {
    const { status } = await launch(client, platform, { course: { id: toCourseId(classId) } });
    if (status !== 303) throw new Error(`The launch answered ${status}.`);
    await client.join(classId);
    const socket = await client.connect();
    const { memberId } = (await socket.subscribe(classId)).me;
    personas.set(classId, memberId);
    await socket.post(classId, `Hello from ${memberId}`);
    socket.close();
  }
}

/** Everything that a student does in private, in all classes in a row. */
async function visitAll(
  { client, classIds, personas }: CampusStudent,
  all: readonly CampusStudent[],
) {
  await client.signIn();
  const endpoint = `${pushHost}/${randomBytes(24).toString('base64url')}`;
  await client.call('subscribePush', { body: { endpoint, keys: browserKeys } });
  await saveSettings(client, { showText: true });
  for (const classId of shuffle(classIds)) {
    const params = { classId };
    const socket = await client.connectTo(classId);
    const { id } = await socket.post(classId, `Said by ${personas.get(classId)}`);
    const { seq, messages } = await socket.subscribe(classId);
    const others = all
      .flatMap((student) => student.personas.get(classId) ?? [])
      .filter((memberId) => memberId !== personas.get(classId));
    const body = { ignored: others.slice(0, 3), hidden: [id], muted: false, version: 0 };
    await client.call('savePreferences', { params, body });
    await chooseNotifications(client, classId, 'all');
    const question = messages.find((message) => message.question);
    if (question) await vote(socket, classId, question.id);
    else await ask(socket, classId);
    await askPrivately(client, classId);
    const poll = messages.find((message) => message.poll);
    if (poll) await choose(socket, classId, poll.id, 0);
    else await askPoll(socket, classId);
    const reported = messages.find(({ memberId }) => memberId !== personas.get(classId));
    if (reported) await report(client, classId, { messageId: reported.id, text: reportText });
    socket.send({ type: 'read', classId, seq });
    socket.close();
  }
  await client.call('requestPasswordReset', { body: { email: client.email } });
  return endpoint;
}
