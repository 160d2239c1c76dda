// `npm run demo` starts a server on a temporary folder, with simulated students who chat as browsers do.
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '#server/app.ts';
import { loadConfig } from '#server/config/config.ts';
import { loadSettingsFiles } from '#server/config/settings-files.ts';
import { createLog } from '#server/base/log.ts';
import { toStartupFailure } from '#server/base/startup-failure.ts';
import { ensureWebBuilt, webDir } from '#server/features/web-app/web-build.ts';
import { demoClasses, demoNames } from './demo/classes.ts';
import { Conversation, type Participant } from './demo/conversation.ts';
import { addReports } from './demo/reports.ts';

import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';

const studentCount = 40;
const visitor = { email: 'you@riverside.edu', password: 'have a look' };
/** Moderates the first class. */
const moderator = { email: 'moderator@riverside.edu', password: visitor.password };
/** The indexes of the classes that the visitor joins. */
const visitedClasses = [0, 1, 2, 3, 4];
const pauseMs = [1500, 6000] as const;
/** The settings that the demo takes from ENV_FILE. Others could lead it to the database and the mail server of a real site. */
const obeyedSettings = ['PORT', 'HOST', 'APP_NAME', 'LANGUAGES', 'TIME_ZONE'];

const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-demo-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));

const runningDemo = await startDemo().catch((error: unknown) => {
  console.error(toStartupFailure(error));
  process.exit(1);
});
await keepTalking(runningDemo);

async function startDemo(): Promise<Conversation[]> {
  const environment = loadSettingsFiles(process.env, process.cwd());
  const chosenSettings: Record<string, string> = {};
  for (const name of obeyedSettings) {
    const value = environment[name];
    if (value) chosenSettings[name] = value;
  }
  const { PORT: port = '3000' } = chosenSettings;
  const settings = {
    ...chosenSettings,
    PORT: port,
    DATA_DIR: dataDir,
    EMAIL_DOMAIN: 'riverside.edu',
    // The first label of the host name selects the school.
    PUBLIC_URL: `http://riverside.localhost:${port}`,
  };
  const config = loadConfig(settings);
  await ensureWebBuilt(() => console.log('  Building the web app …'));
  const { server } = await createApp(config, createLog({ write: () => {} }), webDir);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(config.listen.port, config.listen.host, resolve);
  });

  const origin = `http://127.0.0.1:${port}`;
  const students = await signUp(origin);
  const { rooms, conversations } = await fillClasses(students);
  await signUpVisitor(origin, rooms);
  await addReports(settings, rooms[0] ?? [], await signUpAs(origin, moderator));
  console.log(`
  The demo is at http://riverside.localhost:${port}
    email    ${visitor.email}
    password  "${visitor.password}" (without the quotation marks)
  A moderator of the first class is ${moderator.email}, with the same password.

  (http://localhost:${port} is the same without the school's colors.) Ctrl-C ends it and removes all of it.
`);
  return conversations;
}

async function signUp(origin: string): Promise<TestClient[]> {
  const students: TestClient[] = [];
  console.log(`  Signing up ${studentCount} students …`);
  for (let i = 0; i < studentCount; i++) {
    const password = randomUUID();
    const { localPart } = university.createPerson(i);
    const student = createTestClient(origin, `${localPart}@riverside.edu`, { password });
    await student.signUp();
    students.push(student);
  }
  return students;
}

/** Creates each class with several members and posts the first half of its conversation. */
async function fillClasses(students: readonly TestClient[]) {
  const rooms: Participant[][] = [];
  const conversations: Conversation[] = [];
  console.log(`  Filling ${demoClasses.length} classes …`);
  for (const [i, { fields, messages }] of demoClasses.entries()) {
    const creator = students[i % students.length]!;
    const classId = await creator.createClass(fields);
    const members = students.filter((_, j) => j === i || (j * 7 + i * 3) % 5 < 2);
    const participants: Participant[] = [];
    for (const [n, student] of members.entries()) {
      await student.join(classId);
      const anonymousName = n % 2 === 0 ? demoNames[(n / 2 + i) % demoNames.length] : undefined;
      const change =
        anonymousName &&
        (await student.call('changePersona', { params: { classId }, body: { anonymousName } }));
      const memberId = change ? change.persona.memberId : null;
      participants.push({ student, socket: await student.connect(), classId, memberId });
    }
    rooms.push(participants);
    const conversation = new Conversation(participants, messages);
    conversations.push(conversation);
    for (let turn = 0; turn < messages.length * 0.7; turn++) await conversation.tryToContinue();
  }
  return { rooms, conversations };
}

async function signUpAs(origin: string, { email, password }: typeof visitor): Promise<TestClient> {
  const client = createTestClient(origin, email, { password });
  await client.signUp();
  return client;
}

async function signUpVisitor(origin: string, rooms: readonly Participant[][]): Promise<void> {
  const client = await signUpAs(origin, visitor);
  for (const i of visitedClasses) {
    const classId = rooms[i]?.[0]?.classId;
    if (classId) await client.join(classId);
  }
}

async function keepTalking(conversations: readonly Conversation[]): Promise<never> {
  for (;;) {
    await sleep(randomInt(...pauseMs));
    // The visitor probably opens the first class, so it gets most of the messages.
    const index = randomInt(3) > 0 ? 0 : randomInt(conversations.length);
    await conversations[index]?.tryToContinue();
  }
}
