// The page of a course: who links it, and who becomes staff of its class.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  launch,
  linkCourse,
  readCourse,
  readCourseParams,
  registerPlatform,
  startPlatformFor,
} from '#tests/support/lti-launch.ts';
import { roles, type LtiPlatform } from '#tests/support/lti-platform.ts';
import { addStoredRole } from '#tests/support/roles.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let platform: LtiPlatform;
/** The instructors of this one become staff without a confirmation. */
let trustedPlatform: LtiPlatform;

beforeAll(async () => {
  platform = await startPlatformFor(app);
  await registerPlatform(app, platform);
  trustedPlatform = await startPlatformFor(app);
  await registerPlatform(app, trustedPlatform, '--instructors-are-staff');
});
afterAll(async () => {
  await platform.stop();
  await trustedPlatform.stop();
});

const createCourse = () => ({ id: randomUUID(), label: 'MATH 30-02', title: 'Calculus' });
type Course = ReturnType<typeof createCourse>;

async function open(person: TestClient, course: Course, role = roles.learner, used = platform) {
  const response = await launch(person, used, { course, roles: [role] });
  expect(response.status).toBe(303);
}
const teach = (person: TestClient, course: Course, used = platform) =>
  open(person, course, roles.instructor, used);

const createFor = async (person: TestClient, body: typeof someClass = someClass) =>
  person.call('createCourseClass', { params: await readCourseParams(person), body });

async function createStaff(classId: string, role: 'staff' | 'operator' = 'staff') {
  const person = await app.createStudent();
  const staffName = `Prof. ${randomUUID().slice(0, 8)}`;
  const held = { email: person.email, classId: role === 'staff' ? classId : null, role, staffName };
  await addStoredRole(app.database, held);
  return person;
}

async function decide(person: TestClient, accept: boolean) {
  const { proposals } = await person.call('listProposals', {});
  const params = { roleId: proposals[0]!.roleId };
  await person.call('decideProposal', { params, body: { accept } });
}

test('a student of a course without a class reads so, and gets its class later [LTI-8, LTI-9]', async () => {
  const course = createCourse();
  const student = await app.createStudent();
  await open(student, course);
  expect(await readCourse(student)).toMatchObject({ isInstructor: false, linkedClass: null });

  const classId = await student.createClass();
  const teacher = await createStaff(classId);
  await teach(teacher, course);
  await linkCourse(teacher, classId);

  expect((await readCourse(student))?.linkedClass?.classId).toBe(classId);
});

test('a student links and proposes nothing [LTI-9, LTI-10]', async () => {
  const student = await app.createStudent();
  const classId = await student.createClass();
  const role = { email: student.email, classId, role: 'staff', staffName: 'Dr. Ruiz' } as const;
  await addStoredRole(app.database, role);
  await open(student, createCourse());

  await expect(linkCourse(student, classId)).rejects.toThrow('Only instructors');
  await expect(createFor(student)).rejects.toThrow('Only instructors');
});

test.each([
  ...['Instructor', 'https://evil.example/membership#Instructor'],
  roles.instructor.toLowerCase(),
  `${roles.instructor} `,
  'http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor',
  'http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator',
  'http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant',
])('the role %j makes no instructor [LTI-5]', async (role) => {
  const person = await app.createStudent();
  await open(person, createCourse(), role);

  expect(await readCourse(person)).toMatchObject({ isInstructor: false });
});

test('an instructor links no class of others [LTI-9]', async () => {
  const classId = await (await app.createStudent()).createClass();
  const teacher = await app.createStudent();
  await teacher.join(classId);
  await teach(teacher, createCourse());

  await linkCourse(teacher, classId, 'Prof. Ruiz');

  expect(await readCourse(teacher)).toMatchObject({ staffState: 'proposed', linkedClass: null });
});

test('an instructor does not learn which names a class of others has [LTI-10, ANON-3]', async () => {
  const member = await app.createStudent();
  const classId = await member.createClass();
  await member.call('changePersona', { params: { classId }, body: { anonymousName: 'Quiet Fox' } });
  const teacher = await app.createStudent();
  await teach(teacher, createCourse());

  await linkCourse(teacher, classId, 'Quiet Fox');
  await teacher.join(classId);

  await expect(linkCourse(teacher, classId, 'Quiet Fox')).rejects.toMatchObject({
    code: 'NAME_TAKEN',
  });
});

test('a course with a class gets no other one [LTI-9]', async () => {
  const first = await app.createStudent();
  const course = createCourse();
  await teach(first, course);
  const { class: linked } = await createFor(first);
  const otherId = await otherClass();
  const second = await createStaff(otherId);
  await teach(second, course);

  await expect(linkCourse(second, otherId)).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });

  expect((await readCourse(second))?.linkedClass?.classId).toBe(linked.classId);
});

test('a page links and creates only for the course that it shows [LTI-9]', async () => {
  const teacher = await app.createStudent();
  await teach(teacher, createCourse());
  const params = await readCourseParams(teacher);
  // In another tab.
  await teach(teacher, createCourse());
  const other = await readCourse(teacher);

  const creating = teacher.call('createCourseClass', { params, body: someClass });
  await expect(creating).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const classId = await teacher.createClass();
  const linking = teacher.call('linkCourse', { params, body: { classId, staffName: 'Dr. Ada' } });
  await expect(linking).rejects.toThrow('Go to your course');

  expect(await readCourse(teacher)).toEqual(other);
});

test('a course leads to the class that stays after two merges [LTI-12]', async () => {
  const teacher = await app.createStudent();
  await teach(teacher, createCourse());
  const { class: linked } = await createFor(teacher);
  const ids = [linked.classId, await otherClass(), await otherClass()];
  for (const n of [0, 1]) {
    const names = [ids[n]!, ids[n + 1]!, '--yes'];
    await runAdminCommand(app.database.settings, 'merge-classes', ...names);
  }

  expect((await readCourse(teacher))?.linkedClass?.classId).toBe(ids[2]);
});

test('an instructor creates the class of the course, once [LTI-9]', async () => {
  const teacher = await app.createStudent();
  await teach(teacher, createCourse());
  const create = () => createFor(teacher);

  const { class: created } = await create();

  expect(await readCourse(teacher)).toMatchObject({
    ...{ courseTitle: 'Calculus', courseLabel: 'MATH 30-02', staffState: 'none' },
    linkedClass: { classId: created.classId },
  });
  await expect(create()).rejects.toMatchObject({ code: 'SETTINGS_CHANGED' });
});

describe('a proposal', () => {
  test('gives no right until staff of the class confirm it, and then links the course [LTI-10]', async () => {
    const classId = await (await app.createStudent()).createClass();
    const staff = await createStaff(classId);
    const teacher = await app.createStudent();
    await teach(teacher, createCourse());

    await linkCourse(teacher, classId, 'Prof. Noether');
    await linkCourse(teacher, classId, 'Prof. Noether');
    // Whoever confirms sees which course it is.
    expect(await staff.call('listProposals', {})).toMatchObject({
      proposals: [{ staffName: 'Prof. Noether', courseTitle: 'Calculus' }],
    });

    const mail = await app.waitForNextMailTo(staff);
    expect(mail).toContain('Prof. Noether');
    expect(mail).not.toContain(teacher.email);
    expect(app.mails().filter((text) => text.includes('Prof. Noether'))).toHaveLength(1);
    expect(await readCourse(teacher)).toMatchObject({ staffState: 'proposed', linkedClass: null });
    const start = () => teacher.call('startLecture', { params: { classId }, body: { hours: 1 } });
    await expect(start()).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    const { account } = await teacher.call('me', {});
    expect(account?.roles).toEqual([]);

    await decide(staff, true);

    expect(await readCourse(teacher)).toMatchObject({
      staffState: 'staff',
      linkedClass: { classId },
    });
    await start();
  });

  test('is no one else’s to confirm, and an operator can reject it [LTI-10]', async () => {
    const classId = await (await app.createStudent()).createClass();
    const otherStaff = await createStaff(await otherClass());
    const operator = await createStaff(classId, 'operator');
    const teacher = await app.createStudent();
    await teach(teacher, createCourse());
    await linkCourse(teacher, classId, 'Prof. Hypatia');
    const { proposals } = await operator.call('listProposals', {});
    const params = { roleId: proposals.find((one) => one.staffName === 'Prof. Hypatia')!.roleId };

    for (const stranger of [teacher, otherStaff]) {
      expect(await stranger.call('listProposals', {})).toEqual({ proposals: [] });
      const accept = stranger.call('decideProposal', { params, body: { accept: true } });
      await expect(accept).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await operator.call('decideProposal', { params, body: { accept: false } });

    expect(await readCourse(teacher)).toMatchObject({ staffState: 'rejected', linkedClass: null });
    expect(await operator.call('listProposals', {})).toEqual({ proposals: [] });
    await linkCourse(teacher, classId, 'Prof. Hypatia');
    expect(await readCourse(teacher)).toMatchObject({ staffState: 'proposed' });
  });

  test('ends with the account [LTI-10]', async () => {
    const classId = await (await app.createStudent()).createClass();
    const staff = await createStaff(classId);
    const teacher = await app.createStudent();
    await teach(teacher, createCourse());
    await linkCourse(teacher, classId, 'Prof. Curie');

    await teacher.call('deleteAccount', {
      body: { password: teacher.password, messages: 'delete' },
    });

    expect(await staff.call('listProposals', {})).toEqual({ proposals: [] });
  });
});

const otherClass = async () => (await app.createStudent()).createClass();

test('an instructor of a trusted platform becomes staff of the class of the course only [LTI-11]', async () => {
  const teacher = await app.createStudent();
  await teach(teacher, createCourse(), trustedPlatform);
  const { class: created } = await createFor(teacher);
  const otherId = await otherClass();

  await linkCourse(teacher, created.classId, 'Prof. Gauss');
  await linkCourse(teacher, otherId, 'Prof. Gauss');

  const { account } = await teacher.call('me', {});
  expect(account?.roles).toEqual([{ classId: created.classId, role: 'staff' }]);
});

test('a copy of a course has no class until it is linked again [LTI-12]', async () => {
  const teacher = await app.createStudent();
  await teach(teacher, createCourse());
  await createFor(teacher);

  await launch(teacher, platform, {
    course: createCourse(),
    roles: [roles.instructor],
    lti: { custom: { class: 'linked' } },
  });

  expect(await readCourse(teacher)).toMatchObject({ isCopy: true, linkedClass: null });
});

test('the same course of another platform is another course [LTI-12]', async () => {
  const course = createCourse();
  const teacher = await app.createStudent();
  await teach(teacher, course);
  await createFor(teacher);

  await teach(teacher, course, trustedPlatform);

  expect(await readCourse(teacher)).toMatchObject({ isCopy: false, linkedClass: null });
});

test('a course of a platform that was unregistered is closed [LTI-1]', async () => {
  const removed = await startPlatformFor(app);
  await registerPlatform(app, removed);
  const teacher = await app.createStudent();
  const classId = await teacher.createClass();
  const role = { email: teacher.email, classId, role: 'staff', staffName: 'Dr. Lovelace' } as const;
  await addStoredRole(app.database, role);
  await teach(teacher, createCourse(), removed);
  const params = await readCourseParams(teacher);
  const { issuer, clientId } = removed;
  await runAdminCommand(app.database.settings, 'unregister-lms', issuer, clientId);

  expect(await readCourse(teacher)).toBeNull();
  const linking = teacher.call('linkCourse', { params, body: { classId, staffName: '' } });
  await expect(linking).rejects.toThrow('Go to your course');

  await removed.stop();
});

test('a sign-out forgets the course [LTI-6]', async () => {
  const student = await app.createStudent();
  await open(student, createCourse());
  await student.call('signOut', {});
  await student.signIn();

  expect(await readCourse(student)).toBeNull();
  await expect(linkCourse(student, await otherClass())).rejects.toThrow('Go to your course');
});
