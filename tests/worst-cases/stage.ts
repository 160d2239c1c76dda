// The most expensive state that one student can prepare, and each call and frame with its most expensive inputs.
import { randomBytes, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { http } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import { clientFrame, type ClientFrame, type ServerFrame } from '#contract/socket.ts';
import { loadConfig } from '#server/config/config.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { learn } from '#tests/anonymity/generate.ts';
import { callNames, calls } from '#tests/calls/calls.ts';
import { frames as frameFacts, frameTypes } from '#tests/calls/frames.ts';
import { isOfStaff } from '#tests/calls/outcomes.ts';
import { endedTerm } from '#tests/support/ended-term.ts';
import type { OidcServer } from '#tests/support/oidc-server.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { createJpeg } from '#tests/support/pictures.ts';
import { createPrivateId } from '#tests/support/private-questions.ts';
import { createTestClient, password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import {
  createCostlyTexts,
  createPlantedText,
  costlyQuietTimes,
  costlyTopics,
  costlySearches,
  costlyOptions,
} from './costly-values.ts';
import { addSessions, createPushSubscription, fillAccount, runInTurns } from './full-account.ts';
import { createLargestData } from './largest-data.ts';
import { listWorstInputs, type CostlyValues } from './worst-inputs.ts';
import { addStoredRole } from '#tests/support/roles.ts';

export type OperationName = RouteName | ClientFrame['type'];

export interface Outcome {
  /** 200, 'ack', 'sent' for a frame without an answer, or the code of the error. */
  answer: string;
  /** The size of the frame, or of the body of the call. */
  bytesReceived: number;
  /** The size of the reply, and of the frames to the student and to another member. */
  bytesSent: number;
  frames: number;
}

type Act = () => Promise<Reaction>;

/** What the server answers to one action. */
interface Reaction extends Pick<Outcome, 'answer' | 'bytesReceived'> {
  /** The size of the reply. */
  bytes: number;
}

export interface Stage {
  /** The names in an order in which each operation finds what it needs. */
  readonly names: readonly OperationName[];
  /** One for each of the worst inputs. Call each when the one before has ended. */
  prepare(name: OperationName): Promise<(() => Promise<Outcome>)[]>;
  /** Prepares actions at the same time. Unlike `prepare`, it does not look at the frames of others. */
  prepareTogether(name: OperationName): Promise<(() => Promise<unknown>)[]>;
  /** Whether students can do it. Others need a role. */
  isOfStudent(name: OperationName): boolean;
  /** Whether the student can do it again and again, without others who must do something before. */
  isRepeatable(name: OperationName): boolean;
  /** Another member posts a short message, in the same class. */
  postAsOther(): Promise<unknown>;
  close(): void;
}

export interface StageOptions {
  origin: string;
  /** The `Cookie` headers of members of the class. */
  cookies: readonly string[];
  classId: string;
  database: Pick<TestDatabase, 'settings' | 'query'>;
  /** The university's, in whose settings the server has it. */
  provider: OidcServer;
  /** Long messages of the student in the class. */
  messages: number;
  /** Further classes of the student. */
  classes: number;
  /** Reports that the student has sent. */
  reports: number;
}

/** The number of members of the class. Each sanction is for another member, also if an action is measured again. */
export const members = 48;
/** Some of the classes that an account can have are left for the calls that make one. */
const classesLeft = 10;
/** A whole block of the index with some messages that are not indexed, and the classes and reports of the limits. */
export const fullState = {
  messages: 1100,
  classes: limits.classesPerAccount - classesLeft,
  reports: 20,
};

export const isFrame = (name: OperationName): name is ClientFrame['type'] =>
  (frameTypes as readonly string[]).includes(name);
const postsAtOnce = 64;

const findLargest = (name: OperationName) =>
  (isFrame(name) ? frameFacts[name] : calls[name]).largest;

const ranks = { late: 2, last: 3 };

/** Calls that end something come late, and those that end the student's session or account at the very end. */
function findRank(name: OperationName): number {
  const { order } = isFrame(name) ? frameFacts[name] : calls[name];
  return order ? ranks[order] : 1;
}

export async function prepareStage(options: StageOptions): Promise<Stage> {
  const { origin, classId, cookies, database, provider } = options;
  const { query } = database;
  const { DATA_DIR: dataDir } = database.settings;
  const keys = loadServerKeys(loadConfig(database.settings).secretKey, dataDir);
  const signUp = async (name: string) => {
    const client = createTestClient(origin, `${name}@university.edu`);
    await client.signUp();
    return client;
  };
  const signUpOperator = async (name: string, staffName: string) => {
    const client = await signUp(name);
    await addStoredRole(database, {
      email: client.email,
      classId: null,
      role: 'operator',
      staffName,
    });
    return client;
  };
  const student = await signUp('one.student');
  const operator = await signUpOperator('the.operator', 'Sam');
  const secondOperator = await signUpOperator('another.operator', 'Kim');
  const supported = await signUp('a.supported.student');
  const leaving = await signUp('a.leaving.student');
  // A sign-up signs in.
  const visitor = createTestClient(origin, 'visitor@university.edu');
  const other = createTestClient(origin, 'other@university.edu', { cookie: cookies[0] ?? '' });
  const author = await signUp('an.author');
  for (const member of [student, author]) await member.join(classId);
  const numbers = Array.from({ length: options.classes }, (_, n) => String(n));
  const spareClassIds: string[] = [];
  await runInTurns(numbers, async (courseNumber) => {
    spareClassIds.push(await student.createClass({ courseNumber, sectionNumber: '7' }));
  });
  await runInTurns(spareClassIds, (id) => supported.join(id));
  const socket = await student.connect();
  const otherSocket = await other.connect();
  await operator.join(classId);
  const operatorSocket = await operator.connect();
  const { epoch } = await socket.subscribe(classId);
  const { messages: othersMessages } = await otherSocket.subscribe(classId);
  let subscriber = await student.connect();
  const { me, personas } = await student.call('listMembers', { params: { classId }, query: {} });
  const memberIds = personas.map(({ memberId }) => memberId);
  const texts = createCostlyTexts(memberIds);
  const messageIds = await fillClass(socket, classId, options.messages, (n) =>
    createPlantedText(n, texts),
  );
  const reportedId = messageIds.at(-1) ?? '';
  await other.call('reportMember', {
    params: { classId },
    body: { messageId: reportedId, reason: 'spam', text: 'x'.repeat(limits.reportText) },
  });
  await fillAccount({
    student,
    socket,
    classId,
    messageIds,
    reports: options.reports,
    classIds: [classId, ...spareClassIds],
    cookies: await addSessions(database, keys.cookies, student.email),
    // The oldest ones stay for the calls.
    reportedIds: othersMessages.slice(-options.reports).map(({ id }) => id),
  });
  await makeQuestions(query, classId);
  await makePoll(query, othersMessages[0]?.id ?? '');
  await makePoll(query, messageIds[0] ?? '');
  await addSessions(database, keys.cookies, supported.email);
  await addSessions(database, keys.cookies, leaving.email);
  let othersUsed = 0;
  /** The version of the student's preferences in the class. */
  let preferencesVersion = 1;
  const data = createLargestData({
    database,
    keys,
    provider,
    dataDir,
    classId,
    student,
    author,
    other,
    operator,
    secondOperator,
    supported,
    visitor,
    leaving,
    cookies: cookies.slice(1),
    spareClassIds,
    messageIds,
    othersMessages,
    texts,
    findOthersMessage: () => othersMessages[othersUsed++ % othersMessages.length]?.id,
    getPreferencesVersion: () => preferencesVersion,
  });

  const knownValues = new Map<string, unknown>();
  let usedCount = 0;
  let lastRid = 1_000_000;
  let names = 0;
  const someId = randomBytes(12).toString('base64url');
  const subscription = createPushSubscription();
  const createIds = (count: number) =>
    Array.from({ length: count }, () => randomBytes(12).toString('base64url'));

  function createValues(name: OperationName): CostlyValues {
    const createConstant = (value: unknown) => [value] as const;
    const values = new Map<string, readonly unknown[] | (() => readonly unknown[])>([
      ...[...knownValues].map(([field, value]) => [field, createConstant(value)] as const),
      ['classId', createConstant(classId)],
      ['keptClassId', createConstant(spareClassIds[2])],
      ['email', createConstant(student.email)],
      ['newEmail', createConstant('a.supported.student.2@university.edu')],
      ...['password', 'newPassword', 'currentPassword'].map(
        (field) => [field, createConstant(password)] as const,
      ),
      ['token', createConstant('x'.repeat(limits.messageText / 4))],
      ['response', createConstant(`code=${'x'.repeat(3000)}`)],
      ['epoch', createConstant(epoch)],
      ['rid', () => [++lastRid]],
      ['id', () => [randomUUID()]],
      ...['questionId', 'turnId'].map((field) => [field, () => [createPrivateId()]] as const),
      ['text', createConstant('長'.repeat(400))],
      ['images', createConstant([])],
      ['options', createConstant(costlyOptions)],
      // A student is no staff. The heavy form of a subscription has messages.
      ...['staff', 'as', 'endorsed'].map((field) => [field, createConstant(undefined)] as const),
      ['light', [undefined, true]],
      ['reason', createConstant('長'.repeat(490))],
      ['emoji', ['👍', null]],
      // The class stays one in which members write.
      ...['readOnly', 'picturesOff'].map((field) => [field, createConstant(false)] as const),
      ['slowModeSeconds', createConstant(0)],
      ['quietTimes', createConstant(costlyQuietTimes)],
      ['topics', createConstant(costlyTopics)],
      ['seq', createConstant(500)],
      ['after', [0, 700]],
      ['before', [1_000_000, 500]],
      ['since', createConstant(0)],
      ['around', createConstant(messageIds[500])],
      ['afterId', createConstant('AAAAAAAA')],
      ['messageId', () => [messageIds[usedCount++]]],
      ['replyTo', createConstant(messageIds[0])],
      // It takes a mark back.
      ['answerId', createConstant(null)],
      ['memberId', createConstant(memberIds[1])],
      ['afterMemberId', createConstant('-'.repeat(16))],
      ['ignored', () => [createIds(limits.ignoredMembers)]],
      ['hidden', createConstant(messageIds.slice(0, limits.hiddenMessages))],
      ['pins', createConstant(messageIds.slice(20, 20 + limits.pins))],
      ['version', createConstant(0)],
      ['query', createConstant('mat 1 cs')],
      ['searchClasses', costlySearches],
      ['icon', createConstant(`${me.memberId}.4`)],
      ['anonymousName', () => [`Fox number ${++names}`]],
      ['staffName', createConstant('Prof. Moss')],
      ['blockReason', createConstant('漢'.repeat(500))],
      ['key', createConstant('default')],
      ['timeZone', createConstant('America/Argentina/ComodRivadavia')],
      ['language', createConstant('en')],
      ['from', createConstant('03:00')],
      ['to', createConstant('03:01')],
      ['endpoint', createConstant(subscription.endpoint)],
      ['p256dh', createConstant(subscription.keys.p256dh)],
      ['auth', createConstant(subscription.keys.auth)],
      ['endsAt', createConstant(Date.now() + 3_600_000)],
      ['line', createConstant(1)],
      ['year', createConstant(2026)],
      ['reopenableUntil', createConstant(endedTerm.reopenableUntil)],
      ['beginClassTime', createConstant('09:00')],
      ['endClassTime', createConstant('10:00')],
      ['classSchedule', createConstant(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])],
      ...[
        'sanctionId',
        'suspensionId',
        'reviewId',
        'requestId',
        'roleId',
        'blockId',
        'caseId',
        'imageId',
      ]
        .filter((field) => !knownValues.has(field))
        .map((field) => [field, createConstant(someId)] as const),
      ...(knownValues.has('deviceId') ? [] : ([['deviceId', createConstant(someId)]] as const)),
      ...(knownValues.has('announcementId')
        ? []
        : ([['announcementId', createConstant(someId)]] as const)),
    ]);
    for (const [field, ownValues] of Object.entries(findLargest(name)?.values?.(data) ?? {})) {
      if (ownValues) values.set(field, ownValues);
      else values.delete(field);
    }
    return values;
  }

  async function observe(act: () => Promise<Reaction>): Promise<Outcome> {
    const sockets = [socket, otherSocket, subscriber];
    await Promise.all(sockets.map(answerPing));
    const countsBefore = sockets.map(({ frameSizes }) => frameSizes.length);
    const { answer, bytesReceived, bytes } = await act();
    await Promise.all(sockets.map(answerPing));
    const sizes = sockets.flatMap(({ frameSizes }, n) => frameSizes.slice(countsBefore[n]));
    const ofFrames = sizes.reduce((sum, size) => sum + size, 0);
    return { answer, bytesReceived, bytesSent: bytes + ofFrames, frames: sizes.length };
  }

  /** Connects again if needed: at the highest rate, the server may end a socket that does not take its snapshots fast enough. */
  async function findSubscriber(): Promise<TestSocket> {
    const { readyState, OPEN } = subscriber.webSocket;
    if (readyState !== OPEN) subscriber = await student.connect();
    return subscriber;
  }

  async function prepareFrame(name: ClientFrame['type']): Promise<Act[]> {
    const option = clientFrame.options.find(({ shape }) => shape.type.value === name)!;
    const inputs = listWorstInputs(option, createValues(name), name) as ClientFrame[];
    const sender = await findSender(name);
    return inputs.map((frame) => () => sendFrame(sender, name, frame));
  }

  async function findSender(name: ClientFrame['type']): Promise<TestSocket> {
    const by = frameFacts[name].largest?.by;
    if (by === 'operator') return operatorSocket;
    return by === 'subscriber' ? findSubscriber() : socket;
  }

  async function sendFrame(
    sender: TestSocket,
    name: ClientFrame['type'],
    frame: ClientFrame,
  ): Promise<Reaction> {
    // Values that are new each time are the same in all inputs of one frame.
    const rid = ++lastRid;
    const id = name === 'post' ? { id: randomUUID() } : {};
    const messageId = name === 'delete' ? { messageId: messageIds[usedCount++] } : {};
    const hasAnswer = 'rid' in frame;
    const text = JSON.stringify({ ...frame, ...id, ...messageId, ...(hasAnswer && { rid }) });
    const bytesReceived = Buffer.byteLength(text);
    sender.sendText(text);
    if (!hasAnswer) return { answer: 'sent', bytesReceived, bytes: 0 };
    const end = await waitForAnswer(sender, rid);
    return { answer: end.type === 'nack' ? end.code : 'ack', bytesReceived, bytes: 0 };
  }

  async function prepareCall(name: RouteName): Promise<Act[]> {
    const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
      http[name];
    const values = createValues(name);
    const make = (schema?: z.ZodType, part = `${name} parameters`) =>
      schema ? listWorstInputs(schema, values, part) : [undefined];
    const params = make(schemas.params);
    const queries = make(schemas.query);
    const bodies = make(schemas.body, name);
    const count = Math.max(params.length, queries.length, bodies.length);
    const pick = (all: unknown[], n: number) => all[n % all.length];
    const acts: Act[] = [];
    for (let n = 0; n < count; n++) {
      const body = pick(bodies, n);
      const { client = findClient(name), ...preparedValues } =
        (await findLargest(name)?.prepare?.(data, body)) ?? {};
      const fill = (part: unknown) => fillIn(part, preparedValues);
      const parts = { params: fill(pick(params, n)), query: fill(pick(queries, n)) } as never;
      acts.push(() => call(client, name, toRouteUrl(name, parts), fill(body)));
    }
    return acts;
  }

  function findClient(name: RouteName): TestClient {
    const by = findLargest(name)?.by;
    if (by === 'visitor') return visitor;
    if (by === 'leaving') return leaving;
    return isOfStaff(name) ? operator : student;
  }

  async function call(
    client: TestClient,
    name: RouteName,
    url: string,
    json: unknown,
  ): Promise<Reaction> {
    const { method } = routes[name];
    const body = name === 'uploadImage' ? new Uint8Array(await createJpeg(300, 300)) : toText(json);
    const type = name === 'uploadImage' ? 'image/jpeg' : 'application/json';
    const headers = { 'content-type': type };
    const response = await client.fetch(
      url,
      body === undefined ? { method } : { method, body, headers },
    );
    const text = await response.text();
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as {
      code?: string;
      version?: number;
    };
    learn(knownValues, answer);
    if (name === 'savePreferences') preferencesVersion = answer.version ?? preferencesVersion;
    return {
      answer: response.ok ? '200' : (answer.code ?? text),
      bytesReceived: body === undefined ? 0 : Buffer.byteLength(body),
      bytes: Buffer.byteLength(text),
    };
  }

  const prepareTogether = (name: OperationName) =>
    isFrame(name) ? prepareFrame(name) : prepareCall(name);

  const all: OperationName[] = [...frameTypes, ...callNames];
  return {
    names: all.toSorted((name, next) => findRank(name) - findRank(next)),
    async prepare(name) {
      const acts = await prepareTogether(name);
      return acts.map((act) => () => observe(act));
    },
    prepareTogether,
    isOfStudent: (name) => isFrame(name) || !isOfStaff(name),
    isRepeatable: (name) =>
      isFrame(name) ||
      (!isOfStaff(name) && findRank(name) < ranks.last && !findLargest(name)?.prepare),
    postAsOther: () => otherSocket.post(classId, 'hello'),
    close() {
      for (const openSocket of [socket, otherSocket, subscriber]) openSocket.close();
    },
  };
}

/** Replaces the fields that the part of the input has. */
function fillIn(part: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([field, value]) => [
    field,
    Object.hasOwn(values, field) ? values[field] : (value as unknown),
  ]);
  return Object.fromEntries(entries);
}

const toText = (json: unknown) => (json === undefined ? undefined : JSON.stringify(json));

const answerTypes: ReadonlySet<string> = new Set(['ack', 'nack', 'live', 'unread']);

/** @throws if the server ends the socket */
function waitForAnswer({ frames, webSocket }: TestSocket, rid: number): Promise<ServerFrame> {
  return new Promise((resolve, reject) => {
    function check(): void {
      const isClosed = webSocket.readyState !== webSocket.OPEN;
      const answer = frames.findLast(
        (frame) => 'rid' in frame && frame.rid === rid && answerTypes.has(frame.type),
      );
      if (!answer && !isClosed) return;
      webSocket.off('message', check).off('close', check);
      if (answer) resolve(answer);
      else reject(new Error('The server ended the socket.'));
    }
    // Many actions can wait at the same time.
    webSocket.setMaxListeners(0).on('message', check).on('close', check);
    check();
  });
}

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

/** Makes each message a question with a quote: the message before it is a reply to it, its answer, and endorsed. */
async function makeQuestions(query: TestDatabase['query'], classId: string): Promise<void> {
  const formatNeighbor = (sign: '<' | '>', order: 'asc' | 'desc') =>
    `(select id from messages as other where other."classId" = messages."classId"
      and other.seq ${sign} messages.seq order by other.seq ${order} limit 1)`;
  await query(
    `update messages set votes = 0, "replyTo" = ${formatNeighbor('>', 'asc')},
       "answerId" = ${formatNeighbor('<', 'desc')}, "endorsedId" = ${formatNeighbor('<', 'desc')}
     where "classId" = '${classId}'`,
  );
}

/** Makes the message an open poll with the longest options. */
async function makePoll(query: TestDatabase['query'], messageId: string): Promise<void> {
  const poll = JSON.stringify({ options: costlyOptions, several: true, resultsAfter: 'vote' });
  await query(
    `update messages set poll = '${poll}', "pollClosesAt" = ${Date.now() + 3_600_000}
     where id = '${messageId}'`,
  );
}

/** @returns the ids of the messages */
async function fillClass(
  socket: TestSocket,
  classId: string,
  count: number,
  createText: (n: number) => string,
): Promise<string[]> {
  const messageIds: string[] = [];
  while (messageIds.length < count) {
    const posts = Array.from({ length: Math.min(postsAtOnce, count - messageIds.length) }, (_, n) =>
      socket.post(classId, createText(messageIds.length + n)),
    );
    messageIds.push(...(await Promise.all(posts)).map(({ id }) => id));
  }
  return messageIds;
}
