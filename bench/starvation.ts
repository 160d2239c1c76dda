// `npm run bench -- starvation`: for each shared resource, one student with valid credentials uses it as often as all
// limits allow, and others use it meanwhile. It prints what they wait, and ends with 1 if one of 100 waits longer than
// the bound. Every limit has its default. `--only search,pdfs` measures some of them.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { request, type ClientRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AppError } from '#contract/errors.ts';
import { toRouteUrl } from '#contract/routes.ts';
import { loadConfig } from '#server/config/config.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { createManyPages, createOnePage } from '#tests/support/pdf-files.ts';
import { chooseNotifications, turnOnNotifications } from '#tests/support/notifications.ts';
import { createJpeg, upload } from '#tests/support/pictures.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { university } from '#tests/support/university.ts';
import {
  createCostlyQueries,
  createCostlyTexts,
  createPlantedText,
} from '#tests/worst-cases/costly-values.ts';
import { addSessions } from '#tests/worst-cases/full-account.ts';
import { summarize } from './percentiles.ts';
import { createSchool } from './school.ts';
import { startBackchannel } from './server-process.ts';

const measuredMs = 10_000;
const actEveryMs = 400;
/** The adversary begins first. */
const leadMs = 1000;
/** After a rejection, the adversary tries again. */
const retryMs = 200;
const loops = 16;
const students = 24;
/** A notification needs another class each time: see the last scenario. */
const classes = 80;
/** An action that was rejected, or took longer, has waited this long. */
const longestMs = 60_000;

interface Scenario {
  resource: string;
  /** What 99 of 100 actions may take. */
  boundMs: number;
  /** The adversary repeats this in each of the loops. */
  attack(n: number, loop: number): Promise<unknown>;
  /** Another member does this, who must not wait for the adversary. */
  act(n: number): Promise<unknown>;
}

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: { only: { type: 'string' } },
});
const database = await createTestDatabase('');
const { DATA_DIR: dataDir } = database.settings;
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
const texts = createCostlyTexts([]);
const school = await createSchool(dataDir, students, classes, {
  isMember: () => true,
  messagesOfFirstClass: 1000,
  createText: (n) => createPlantedText(n, texts),
});
const pushService = await startPushService();
const server = await startBackchannel({
  dataDir,
  settings: {
    KEEP_FREE_GB: '0',
    PUSH_HOSTS: pushService.host,
    PUSH_DELAY: '0',
    TRUSTED_PROXIES: '1',
  },
});
const { origin } = server;
const keys = loadServerKeys(loadConfig({ DATA_DIR: dataDir }).secretKey, dataDir);

const members = school.cookies.map((cookie, n) =>
  createTestClient(origin, `member.${n}@university.edu`, { cookie }),
);
const [victim, friend, ...otherMembers] = members as [TestClient, TestClient, ...TestClient[]];
const [attackedClassId = '', quietClassId = '', ...otherClassIds] = school.classIds;
const mallory = createTestClient(origin, 'mallory@university.edu');
await mallory.signUp();
for (const classId of school.classIds) await runWhenAllowed(() => mallory.join(classId));
const owners = await Promise.all(
  Array.from({ length: 4 }, async (_, n) => {
    const owner = createTestClient(origin, `owner.${n}@university.edu`);
    await owner.signUp();
    return owner;
  }),
);

// A new password ends the other sessions of an account, so this is another one.
const hasher = createTestClient(origin, 'hasher@university.edu');
await hasher.signUp();
const hasherCookies = await addSessions(database, keys.cookies, hasher.email);
const mallorySocket = await mallory.connect();
await mallorySocket.subscribe(attackedClassId);
const ownMessageIds: string[] = [];
const victimSocket = await victim.connect();
await victimSocket.subscribe(quietClassId);
const friendSocket = await friend.connect();
const smallPicture = await createJpeg(300, 300);
const largePicture = await createJpeg(3000, 3000);
const smallPdf = createOnePage({ content: '0 0 9 9 re f' });
const largePdf = createManyPages(200, { content: '0 0 9 9 re f '.repeat(2000) });
const victimDevice = await turnOnNotifications(victim, pushService);
for (const classId of school.classIds) {
  await runWhenAllowed(() => chooseNotifications(victim, classId, 'all'));
}
for (const member of otherMembers) {
  await turnOnNotifications(member, pushService);
  for (const classId of otherClassIds.slice(0, 20)) {
    await chooseNotifications(member, classId, 'all');
  }
}
const querySearches = createCostlyQueries();
const slowUploads: ClientRequest[] = [];

const scenarios: readonly Scenario[] = [
  {
    resource: 'hashing',
    boundMs: 2000,
    attack: (n, loop) =>
      loop % 2 === 0
        ? hasher.newBrowser({ cookie: hasher.cookie() }).signIn()
        : createTestClient(origin, hasher.email, { cookie: hasherCookies[0] ?? '' }).call(
            'changePassword',
            { body: { currentPassword: password, newPassword: password } },
          ),
    act: (n) => owners[n % owners.length]!.newBrowser().signIn(),
  },
  {
    resource: 'uploads',
    boundMs: 2000,
    attack: async () => startSlowUpload(),
    act: () => upload(victim, quietClassId, smallPicture),
  },
  {
    resource: 'pictures',
    boundMs: 10_000,
    attack: () => upload(mallory, attackedClassId, largePicture),
    act: () => upload(friend, quietClassId, smallPicture),
  },
  {
    resource: 'pdfs',
    boundMs: 30_000,
    attack: () => upload(mallory, attackedClassId, largePdf),
    // An account has ten an hour.
    act: (n) => upload(otherMembers[n % otherMembers.length]!, quietClassId, smallPdf),
  },
  {
    resource: 'commits',
    boundMs: 250,
    attack: changeSomething,
    act: () => victimSocket.post(quietClassId, 'hello'),
  },
  {
    resource: 'search',
    boundMs: 1000,
    attack: (n) =>
      mallory.call('searchMessages', {
        params: { classId: attackedClassId },
        query: { query: querySearches[n % querySearches.length] ?? '' },
      }),
    act: () =>
      victim.call('searchMessages', {
        params: { classId: attackedClassId },
        query: { query: 'hello' },
      }),
  },
  {
    resource: 'mails',
    // The 1,000 resets that a network can ask for immediately are before them.
    boundMs: 15_000,
    attack: (n, loop) =>
      mallory.call('requestPasswordReset', { body: { email: `x${n}.${loop}@university.edu` } }),
    async act(n) {
      // A mailbox gets three an hour.
      const email = `${university.createPerson(n % students).localPart}@university.edu`;
      const countBefore = countMailsTo(email);
      // Another network than the one of the adversary, whose requests are limited together.
      const headers = { 'x-forwarded-for': '192.0.2.9' };
      const owner = createTestClient(origin, email, { headers });
      await owner.call('requestPasswordReset', { body: { email } });
      while (countMailsTo(email) === countBefore) await sleep(5);
    },
  },
  {
    resource: 'push',
    boundMs: 2000,
    // Each class notifies each device once, until it is opened.
    async attack(n, loop) {
      const classId = otherClassIds[(n * loops + loop) % 20] ?? '';
      const answer = await mallorySocket.post(classId, 'hello');
      if (answer.type === 'nack') throw new AppError(answer.code, answer.message);
    },
    async act(n) {
      const classId = otherClassIds[20 + n] ?? '';
      await friendSocket.post(classId, 'hello');
      await victimDevice.waitFor(classId);
    },
  },
];

console.log(
  '| One student uses | acts a second | Others wait, ms: alone p50 | p99 | meanwhile p50 | p99 | longest | rejected | |',
);
console.log('|---|---:|---:|---:|---:|---:|---:|---:|---|');
let isExceeded = false;
for (const scenario of scenarios) {
  if (options.only && !options.only.split(',').includes(scenario.resource)) continue;
  const undisturbed = await measure(scenario, 0);
  const first = undisturbed.waits.length;
  let isOver = false;
  let attacks = 0;
  const attacking = Array.from({ length: loops }, async (_, loop) => {
    for (let n = 0; !isOver; n++) {
      const isAccepted = await scenario.attack(n, loop).then(
        () => true,
        () => false,
      );
      if (isAccepted && !isOver) attacks += 1;
      else await sleep(retryMs);
    }
  });
  await sleep(leadMs);
  const meanwhile = await measure(scenario, first);
  isOver = true;
  for (const slow of slowUploads.splice(0)) slow.destroy();
  await Promise.all(attacking);
  const timesUndisturbed = summarize(undisturbed.waits);
  const { p50, p99, max } = summarize(meanwhile.waits);
  const isAbove = p99 > scenario.boundMs;
  isExceeded ||= isAbove;
  const perSecond = (attacks * 1000) / (measuredMs + leadMs);
  const figures = [perSecond, timesUndisturbed.p50, timesUndisturbed.p99, p50, p99, max].map((ms) =>
    ms.toFixed(1),
  );
  const note = isAbove ? `above ${scenario.boundMs} ms` : '';
  console.log(`| ${[scenario.resource, ...figures, meanwhile.rejected, note].join(' | ')} |`);
}
await server.stop();
process.exit(isExceeded ? 1 : 0);

/** @param first the number of actions before */
async function measure({ act }: Scenario, first: number) {
  const waits: number[] = [];
  let rejectedCount = 0;
  const startedAt = performance.now();
  for (let n = 0; performance.now() - startedAt < measuredMs; n++) {
    const actAt = performance.now();
    try {
      await Promise.race([act(first + n), sleep(longestMs).then(rejectLate)]);
      waits.push(performance.now() - actAt);
    } catch {
      rejectedCount += 1;
      waits.push(longestMs);
    }
    await sleep(Math.max(0, actEveryMs - (performance.now() - actAt)));
  }
  return { waits, rejected: rejectedCount };
}

function rejectLate(): never {
  throw new Error('It took too long.');
}

/** Tries again while a limit rejects the action. */
async function runWhenAllowed(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const error = await act().then(
      () => null,
      (reason: Error) => reason,
    );
    if (error === null) return;
    if (!(error instanceof AppError) || error.code !== 'TOO_MANY') throw error;
    await sleep(1000);
  }
}

/** A frame that changes something, of each kind in turn. */
async function changeSomething(n: number): Promise<void> {
  const classId = attackedClassId;
  const text = createPlantedText(n, texts);
  const messageId = ownMessageIds.at(-1) ?? '';
  const frames = [
    { type: 'post', classId, id: crypto.randomUUID(), text },
    { type: 'edit', classId, messageId, text },
    { type: 'react', classId, messageId, emoji: n % 8 < 4 ? '👍' : null },
    { type: 'delete', classId, messageId: ownMessageIds[0] ?? '' },
  ];
  const frame = frames[n % frames.length]!;
  const answer = await mallorySocket.request(frame);
  if (answer.type === 'nack') throw new AppError(answer.code, answer.message);
  if (frame.type === 'post') ownMessageIds.push(frame.id ?? '');
  if (frame.type === 'delete') ownMessageIds.shift();
}

/** Sends the first byte of a large file, and no other one. */
async function startSlowUpload(): Promise<void> {
  const path = toRouteUrl('uploadImage', { params: { classId: attackedClassId } });
  const headers = {
    origin,
    cookie: mallory.cookie(),
    'content-type': 'image/jpeg',
    'content-length': String(10 * 1024 * 1024),
  };
  const sending = request(`${origin}${path}`, { method: 'POST', headers });
  slowUploads.push(sending);
  await new Promise<void>((resolve, reject) => {
    sending.on('response', (response) => {
      response.resume();
      reject(new Error('The upload was rejected.'));
    });
    sending.on('error', () => resolve());
    sending.write('x');
    setTimeout(resolve, retryMs);
  });
}

function countMailsTo(email: string): number {
  const folder = join(dataDir, 'mail');
  return readdirSync(folder).filter((file) =>
    readFileSync(join(folder, file), 'utf8').includes(email.toLowerCase()),
  ).length;
}
