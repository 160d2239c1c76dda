// Roles that commands and settings give, and the audit log of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import { loadConfig } from '#server/config/config.ts';
import { applyDecisions, decide, grantRole, listCases, report } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { grantStaff } from '#tests/support/staff.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { addStoredRole, deleteStoredRoles } from '#tests/support/roles.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);
const listRoles = async (client: TestClient) => (await client.call('me', {})).account?.roles;

test('commands grant and revoke roles while the server runs [MOD-2, MOD-3, MOD-25]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ben.createClass();

  expect(await listRoles(ada)).toEqual([]);
  expect(await run('grant-moderator', ada.email, classId, 'Kim Lee')).toMatchObject({ code: 0 });
  expect(await listRoles(ada)).toEqual([{ classId, role: 'moderator' }]);
  expect(await listRoles(ben)).toEqual([]);
  expect(await listCases(ada)).toEqual([]);
  expect(await run('revoke-role', ada.email)).toMatchObject({ code: 1 });
  expect(await run('revoke-role', ada.email, classId)).toMatchObject({ code: 0 });
  expect(await listRoles(ada)).toEqual([]);
  await expect(listCases(ada)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  expect(await run('grant-operator', ada.email, 'Kim')).toMatchObject({ code: 0 });
  expect(await listRoles(ada)).toEqual([{ classId: null, role: 'operator' }]);

  const { entries } = await ada.call('listAuditLog', { query: {} });
  const latest = entries.slice(0, 3);
  expect(latest.map(({ act, staffName, reason }) => [act, staffName, reason])).toEqual([
    ['grant-operator', '', 'Kim'],
    ['revoke-role', '', 'Kim Lee'],
    ['grant-moderator', '', 'Kim Lee'],
  ]);
  expect(JSON.stringify(latest)).not.toContain(ada.email);
});

/** Writes a CSV file, or a folder of them by their names. @returns its path */
function writeCsv(lines: readonly string[] | Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-roles-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = Array.isArray(lines) ? { 'roles.csv': lines } : lines;
  for (const [name, fileLines] of Object.entries(files)) {
    writeFileSync(join(folder, name), [...fileLines, ''].join('\r\n'));
  }
  return Array.isArray(lines) ? join(folder, 'roles.csv') : folder;
}

test('a file grants roles after a preview, each once, and names its wrong lines [MOD-111]', async () => {
  const [ada, lee] = [await app.createStudent(), await app.createStudent()];
  const classId = await ada.createClass();
  const file = writeCsv([
    'Email,Class,Role,Name',
    `${lee.email},https://chat.university.edu/home/${classId},Staff,Prof.  Lee`,
    `${ada.email},${classId},moderator,Kim`,
    `nobody@university.edu,${classId},staff,Prof. No`,
    `${ada.email},${classId},teacher,Kim`,
    `${ada.email},${classId},student,Kim`,
    `${ada.email},AAAAAAAAAAAAAAAA,staff,Kim`,
    `${ada.email},${classId},staff,Prof. Lee`,
  ]);

  const preview = await run('grant-roles', file);
  expect(preview.out).toContain(
    '3 new, 0 the same, 0 taken back, 1 without an account yet, 2 wrong.\nNothing is done yet: add --yes.',
  );
  expect(await listRoles(lee)).toEqual([]);

  const granted = await run('grant-roles', file, '--yes');
  expect(granted).toMatchObject({ code: 2, errors: [] });
  expect(granted.out.split('\n')).toEqual([
    "Line 5: The role is neither 'staff' nor 'moderator'.",
    'Line 7: There is no such class.',
    expect.stringContaining('Line 8: Someone in this class already has this name'),
    '2 new, 0 the same, 0 taken back, 1 without an account yet, 3 wrong.',
    'Done.',
    '',
  ]);
  expect(await listRoles(lee)).toEqual([{ classId, role: 'staff' }]);
  expect(await listRoles(ada)).toEqual([{ classId, role: 'moderator' }]);

  const repeated = await run('grant-roles', file, '--yes');
  expect(repeated.out).toContain('0 new, 2 the same,');
});

test('a file with several roles of a person sends one mail for up to five classes [MOD-111]', async () => {
  const kim = await app.createStudent();
  const classIds = [];
  for (const courseNumber of ['1', '2', '3', '4', '5', '6']) {
    classIds.push(await kim.createClass({ subjectAbbreviation: 'Many', courseNumber }));
  }
  const file = writeCsv([
    'class,address,role,name',
    ...classIds.map((classId) => `${classId},${kim.email},staff,Prof. Kim`),
    `${classIds[0]},${kim.email},moderator,Kim`,
  ]);

  expect((await run('grant-roles', file, '--yes')).out).toContain('7 new');

  const listMails = () => app.mails().filter((mail) => mail.includes(`To: ${kim.email}`));
  await expect.poll(() => listMails().length).toBe(3);
  const firstMail = listMails().find((mail) => mail.includes('MANY 1, MANY 2, MANY 3'));
  for (const classId of classIds.slice(0, 5)) expect(firstMail).toContain(`/home/${classId}`);
  expect(firstMail).not.toContain(classIds[5]);
});

test('the teachers of a OneRoster export become staff, and no address is printed [MOD-112]', async () => {
  const [lee, kim, sam] = await Promise.all([1, 2, 3].map(() => app.createStudent()));
  const classId = await sam!.createClass({ courseNumber: '911', sectionNumber: '03' });
  const [found] = await app.database.query(
    `select "semesterSeason", year from classes where "classId" = '${classId}'`,
  );
  const folder = writeCsv({
    'academicSessions.csv': [
      'sourcedId,title',
      `t1,${String(found?.['semesterSeason'])} ${String(found?.['year'])}`,
    ],
    'courses.csv': ['sourcedId,title,courseCode', 'c1,Algorithms,CS-911'],
    'classes.csv': [
      'sourcedId,title,courseSourcedId,classCode,termSourcedIds',
      'k1,Algorithms,c1,CS-911-03,t1',
    ],
    'users.csv': [
      'sourcedId,status,enabledUser,givenName,familyName,email',
      `u1,active,true,Ann,Lee,${lee!.email}`,
      `u2,active,false,Kim,Gone,${kim!.email}`,
      `u3,active,true,Sam,Student,${sam!.email}`,
      'u4,active,true,New,Teacher,new@university.edu',
    ],
    'enrollments.csv': [
      'sourcedId,classSourcedId,userSourcedId,role',
      'e1,k1,u1,teacher',
      'e2,k1,u2,teacher',
      'e3,k1,u3,student',
      'e4,k1,u4,teacher',
      'e5,k9,u1,teacher',
    ],
  });

  const { out } = await run('grant-roles', folder, '--yes');

  expect(out.split('\n')).toEqual([
    'Line 6: The class is missing.',
    '1 new, 0 the same, 0 taken back, 1 without an account yet, 1 wrong.',
    'Done.',
    '',
  ]);
  expect(await listRoles(lee!)).toEqual([{ classId, role: 'staff' }]);
  expect([await listRoles(kim!), await listRoles(sam!)]).toEqual([[], []]);
});

test('a list takes back what only it granted, and a third at most without --force [MOD-113]', async () => {
  const students = await Promise.all([1, 2, 3, 4, 5].map(() => app.createStudent()));
  const classId = await students[0]!.createClass();
  const byHand = students[4]!;
  await run('grant-staff', byHand.email, classId, 'By hand');
  const write = (listed: readonly TestClient[]) =>
    writeCsv(['class,address,role', ...listed.map(({ email }) => `${classId},${email},staff`)]);
  const apply = (file: string, ...options: string[]) =>
    run('grant-roles', file, '--list', 'fall', '--yes', ...options);
  const findHolders = async () => {
    const roles = await Promise.all(students.map(listRoles));
    return students.filter((_, n) => roles[n]!.length > 0);
  };

  expect((await apply(write(students))).out).toContain('4 new, 1 the same,');
  expect((await apply(write(students.slice(0, 3)))).out).toContain(
    'Taken back: Instructor 4, staff of CS 146\n0 new, 3 the same, 1 taken back,',
  );
  expect(await findHolders()).toEqual([...students.slice(0, 3), byHand]);

  const cut = write(students.slice(0, 1));
  const warning = 'The file lacks 2 of the 3 roles that this list granted.';
  expect((await run('grant-roles', cut, '--list', 'fall')).out).toContain(warning);
  expect((await apply(cut)).errors.join()).toContain(warning);
  expect((await run('grant-roles', cut, '--list', 'spring', '--yes')).out).toContain(
    '0 taken back',
  );
  expect(await findHolders()).toHaveLength(4);
  expect((await apply(write([]), '--force')).out).toContain('3 taken back');
  expect(await findHolders()).toEqual([byHand]);
});

test('the commands reject unknown accounts and classes, and addresses as names [MOD-2]', async () => {
  const ada = await app.createStudent();
  const refusals: [string, ...string[]][] = [
    ['There is no account', 'grant-operator', 'nobody@university.edu', 'Kim'],
    ['is no email address', 'grant-operator', ada.email, 'kim@university.edu'],
    ['A name has 1 to 60', 'grant-operator', ada.email, ' '],
    ['Usage: npm run admin -- grant-operator', 'grant-operator', ada.email],
    ['There is no class', 'grant-moderator', ada.email, 'AAAAAAAAAAAAAAAA', 'Kim'],
    ['There is no class', 'grant-staff', ada.email, 'AAAAAAAAAAAAAAAA', 'Kim'],
    ['Usage: npm run admin -- grant-moderator', 'grant-moderator', ada.email, 'Kim'],
    ['is no operator', 'revoke-role', ada.email],
  ];

  for (const [reason, ...args] of refusals) {
    const { code, errors } = await run(...args);
    expect([args, code]).toEqual([args, 1]);
    expect(errors.join()).toContain(reason);
  }
  expect(await listRoles(ada)).toEqual([]);
});

test('OPERATORS names verified accounts, and needs verification [MOD-2, MOD-8]', async () => {
  expect(() => loadConfig({ OPERATORS: 'ada@university.edu' })).toThrow('EMAIL_VERIFICATION');
  expect(() => loadConfig({ OPERATORS: 'ada', EMAIL_VERIFICATION: 'required' })).toThrow(
    'OPERATORS contains "ada"',
  );

  const otherApp = await startApp({
    OPERATORS: ' Chief@University.edu,second@university.edu',
    EMAIL_VERIFICATION: 'required',
  });
  try {
    const chief = otherApp.visitor('chief');
    await chief.signUp();
    const token = decodeURIComponent(
      /token=(\S+)/.exec(await otherApp.waitForNextMailTo(chief))![1]!,
    );

    expect((await chief.call('me', {})).account).toBeNull();

    await chief.call('verifyEmail', { body: { token, password } });
    expect(await listRoles(chief)).toEqual([{ classId: null, role: 'operator' }]);
    expect(await listCases(chief)).toEqual([]);
  } finally {
    await otherApp.stop();
  }
});

test('the server does not start with wrong settings of moderation [MOD-8, MOD-11]', () => {
  expect(() => loadConfig({ HELP_LINE: 'x'.repeat(201) })).toThrow('HELP_LINE');
  expect(() => loadConfig({ REPORTS_TO_HIDE: 'three' })).toThrow('REPORTS_TO_HIDE');
  expect(loadConfig({})).toMatchObject({ reportsToHide: 3, helpLine: null, operators: [] });
});

test('an account can send 20 reports a day [LIMIT-24]', async () => {
  const limited = await startApp({ LIMIT_FACTOR: '1' });
  try {
    const ada = await limited.createStudent();
    const ben = await limited.createStudent();
    const classId = await ada.createClass();
    await ben.join(classId);
    const { id } = await ada.post(classId, 'bad');
    for (let n = 0; n < 20; n++) await report(ben, classId, { messageId: id });

    await expect(report(ben, classId, { messageId: id })).rejects.toMatchObject({
      code: 'TOO_MANY_REPORTS',
    });
  } finally {
    await limited.stop();
  }
});

test('REPORTS_TO_HIDE=0 hides nothing [MOD-11]', async () => {
  const never = await startApp({ REPORTS_TO_HIDE: '0' });
  try {
    const ada = await never.createStudent();
    const classId = await ada.createClass();
    const { id } = await ada.post(classId, 'bad');
    for (let n = 0; n < 4; n++) {
      const member = await never.createStudent();
      await member.join(classId);
      await report(member, classId, { messageId: id });
    }

    expect((await ada.snapshot(classId)).messages).toMatchObject([{ moderation: null }]);
  } finally {
    await never.stop();
  }
});

test('verify-audit finds a changed and a missing entry [MOD-25, MOD-26]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const operator = await app.createStudent();
  await grantRole(app, operator, null, 'Sam');
  const classId = await ada.createClass();
  await ben.join(classId);
  const { id } = await ada.post(classId, 'bad');
  await report(ben, classId, { messageId: id });
  await decide(operator, id, { decision: 'remove', sanction: { kind: 'mute', hours: 168 } });

  await applyDecisions(app);

  const { entries } = await operator.call('listAuditLog', { query: {} });
  const lastEntry = entries[0]!;
  expect(lastEntry.at % 60_000).toBe(0);
  expect((await run('verify-audit')).out).toContain(
    `${entries.length} entries, the last with the hash ${lastEntry.hash}`,
  );

  const older = await operator.call('listAuditLog', { query: { before: lastEntry.number } });
  expect(older.entries).toEqual(entries.slice(1));

  const change = (sql: string) => app.database.query(sql);
  const changedNumber = lastEntry.number - 1;
  await change(`update "auditLog" set reason = 'another' where number = ${changedNumber}`);

  expect((await run('verify-audit')).errors.join()).toContain(`entry ${changedNumber} was changed`);

  await change(
    `update "auditLog" set reason = '${entries[1]!.reason}' where number = ${changedNumber}`,
  );
  expect((await run('verify-audit')).code).toBe(0);

  await change(`delete from "auditLog" where number = ${changedNumber}`);
  expect(await run('verify-audit')).toMatchObject({ code: 1 });
});

test('only the sockets of an account learn that its roles changed [MOD-50]', async () => {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const classId = await ada.createClass();
  await ben.join(classId);
  const adaSocket = await ada.connect();
  const benSocket = await ben.connect();
  const listChanges = () => adaSocket.frames.filter(({ type }) => type === 'moderationChanged');
  const patient = { timeout: 20_000 };

  expect(await run('grant-moderator', ada.email, classId, 'Kim Lee')).toMatchObject({ code: 0 });
  await expect.poll(listChanges, patient).toEqual([{ type: 'moderationChanged' }]);
  expect(await run('revoke-role', ada.email, classId)).toMatchObject({ code: 0 });
  await expect.poll(() => listChanges().length, patient).toBe(2);
  expect(benSocket.frames.map(({ type }) => type)).not.toContain('moderationChanged');

  adaSocket.close();
  benSocket.close();
});

test('a browser learns that a role was revoked a moment after it was granted [MOD-50]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const socket = await ada.connect();
  const role = { classId, role: 'moderator', staffName: 'Kim Lee' } as const;

  await addStoredRole(app.database, { email: ada.email, ...role });

  expect(await listRoles(ada)).toHaveLength(1);

  await deleteStoredRoles(app.database, ada);
  await app.database.query(
    `insert into "changeEvents" (seq, kind, ref)
     select coalesce(max(seq), 0) + 1, 'staff-changed', '${classId}' from "changeEvents"`,
  );
  await socket.waitFor('moderationChanged');
  socket.close();
});

test('operators grant and revoke roles in classes without seeing an address [MOD-90, MOD-3, MOD-25]', async () => {
  const chief = await app.createStudent();
  const kim = await app.createStudent();
  const lee = await app.createStudent();
  await grantRole(app, chief, null, 'Chief');
  const classId = await kim.createClass();
  const grant = (body: Partial<CallInput<'grantRole'>['body']>, granter = chief) =>
    granter.call('grantRole', {
      body: { email: kim.email, classId, role: 'moderator', staffName: 'Kim', ...body },
    });
  const listGrantedRoles = async () => (await chief.call('listGrantedRoles', {})).roles;

  await expect(grant({}, kim)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  for (const [body, code] of [
    [{ email: 'nobody@university.edu' }, 'NO_SUCH_ACCOUNT'],
    [{ classId: 'A'.repeat(16) }, 'NOT_FOUND'],
    [{ staffName: kim.email }, 'INVALID'],
    [{ staffName: ' ' }, 'INVALID'],
    [{ staffName: 'Anonymous', role: 'staff' }, 'NAME_TAKEN'],
  ] as const) {
    await expect(grant(body)).rejects.toMatchObject({ code });
  }

  await grant({ email: ` ${kim.email.toUpperCase()} ` });
  await grant({ email: lee.email, role: 'staff', staffName: 'Prof. Lee' });
  expect(await listRoles(kim)).toEqual([{ classId, role: 'moderator' }]);
  expect(await listRoles(lee)).toEqual([{ classId, role: 'staff' }]);

  const rolesOfClass = (await listGrantedRoles()).filter((role) => role.classId === classId);
  expect(rolesOfClass).toMatchObject([
    { role: 'moderator', staffName: 'Kim' },
    { role: 'staff', staffName: 'Prof. Lee' },
  ]);
  expect(JSON.stringify(rolesOfClass)).not.toMatch(/@|university/);

  const { roleId } = rolesOfClass[0]!;
  await expect(kim.call('revokeRole', { params: { roleId } })).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
  });

  await chief.call('revokeRole', { params: { roleId } });
  await expect(chief.call('revokeRole', { params: { roleId } })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await listRoles(kim)).toEqual([]);
  expect(await listRoles(lee)).toHaveLength(1);

  const { entries } = await chief.call('listAuditLog', { query: {} });
  expect(entries.slice(0, 3).map(({ act, staffName, reason }) => [act, staffName, reason])).toEqual(
    [
      ['revoke-role', 'Chief', 'Kim'],
      ['grant-staff', 'Chief', 'Prof. Lee'],
      ['grant-moderator', 'Chief', 'Kim'],
    ],
  );
});

test('an operator grants a role to a person by a role that the person has, without learning the address [MOD-102]', async () => {
  const chief = await app.createStudent();
  const lee = await app.createStudent();
  await grantRole(app, chief, null, 'Chief of persons');
  const firstId = await chief.createClass();
  const secondId = await chief.createClass();
  await grantStaff(app, lee, firstId, 'Prof. Lee');
  const { roles } = await chief.call('listGrantedRoles', {});
  const { roleId } = roles.find(({ classId }) => classId === firstId)!;
  const grant = (person: { email?: string; roleId?: string }) =>
    chief.call('grantRole', {
      body: { ...person, classId: secondId, role: 'moderator', staffName: 'Lee' },
    });

  await expect(grant({})).rejects.toMatchObject({ code: 'INVALID' });
  await expect(grant({ roleId, email: lee.email })).rejects.toMatchObject({ code: 'INVALID' });
  await expect(grant({ roleId: 'A'.repeat(16) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await grant({ roleId })).toEqual({});

  expect(await listRoles(lee)).toEqual(
    expect.arrayContaining([
      { classId: firstId, role: 'staff' },
      { classId: secondId, role: 'moderator' },
    ]),
  );
  expect(await app.waitForNextMailTo(lee)).toContain('/moderation/guide');
});

test('operators filter the audit log, which names classes and not their ids [MOD-94]', async () => {
  const chief = await app.createStudent();
  await grantRole(app, chief, null, 'Chief Filter');
  const classId = await chief.createClass({ subjectAbbreviation: 'Flt', courseNumber: '7' });
  const otherId = await chief.createClass();
  for (const id of [classId, otherId]) await chief.call('endClass', { params: { classId: id } });
  await chief.call('reopenClass', { params: { classId } });
  const list = async (query: CallInput<'listAuditLog'>['query']) =>
    (await chief.call('listAuditLog', { query })).entries.map(({ act, label }) => [act, label]);

  expect(await list({ classId })).toEqual([
    ['reopen-class', 'FLT 7'],
    ['end-class', 'FLT 7'],
  ]);
  expect(await list({ classId, act: 'end-class' })).toEqual([['end-class', 'FLT 7']]);
  expect(await list({ staffName: 'Chief Filter' })).toHaveLength(3);
  expect(await list({ staffName: 'Chief F' })).toEqual([]);
  expect(await list({ staffName: '', classId })).toEqual([]);
  const [newest] = (await chief.call('listAuditLog', { query: { classId } })).entries;
  const older = await list({ classId, before: newest!.number });
  expect(older).toEqual([['end-class', 'FLT 7']]);
});

test('all roles are listed, also of operators that only the setting names [MOD-2]', async () => {
  const kim = await app.createStudent();
  const lee = await app.createStudent();
  const classId = await kim.createClass();
  await grantRole(app, kim, null, 'Kim of all');
  await grantRole(app, lee, classId, 'Lee');

  const { roles, operators } = await kim.call('listGrantedRoles', {});
  expect(operators).toContainEqual({ staffName: 'Kim of all', isConfigured: false });
  expect(roles.filter((role) => role.classId === classId)).toMatchObject([
    { role: 'moderator', staffName: 'Lee' },
  ]);
  const { out } = await runAdminCommand(
    {
      ...app.database.settings,
      OPERATORS: 'later@university.edu',
      EMAIL_VERIFICATION: 'required',
    },
    ...['list-roles', '--json'],
  );
  expect(JSON.parse(out).roles).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ role: 'operator', email: 'later@university.edu' }),
      expect.objectContaining({ role: 'operator', name: 'Kim of all', email: kim.email }),
      expect.objectContaining({ role: 'moderator', name: 'Lee', email: lee.email, classId }),
    ]),
  );
});

test('the role of the last operator cannot be revoked [MOD-2]', async () => {
  const ownApp = await startApp();
  onTestFinished(() => ownApp.stop());
  const revoke = (email: string) => runAdminCommand(ownApp.database.settings, 'revoke-role', email);
  const kim = await ownApp.createStudent();
  const lee = await ownApp.createStudent();
  await grantRole(ownApp, kim, null, 'Kim');

  const { code, errors } = await revoke(kim.email);

  expect(code).toBe(1);
  expect(errors.join()).toContain('This is the last operator.');
  expect(await listRoles(kim)).toEqual([{ classId: null, role: 'operator' }]);
  await grantRole(ownApp, lee, null, 'Lee');
  expect(await revoke(kim.email)).toMatchObject({ code: 0 });
});

test.each([
  ['moderator', 'You are a moderator of MOD 1', '/moderation/guide'],
  ['staff', 'You are staff of MOD 1', 'Lecture'],
] as const)(
  'who becomes %s gets a mail that names the class and says how to start [MOD-101]',
  async (role, subject, guide) => {
    const chief = await app.createStudent();
    const kim = await app.createStudent();
    const lee = await app.createStudent();
    await grantRole(app, chief, null, `Chief of ${role} mails`);
    const classId = await kim.createClass({ subjectAbbreviation: 'Mod', courseNumber: '1' });

    await chief.call('grantRole', { body: { classId, email: kim.email, staffName: 'Kim', role } });
    await run(`grant-${role}`, lee.email, classId, 'Lee');

    for (const person of [kim, lee]) {
      // The mails of the server and of the command come in any order.
      const findMail = () =>
        app.mails().find((mail) => mail.includes(`To: ${person.email}`) && mail.includes(subject));
      await expect.poll(findMail).toContain(guide);
      if (role === 'staff') expect(findMail()).toContain(`/home/${classId}`);
    }
  },
);
