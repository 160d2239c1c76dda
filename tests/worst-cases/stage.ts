// The most expensive state that one student can prepare, and each call and frame with its most expensive inputs.
import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { http } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import { clientFrame, type ClientFrame } from '#contract/socket.ts';
import { learn } from '#tests/anonymity/generate.ts';
import { quoteEmail } from '#tests/support/test-database.ts';
import { jpeg } from '#tests/support/pictures.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createCostlyQueries, createCostlyTexts, searchBodies } from './costly-values.ts';
import { worstInputs } from './worst-inputs.ts';

export type OperationName = RouteName | ClientFrame['type'];

export interface Outcome {
  /** 200, 'ack', 'sent' for a frame without an answer, or the code of the error. */
  answer: string;
  /** Of the reply, and of the frames to the student and to another member. */
  bytesSent: number;
  frames: number;
}

export interface Stage {
  /** In an order in which each finds what it needs. */
  readonly names: readonly OperationName[];
  /** One for each of the worst inputs. Call each when the one before has ended. */
  prepare(name: OperationName): (() => Promise<Outcome>)[];
  /** Another member posts a short message, in the same class. */
  postAsOther(): Promise<unknown>;
  close(): void;
}

export interface StageOptions {
  origin: string;
  /** The `Cookie` headers of members of the class. */
  cookies: readonly string[];
  classId: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Long messages of the student in the class. */
  messages: number;
  /** Further classes of the student. */
  classes: number;
}

/** A whole block of the index, and some messages that are not indexed. */
export const fullState = { messages: 1100, classes: 64 };

const frameTypes = clientFrame.options.map(({ shape }) => shape.type.value);
const isFrame = (name: OperationName): name is ClientFrame['type'] =>
  (frameTypes as readonly string[]).includes(name);
const postsAtOnce = 64;

/** Calls that end something come late, and those that end the student's session or account at the very end. */
function findRank(name: OperationName): number {
  if (/^(signOut|endTerm|deleteAccount|deleteFoundAccount)$/.test(name)) return 3;
  if (/^(delete|leave|revoke|withdraw|signOut|unsubscribe|undo)/.test(name)) return 2;
  return /^(reopen|restore|merge|end|correct|changePassword)/.test(name) ? 2 : 1;
}

export async function prepareStage(options: StageOptions): Promise<Stage> {
  const { origin, classId, cookies, query } = options;
  const signUp = async (name: string) => {
    const client = createTestClient(origin, `${name}@university.edu`);
    await client.signUp();
    return client;
  };
  const student = await signUp('one.student');
  const operator = await signUp('the.operator');
  const supported = await signUp('a.supported.student');
  const leaving = await signUp('a.leaving.student');
  // A sign-up signs in.
  const visitor = createTestClient(origin, 'visitor@university.edu');
  const other = createTestClient(origin, 'other@university.edu', { cookie: cookies[0] ?? '' });
  await query(
    `insert into roles ("accountId", "classId", role, "staffName")
     select id, '', 'operator', 'Sam' from accounts where email = ${quoteEmail(operator.email)}`,
  );
  await student.join(classId);
  const spareClassIds: string[] = [];
  for (let n = 0; n < options.classes; n++) {
    spareClassIds.push(await student.createClass({ courseNumber: String(n), sectionNumber: '7' }));
  }
  const socket = await student.connect();
  const otherSocket = await other.connect();
  const { epoch } = await socket.subscribe(classId);
  const { messages: othersMessages } = await otherSocket.subscribe(classId);
  const subscriber = await student.connect();
  const { me, personas } = await student.call('listMembers', { params: { classId }, query: {} });
  const memberIds = personas.map(({ memberId }) => memberId);
  const texts = createCostlyTexts(memberIds);
  const messageIds = await fillClass(socket, classId, options.messages, texts);
  const reportedId = messageIds.at(-1) ?? '';
  await other.call('reportMember', {
    params: { classId },
    body: { messageId: reportedId, reason: 'spam', text: 'x'.repeat(limits.reportText) },
  });

  const known = new Map<string, unknown>();
  let used = 0;
  let lastRid = 1_000_000;
  let addresses = 0;
  const someId = randomBytes(12).toString('base64url');
  const ids = (count: number) =>
    Array.from({ length: count }, () => randomBytes(12).toString('base64url'));

  function createValues(name: OperationName) {
    const one = (value: unknown) => [value] as const;
    const spare = spareClassIds[/^(merge|previewMerge|delete|restore)/.test(name) ? 0 : 1];
    const endsClass = /^(end|delete|restore|reopen|edit|leave|merge)[A-Z]?.*Class$/.test(name);
    const isSupport = name in routes && routes[name as RouteName].path.includes('/admin/accounts');
    const isOfOther = name === 'react' || name === 'reportMember';
    const isLeaving = name === 'signIn';
    const ownEmail = isLeaving ? leaving.email : student.email;
    const email = isSupport ? supported.email : ownEmail;
    const newClass = name === 'createClass' || name === 'importClasses' || name === 'editClass';
    return new Map<string, readonly unknown[] | (() => readonly unknown[])>([
      ...[...known].map(([field, value]) => [field, one(value)] as const),
      ['classId', one(endsClass || name === 'previewMerge' ? spare : classId)],
      ['keptClassId', one(spareClassIds[2])],
      ['email', name === 'signUp' ? () => [`new.${++addresses}@university.edu`] : one(email)],
      ['repeatedEmail', one(email)],
      ['newEmail', one('a.supported.student.2@university.edu')],
      ...['password', 'newPassword', 'currentPassword'].map(
        (field) => [field, one(password)] as const,
      ),
      ['token', one('x'.repeat(limits.messageText / 4))],
      ['response', one(`code=${'x'.repeat(3000)}`)],
      ['epoch', one(epoch)],
      ['rid', () => [++lastRid]],
      ['id', () => [randomUUID()]],
      ['text', name === 'post' || name === 'edit' ? texts : one('長'.repeat(400))],
      ['images', one([])],
      // A student is no staff. The heavy form of a subscription has messages.
      ...['staff', 'as'].map((field) => [field, one(undefined)] as const),
      ['light', [undefined, true]],
      ...(name === 'reportMember' ? [] : ([['reason', one('長'.repeat(490))]] as const)),
      ['emoji', ['👍', null]],
      // The class stays one in which members write.
      ...['readOnly', 'picturesOff'].map((field) => [field, one(false)] as const),
      ['slowModeSeconds', one(0)],
      ['seq', one(500)],
      ['after', [0, 700]],
      ['before', [1_000_000, 500]],
      ['since', one(0)],
      ['around', one(messageIds[500])],
      ['afterId', one('AAAAAAAA')],
      ['messageId', () => [isOfOther ? othersMessages[0]?.id : messageIds[used++]]],
      ['replyTo', one(messageIds[0])],
      ['memberId', one(memberIds[1])],
      ['afterMemberId', one('-'.repeat(16))],
      ['ignored', () => [ids(limits.ignoredMembers)]],
      ['hidden', one(messageIds.slice(0, limits.hiddenMessages))],
      ['pins', one(messageIds.slice(20, 20 + limits.pins))],
      ['version', one(name.startsWith('decide') ? 1 : 0)],
      ['query', name === 'searchMessages' ? createCostlyQueries() : one('mat 1 cs')],
      ...searchBodies,
      ['indexName', one('classSearch')],
      ['facetName', one('subjectAbbreviation')],
      ['objectID', one(classId)],
      ['attributesToRetrieve', one('*')],
      ['icon', one(`${me.memberId}.4`)],
      ['anonymousName', () => [`Fox number ${++addresses}`]],
      ['staffName', one('Prof. Moss')],
      ['key', one('default')],
      ['timeZone', one('America/Argentina/ComodRivadavia')],
      ['from', one('03:00')],
      ['to', one('03:01')],
      ['endpoint', one(`https://fcm.googleapis.com/fcm/send/${'x'.repeat(700)}`)],
      ['p256dh', one(createECDH('prime256v1').generateKeys('base64url'))],
      ['auth', one('A'.repeat(22))],
      ['endsAt', one(Date.now() + 3_600_000)],
      ['line', one(1)],
      ['year', one(2026)],
      ['beginClassTime', one('09:00')],
      ['endClassTime', one('10:00')],
      ['classSchedule', one(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])],
      ...(newClass ? ([['courseName', one('漢'.repeat(100))]] as const) : []),
      ...['sanctionId', 'suspensionId', 'reviewId', 'requestId', 'roleId', 'caseId', 'imageId']
        .filter((field) => !known.has(field))
        .map((field) => [field, one(someId)] as const),
      ...(known.has('deviceId') ? [] : ([['deviceId', one(someId)]] as const)),
      ...(known.has('announcementId') ? [] : ([['announcementId', one(someId)]] as const)),
    ]);
  }

  async function observe(act: () => Promise<{ answer: string; bytes: number }>) {
    const sockets = [socket, otherSocket, subscriber];
    await Promise.all(sockets.map(answerPing));
    const before = sockets.map(({ frameSizes }) => frameSizes.length);
    const { answer, bytes } = await act();
    await Promise.all(sockets.map(answerPing));
    const sizes = sockets.flatMap(({ frameSizes }, n) => frameSizes.slice(before[n]));
    const ofFrames = sizes.reduce((sum, size) => sum + size, 0);
    return { answer, bytesSent: bytes + ofFrames, frames: sizes.length };
  }

  function prepareFrame(name: ClientFrame['type']): (() => Promise<Outcome>)[] {
    const option = clientFrame.options.find(({ shape }) => shape.type.value === name)!;
    const inputs = worstInputs(option, createValues(name), name) as ClientFrame[];
    const by = name === 'subscribe' || name === 'unsubscribe' ? subscriber : socket;
    return inputs.map((frame) => () => observe(() => sendFrame(by, name, frame)));
  }

  async function sendFrame(by: TestSocket, name: ClientFrame['type'], frame: ClientFrame) {
    // Values that are new each time are the same in all inputs of one frame.
    const rid = ++lastRid;
    const id = name === 'post' ? { id: randomUUID() } : {};
    const messageId = name === 'delete' ? { messageId: messageIds[used++] } : {};
    const hasAnswer = 'rid' in frame;
    by.sendText(JSON.stringify({ ...frame, ...id, ...messageId, ...(hasAnswer && { rid }) }));
    if (!hasAnswer) return { answer: 'sent', bytes: 0 };
    const ends = ['ack', 'nack', 'live', 'unread'];
    const isEnd = (one: object) => 'rid' in one && one.rid === rid && 'type' in one;
    while (!by.frames.some((one) => isEnd(one) && ends.includes(one.type))) {
      if (by.webSocket.readyState !== by.webSocket.OPEN)
        throw new Error(`${name} ended the socket.`);
      await answerPing(by);
    }
    const end = by.frames.find((one) => isEnd(one) && ends.includes(one.type));
    return { answer: end?.type === 'nack' ? end.code : 'ack', bytes: 0 };
  }

  function prepareCall(name: RouteName): (() => Promise<Outcome>)[] {
    const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
      http[name];
    const values = createValues(name);
    const make = (schema?: z.ZodType, part = `${name} parameters`) =>
      schema ? worstInputs(schema, values, part) : [undefined];
    const params = make(schemas.params);
    const queries = make(schemas.query);
    const bodies = make(schemas.body, name);
    const count = Math.max(params.length, queries.length, bodies.length);
    const pick = (all: unknown[], n: number) => all[n % all.length];
    return Array.from({ length: count }, (_, n) => () => {
      const parts = { params: pick(params, n), query: pick(queries, n) } as never;
      return observe(() => call(name, routeUrl(name, parts), pick(bodies, n)));
    });
  }

  function findClient(name: RouteName, path: string): TestClient {
    if (/^\/api\/(moderation|admin)\//.test(path) || name === 'changeClassSettings')
      return operator;
    if (/^(signUp|verifyEmail|requestPasswordReset|joinSignOn)$/.test(name)) return visitor;
    return /^(signIn|signOut|changePassword|resetPassword)/.test(name) ? leaving : student;
  }

  async function call(name: RouteName, url: string, json: unknown) {
    const { method, path } = routes[name];
    const by = findClient(name, path);
    const body = name === 'uploadImage' ? new Uint8Array(await jpeg(300, 300)) : toText(json);
    const type = name === 'uploadImage' ? 'image/jpeg' : 'application/json';
    const headers = { 'content-type': type };
    const response = await by.fetch(
      url,
      body === undefined ? { method } : { method, body, headers },
    );
    const text = await response.text();
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as { code?: string };
    learn(known, answer);
    return {
      answer: response.ok ? '200' : (answer.code ?? text),
      bytes: Buffer.byteLength(text),
    };
  }

  const all: OperationName[] = [...frameTypes, ...(Object.keys(routes) as RouteName[])];
  return {
    names: all.toSorted((one, next) => findRank(one) - findRank(next)),
    prepare: (name) => (isFrame(name) ? prepareFrame(name) : prepareCall(name)),
    postAsOther: () => otherSocket.post(classId, 'hello'),
    close() {
      for (const one of [socket, otherSocket, subscriber]) one.close();
    },
  };
}

const toText = (json: unknown) => (json === undefined ? undefined : JSON.stringify(json));

/** Everything that the server has sent before has arrived when it resolves. A closed socket gets nothing. */
async function answerPing({ webSocket }: TestSocket): Promise<void> {
  if (webSocket.readyState !== webSocket.OPEN) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      webSocket.off('pong', end).off('close', end);
      resolve();
    };
    webSocket.on('pong', end).on('close', end);
    webSocket.ping();
  });
}

/** @returns the ids of the messages */
async function fillClass(
  socket: TestSocket,
  classId: string,
  count: number,
  texts: readonly string[],
): Promise<string[]> {
  const messageIds: string[] = [];
  while (messageIds.length < count) {
    const posts = Array.from({ length: Math.min(postsAtOnce, count - messageIds.length) }, (_, n) =>
      socket.post(classId, texts[(messageIds.length + n) % texts.length] ?? ''),
    );
    messageIds.push(...(await Promise.all(posts)).map(({ id }) => id));
  }
  return messageIds;
}
