// One marked student uses every feature, while observers collect everything that they can request.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { searchFacets } from '#contract/class-fields.ts';
import { http } from '#contract/http.ts';
import { type RouteName, routes, toRouteUrl } from '#contract/routes.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { clientFrame } from '#contract/socket.ts';
import { openCourse } from '#tests/calls/lti.ts';
import { publishPrivately } from '#tests/calls/scene.ts';
import {
  createTestClient,
  password,
  type ClientOptions,
  type TestClient,
} from '#tests/support/test-client.ts';
import {
  chooseNotifications,
  saveSettings,
  turnOnNotifications,
} from '#tests/support/notifications.ts';
import { askPoll } from '#tests/support/polls.ts';
import { askPrivately, createPrivateId } from '#tests/support/private-questions.ts';
import { ask, replyTo } from '#tests/support/questions.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { createMarkedPdf } from '#tests/support/marked-pdf.ts';
import { postPictures, upload } from '#tests/support/pictures.ts';
import { addTopic } from '#tests/support/topics.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { learn, createValidInput, type Pool } from './generate.ts';
import type { Marks } from './marks.ts';
import { createMarkedPicture } from './marked-picture.ts';
import { findStoredAccount, listStoredSessions } from '#tests/support/stored-accounts.ts';
import { addStoredRole } from '#tests/support/roles.ts';

export type Channel =
  | 'HTTP'
  | 'socket'
  | 'search'
  | 'picture'
  | 'error'
  | 'metric'
  | 'log'
  | 'mail'
  | 'file'
  | 'push';

export interface Observations {
  marks: Marks;
  /** The output that others received. */
  outputs: ReadonlyMap<Channel, string>;
  /** Requests that the server rejected as invalid: the canary generated wrong input. */
  invalidInputs: readonly string[];
  /** The names of all fields in the answers to each observer. */
  fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of the calls and types of the frames that the marked student sent. */
  used: ReadonlySet<string>;
}

/** The server's address through a separate proxy, and the address of that proxy. */
const markedHost = '127.0.0.2';
const markedAddress = '127.0.0.77';
const pushService = await startPushService();
/** The settings of the app that the canary uses. */
export const canarySettings = {
  ALLOWED_HOSTS: markedHost,
  PUSH_HOSTS: pushService.host,
  PUSH_DELAY: '0',
  UNMASKING: 'on',
};
/** A text of the marked student: neither a file next to the database nor the log may contain it. */
export const markedText = 'Who am I?';

/** The path of a picture, whether or not it exists. */
const somePicture = '/images/AAAAAAAAAAAAAAAA.webp';

/** Calls that end something come last, and those that end the session come at the very end. */
const endsSomething = /delete|leave|unsubscribe|signOut|reset|revoke|changePassword|changeEmail/i;
const rank = (name: string) =>
  Number(endsSomething.test(name)) + Number(/signOut|Account/.test(name));
const names = (Object.keys(routes) as RouteName[]).toSorted(
  (name, otherName) => rank(name) - rank(otherName),
);

/**
 * @param app started with `canarySettings`
 * @param onMarks called with the marks before the first request
 */
export async function useEverything(
  app: RunningApp,
  onMarks: (marks: Marks) => void = () => {},
): Promise<Observations> {
  const outputs = new Map<Channel, string>();
  const invalidInputs: string[] = [];
  const usedNames = new Set<string>();
  const record = (channel: Channel, text: string) =>
    outputs.set(channel, `${outputs.get(channel) ?? ''}\n${text}`);
  const port = Number(new URL(app.origin).port);
  const line = await startAddressProxy(port);

  const createSecret = () => randomBytes(8).toString('hex');
  const ownMarks = {
    email: `canary${createSecret()}`,
    'user agent': `Agent/${createSecret()}`,
    'forwarded address': '203.0.113.177',
    address: markedAddress,
    'file name': `Holiday ${createSecret()}.png`,
    EXIF: `Camera of ${createSecret()}`,
    'author of a PDF': `Author${createSecret()}`,
  };
  const fields = new Map<string, Set<string>>();
  const createObserverOptions = (userAgent: string): ClientOptions => ({
    userAgent: userAgent,
    async onResponse(response) {
      const { pathname } = new URL(response.url);
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
      record(
        toChannel(pathname, response.status),
        `${JSON.stringify([...response.headers])}\n${body}`,
      );
      // The account's own values, under field names that others also receive.
      if (pathname === routes.exportAccount.path) return;
      const got = fields.get(userAgent) ?? new Set();
      for (const [, name] of body.matchAll(/"(\w+)":/g)) got.add(name ?? '');
      fields.set(userAgent, got);
    },
  });
  const observer = await app.createStudent('observer', createObserverOptions('observer'));
  const stranger = await app.createStudent('stranger', createObserverOptions('stranger'));
  const visitor = app.visitor('visitor', createObserverOptions('visitor'));

  /** The first entry of the cookie that identifies the marked student's browser. */
  let knownBrowser: string | undefined;
  const marked = createTestClient(
    `http://${markedHost}:${port}`,
    `${ownMarks['email']}@university.edu`,
    {
      userAgent: ownMarks['user agent'],
      headers: {
        'x-forwarded-for': ownMarks['forwarded address'],
        'x-real-ip': markedAddress,
        'x-file-name': encodeURIComponent(ownMarks['file name']),
        'content-disposition': `attachment; filename="${ownMarks['file name']}"`,
      },
      onResponse({ headers }) {
        const [, entry] =
          /backchannel\.browser=([\w-]{26})/.exec(String(headers.getSetCookie())) ?? [];
        knownBrowser ??= entry;
      },
    },
  );
  await marked.signUp();
  const stored = await findStoredAccount(app.database, marked.email);
  const [session] = await listStoredSessions(app.database, marked.email);
  const { account } = await marked.call('me', {});
  const markedBrowser = pushService.newBrowser();
  const { endpoint, keys } = markedBrowser.subscription;
  const marks = {
    'push endpoint': new URL(endpoint).pathname,
    'push key': keys.p256dh,
    'push secret': keys.auth,
    ...ownMarks,
    'account key': account?.key ?? '',
    'known browser': knownBrowser ?? '',
    'account id': stored.id,
    'mailbox key': stored.mailboxKey ?? '',
    'session group': stored.sessionGroup,
    'session id': session?.id ?? '',
  };

  onMarks(marks);

  const classId = await marked.createClass();
  const otherClassId = await marked.createClass({ courseNumber: '7' });
  await observer.join(classId);
  // The generated posts and uploads are those of staff.
  for (const staffsClassId of [classId, otherClassId]) {
    const role = { classId: staffsClassId, role: 'staff', staffName: 'Prof. Lee' } as const;
    await addStoredRole(app.database, { email: marked.email, ...role });
  }
  await openCourse(app, marked, 'course');
  const socket = await observer.connect();
  const markedSocket = await marked.connect();
  const { epoch, seq } = await socket.subscribe(classId);
  const lightSocket = await observer.connect();
  lightSocket.send({ type: 'subscribe', rid: 1, classId, light: true });
  await lightSocket.waitFor('unread');
  const { me } = await markedSocket.subscribe(classId);
  const observerBrowser = await turnOnNotifications(observer, pushService);
  await chooseNotifications(observer, classId, 'all');
  await saveSettings(observer, { showText: true });
  const message = await markedSocket.post(classId, markedText);
  await observerBrowser.waitFor(classId);
  const reply = await socket.post(classId, `Nobody knows ${toMentionToken(me.memberId)}`);
  await markedSocket.post(
    classId,
    `Ask ${toMentionToken((await socket.subscribe(classId)).me.memberId)}`,
  );

  const observersQuestionId = await ask(socket, classId);
  const ownQuestionId = await ask(markedSocket, classId, 'Who knows?');
  const answerId = await replyTo(socket, classId, ownQuestionId);
  const observersPollId = await askPoll(socket, classId);
  const ownPollId = await askPoll(markedSocket, classId);
  const { topicId } = await addTopic(app, classId);
  // One question that only staff see is answered and agreed to, and another is withdrawn.
  const privateId = createPrivateId();
  const withdrawnId = createPrivateId();
  for (const questionId of [privateId, withdrawnId]) {
    await askPrivately(marked, classId, 'A private matter', questionId);
    await publishPrivately(app, questionId);
  }
  await marked.call('addPrivateTurn', {
    params: { classId, questionId: privateId, turnId: createPrivateId() },
    body: { text: 'A private answer', asStaff: true },
  });
  const privateParams = { classId, questionId: privateId };
  await marked.call('decidePublication', { params: privateParams, body: { agreed: true } });
  await marked.call('withdrawPrivate', { params: { classId, questionId: withdrawnId } });

  const moderator = await app.createStudent('moderator', createObserverOptions('moderator'));
  await addStoredRole(app.database, {
    email: moderator.email,
    classId: null,
    role: 'operator',
    staffName: 'Sam',
  });
  const moderatorBrowser = await turnOnNotifications(moderator, pushService);
  await marked.call('reportMember', {
    params: { classId },
    body: { messageId: reply.id, reason: 'threat', text: 'A private reason' },
  });
  while (moderatorBrowser.received.length === 0) await sleep(10);
  await observer.call('reportMember', {
    params: { classId },
    body: { messageId: message.id, reason: 'spam' },
  });
  const { cases } = await moderator.call('listCases', { query: { classId } });
  const caseId = cases.find(({ messageId }) => messageId === message.id)?.caseId ?? '';
  // No second operator confirms it: that answer has the address, see unmasking.test.ts.
  const { requests } = await moderator.call('requestUnmasking', {
    params: { caseId },
    body: { password, reason: 'Order 12/345 of the district court' },
  });
  const requestId = requests[0]?.requestId;
  const { roles } = await moderator.call('listGrantedRoles', {});
  const { announcementId } = await moderator.call('announce', {
    body: { classId, text: 'Room 12 today', endsAt: Date.now() + 3_600_000 },
  });
  const blockReason = 'Left the university';
  await moderator.call('blockAddress', { body: { email: 'blocked@university.edu', blockReason } });
  const { blocks } = await moderator.call('listBlockedAddresses', {});
  // No one can tell whether a member sends it.
  const outsideReport = { what: 'A lie', place: 'CS 1', contactAddress: 'out@side.example' };
  await marked.call('reportFromOutside', { body: outsideReport });
  const { outsideReports } = await moderator.call('listOutsideReports', {});
  const roleId = roles.find((role) => role.classId === otherClassId)?.roleId;
  // The operator decides the escalation of the marked student. Moderators see it from the start.
  const reviewId = randomBytes(12).toString('base64url');
  await app.database.query(
    `insert into reviews
       ("reviewId", "classId", "memberId", "caseId", kind, subject, day, status, version)
     values ('${reviewId}', '${classId}', '${me.memberId}', '${caseId}', 'escalation', '${caseId}', 20000, 'open', 1)`,
  );

  let rid = 1_000_000;
  const pool: Pool = new Map<string, unknown>([
    ...Object.entries({ classId, epoch, email: marked.email, password, newPassword: password }),
    ...Object.entries({ messageId: message.id, replyTo: reply.id, id: () => randomUUID() }),
    ['passkeyId', 'AAAAAAAAAAAAAAAA'],
    ['answerId', answerId],
    ['topicId', topicId],
    ['questionId', privateId],
    ['turnId', createPrivateId],
    ['mutedTopics', [topicId]],
    ['options', ['Yes', 'No']],
    ['choices', [1]],
    ...Object.entries({ hallCode: '000000', classLetters: 'ZZZZ' }),
    ...Object.entries({ caseId, sanctionId: caseId, requestId, memberId: me.memberId }),
    ...Object.entries({ reviewId, suspensionId: reviewId, roleId, keptClassId: otherClassId }),
    ...Object.entries({ announcementId, endsAt: () => Date.now() + 3_600_000 }),
    ...Object.entries({ blockReason, blockId: blocks[0]?.blockId }),
    ...Object.entries({ ...outsideReport, reportId: outsideReports[0]?.reportId }),
    ['reopenableUntil', '2026-11-22'],
    ...Object.entries({ role: 'staff', staffName: 'Prof. Moss' }),
    ...Object.entries({ icon: `${me.memberId}.4`, anonymousName: 'Blue Fox', key: 'default' }),
    ...Object.entries({ rid: () => ++rid, text: () => `Said at ${++rid}`, query: 'CS', page: 0 }),
    ...Object.entries({ before: 50, after: 0, around: message.id, limit: 20 }),
    ...Object.entries({ afterId: message.id.slice(0, 8), alt: 'A field', messages: 'delete' }),
    ['ignored', [(await observer.snapshot(classId)).me.memberId]],
    ['hidden', [message.id]],
    ...Object.entries({ from: '03:00', to: '03:01', timeZone: 'UTC', language: 'en' }),
    ...Object.entries({ facets: [...searchFacets], facetFilters: [], hitsPerPage: 10 }),
    // Before every other id, so that the page lists everyone.
    ['afterMemberId', '-'.repeat(16)],
    ...Object.entries({
      beginClassTime: '09:00',
      endClassTime: '10:00',
      currentPassword: password,
    }),
  ]);

  async function make(client: TestClient, name: RouteName): Promise<void> {
    // The visitor's address is unknown, so the visitor neither gets an account nor accesses the marked
    // student's.
    pool.set('email', client === visitor ? 'nobody@elsewhere.example' : client.email);
    const { subscription } = client === marked ? markedBrowser : pushService.newBrowser();
    pool.set('endpoint', subscription.endpoint);
    pool.set('p256dh', subscription.keys.p256dh);
    pool.set('auth', subscription.keys.auth);
    // The first version of preferences and cases. The settings of the class stay, so that everyone can write.
    pool.set('version', name === 'savePreferences' ? 0 : 1);
    if (name.endsWith('Poll')) pool.set('messageId', ownPollId);
    const { method } = routes[name];
    const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
      http[name];
    const createPart = (schema?: z.ZodType) =>
      schema && (createValidInput(schema, pool, name) as never);
    const url = toRouteUrl(name, {
      params: createPart(schemas.params),
      query: createPart(schemas.query),
    });
    const response = await client.fetch(url, {
      method,
      ...createBody(method, createPart(schemas.body)),
    });
    const answer: unknown = await response.json().catch(() => null);
    const { code } = (answer ?? {}) as { code?: string };
    if (client !== marked) return;
    if (code === 'INVALID' && schemas.body) {
      invalidInputs.push(`${name}: ${JSON.stringify(answer)}`);
    }
    usedNames.add(name);
    learn(pool, answer);
    pool.set('classId', classId);
  }

  function createBody(method: string, json: unknown): RequestInit {
    if (json !== undefined) {
      return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    }
    // A write without a JSON body sends a file's bytes or nothing.
    if (method !== 'POST' && method !== 'PUT') return {};
    const body = new Uint8Array(createMarkedPicture(ownMarks.EXIF));
    return { body, headers: { 'content-type': 'image/png' } };
  }

  /** Sends every frame of the contract once. */
  async function sendFrames(senderSocket: TestSocket): Promise<void> {
    for (const option of clientFrame.options) {
      const { type } = option.shape;
      if (type.value === 'unsubscribe') continue;
      const targets: Record<string, string> = {
        react: reply.id,
        vote: observersQuestionId,
        choose: observersPollId,
        answer: ownQuestionId,
      };
      const target = targets[type.value] ?? message.id;
      pool.set('messageId', target);
      pool.set('emoji', '👍');
      const frame = createValidInput(option, pool, type.value) as { rid?: number };
      senderSocket.sendText(JSON.stringify(frame));
      usedNames.add(type.value);
      if (frame.rid === undefined) continue;
      if (type.value === 'subscribe') {
        // The frame has every optional field, so it is a light subscription. The next frames need a full one.
        await senderSocket.waitFor('unread', (unreadFrame) => unreadFrame.rid === frame.rid);
        await senderSocket.subscribe(classId);
        continue;
      }
      const answer = await senderSocket.waitForReply(frame.rid);
      if (answer.type === 'nack' && answer.code === 'INVALID') invalidInputs.push(type.value);
    }
  }

  const observeAll = async () => {
    for (const client of [observer, stranger, visitor, moderator]) {
      for (const name of names) {
        const joins = [stranger, moderator].includes(client) && name === 'joinClass';
        if (!endsSomething.test(name) && !joins) await make(client, name);
      }
    }
    const pictures = new Set(
      `${outputs.get('HTTP')}${outputs.get('socket')}`.match(/\/images\/[\w.-]+/g),
    );
    const paths = ['/metrics', '/healthz', '/readyz', '/', '/api/nope', somePicture, ...pictures];
    for (const path of paths) {
      await observer.fetch(path);
      await visitor.fetch(path);
    }
  };

  await moderator.call('startLecture', { params: { classId }, body: { hours: 1 } });
  await ask(markedSocket, classId, 'Asked in the lecture?');
  // The marked student votes in a poll that is on the screen of the hall.
  await app.database.query(
    `update "classSettings" set lecture = replace(lecture, '}', ',"pollId":"${observersPollId}"}')
     where "classId" = '${classId}'`,
  );
  const { presenterToken } = await moderator.call('createPresenterLink', { params: { classId } });
  const { hallCode } = await moderator.call('createHallCode', { params: { classId } });
  pool.set('hallCode', hallCode);
  const presentation = await visitor.fetch(routes.readPresentation.path, {
    headers: { 'presenter-token': presenterToken },
  });
  if (!presentation.ok) throw new Error('The visitor did not get the questions of the lecture.');
  for (const name of names) if (!endsSomething.test(name)) await make(marked, name);
  await sendFrames(markedSocket);
  const pdf = await upload(marked, classId, await createMarkedPdf(ownMarks['author of a PDF']));
  await postPictures(markedSocket, classId, [pdf]);
  await socket.subscribe(classId);
  record('socket', JSON.stringify(socket.frames));
  await observeAll();
  // Mails to another account, then answers about the marked student's address to a visitor.
  await observer.call('requestPasswordReset', { body: { email: observer.email } });
  for (const name of ['signUp', 'signIn', 'requestPasswordReset'] as const) {
    const body = { email: marked.email, password: 'not the right one' };
    await visitor.fetch(toRouteUrl(name, {}), { method: 'POST', ...createBody('POST', body) });
  }
  markedSocket.sendText('{');
  const secondSocket = await marked.connectTo(classId);
  await secondSocket.post(classId, '');
  // Again as a replay and as a snapshot, with what happened in between.
  socket.send({ type: 'subscribe', rid: ++rid, classId, epoch, after: seq });
  await socket.waitFor('live', (frame) => frame.rid === rid);
  for (const name of names) if (endsSomething.test(name)) await make(marked, name);
  await socket.subscribe(classId);
  await observeAll();
  for (const name of names) if (endsSomething.test(name)) await make(observer, name);
  record('socket', JSON.stringify(socket.frames));
  record('socket', JSON.stringify(lightSocket.frames));
  for (const { text, headers } of [...observerBrowser.received, ...moderatorBrowser.received]) {
    record('push', `${text}\n${JSON.stringify(headers)}`);
  }
  record('log', app.logLines.join('\n'));
  record('mail', (await waitForMailsToOthers(app, marked.email)).join('\n'));
  recordFiles(app, (text) => record('file', text));
  line.close();
  return { marks, outputs, fields, invalidInputs, used: usedNames };
}

function toChannel(path: string, status: number): Channel {
  if (path === '/metrics') return 'metric';
  if (status >= 400) return 'error';
  if (path.startsWith('/1/')) return 'search';
  return path.startsWith('/images/') ? 'picture' : 'HTTP';
}

/** Mails leave after the answer, so this waits for the observer's mail. */
async function waitForMailsToOthers(app: RunningApp, marked: string): Promise<string[]> {
  const listOtherMails = () => app.mails().filter((mail) => !mail.includes(`To: ${marked}`));
  const startedAt = Date.now();
  while (listOtherMails().length === 0 && Date.now() - startedAt < 10_000) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return listOtherMails();
}

/** Every file in DATA_DIR except the database and the mails, which have separate tests. */
function recordFiles(app: RunningApp, record: (text: string) => void): void {
  const dir = app.database.settings.DATA_DIR;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    record(file);
    if (!entry.isFile() || /backchannel\.sqlite|[/]mail[/]/.test(file)) continue;
    record(readFileSync(file, 'latin1'));
  }
}

/** A proxy to the server with its own address. */
async function startAddressProxy(port: number): Promise<Server> {
  const line = createServer((from) => {
    const to = connect({ port, host: '127.0.0.1', localAddress: markedAddress });
    from.pipe(to).pipe(from);
    for (const end of [from, to]) {
      end.on('error', () => {
        from.destroy();
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => line.listen(port, markedHost, resolve));
  return line;
}
