// The cost of each action of a member. A change that makes an action more expensive must edit the table.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import SQLite, { type Statement } from 'better-sqlite3';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { chooseNotifications, turnOnNotifications } from '#tests/support/notifications.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { askPoll, choose } from '#tests/support/polls.ts';
import { ask, markAnswer, replyTo, vote } from '#tests/support/questions.ts';
import { grantRoleByCommand, grantStaffByCommand } from '#tests/support/roles.ts';
import { startApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

interface Cost {
  /** SQL statements without begin and commit. */
  statements: number;
  transactions: number;
  /** Writes that SQLite makes durable: each commit, and each write outside a transaction. */
  syncedWrites: number;
  timers: number;
  hmacs: number;
  /** Characters that the server encodes as JSON. A number counts as one: seqs and times grow. */
  jsonLength: number;
  /** Frames to the member, and to the other member who has the class open. */
  frames: number;
}

const noCost: Cost = {
  statements: 0,
  transactions: 0,
  syncedWrites: 0,
  timers: 0,
  hmacs: 0,
  jsonLength: 0,
  frames: 0,
};
let cost = { ...noCost };

/** The test's clients run in the same process. */
function isFromServer(): boolean {
  const { stack = '' } = new Error();
  // better-sqlite3 encodes the names of columns for each statement that SQLite compiles again, such as a checkpoint.
  return stack.includes('/src/server/') && !stack.includes('/better-sqlite3/');
}

countStatements();
countTimers();
countHmacs();
countJson();

const pushService = await startPushService();
const app = await startApp({ PUSH_HOSTS: pushService.host, PUSH_DELAY: '0' });
afterAll(async () => {
  await app.stop();
  await pushService.close();
});

type Scene = Awaited<ReturnType<typeof setScene>>;

async function setScene() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const joiner = await app.createStudent();
  const adaSocket = await ada.connectTo(classId);
  const benSocket = await ben.connectTo(classId);
  // The seq has two digits in each action, whatever the order of the tests.
  let messageId = '';
  for (let n = 0; n < 12; n++) messageId = (await adaSocket.post(classId, 'earlier')).id;
  return {
    ada,
    ben,
    joiner,
    classId,
    adaSocket,
    benSocket,
    messageId,
    questionId: '',
    answerId: '',
    pollId: '',
    lastSeq: 0,
  };
}

/** Both members use all that a class can have: roles, notifications and preferences. */
async function setSceneOfFeatures(): Promise<Scene> {
  const scene = await setScene();
  const { ada, ben, classId } = scene;
  const { settings } = app.database;
  const moderator = await app.createStudent();
  await grantRoleByCommand(settings, { email: moderator.email, classId }, 'Prof. Lee');
  await grantStaffByCommand(settings, { email: ben.email, classId }, 'Ben of the staff');
  for (const member of [ada, ben]) {
    await turnOnNotifications(member, pushService);
    await chooseNotifications(member, classId, 'all');
    await member.call('savePreferences', {
      params: { classId },
      body: { ignored: [], hidden: [scene.messageId], muted: false, version: 0 },
    });
  }
  return scene;
}

const scenes = {
  'a plain class': await setScene(),
  'a class with all features': await setSceneOfFeatures(),
};

async function react({ benSocket, classId, messageId }: Scene, emoji: '👍' | null): Promise<void> {
  const reply = await benSocket.request({ type: 'react', classId, messageId, emoji });
  expect(reply.type).toBe('ack');
}

const acts: Record<string, (scene: Scene) => Promise<TestSocket | void>> = {
  async post({ adaSocket, classId }) {
    await adaSocket.post(classId, 'a message');
  },
  react: (scene) => react(scene, '👍'),
  // Its number is published later, once for all votes of that time.
  async vote({ benSocket, classId, questionId }) {
    expect((await vote(benSocket, classId, questionId)).type).toBe('ack');
  },
  async 'poll vote'({ benSocket, classId, pollId }) {
    expect((await choose(benSocket, classId, pollId, 0)).type).toBe('ack');
  },
  async ask({ adaSocket, classId }) {
    await ask(adaSocket, classId);
  },
  async answer({ adaSocket, classId, questionId, answerId }) {
    expect((await markAnswer(adaSocket, classId, questionId, answerId)).type).toBe('ack');
  },
  async 'read mark'({ benSocket, classId, lastSeq }) {
    benSocket.send({ type: 'read', classId, seq: lastSeq });
  },
  connect: ({ ada }) => ada.connect(),
  async 'subscribe and snapshot'({ adaSocket, classId }) {
    adaSocket.send({ type: 'unsubscribe', classId });
    await adaSocket.subscribe(classId);
  },
  async page({ ada, classId }) {
    await ada.call('listMessages', { params: { classId }, query: { before: '3', limit: '20' } });
  },
  async join({ joiner, classId }) {
    await joiner.join(classId);
  },
  async 'sign-in'({ ada }) {
    await ada.newBrowser().signIn();
  },
};

const oneCommit = { transactions: 1, syncedWrites: 1 };

/** What an act costs. What is not named is none. */
const table: Record<string, Partial<Cost>> = {
  post: { statements: 5, ...oneCommit, hmacs: 1, jsonLength: 582, frames: 3 },
  react: { statements: 7, ...oneCommit, jsonLength: 259, frames: 3 },
  // Three statements move its neighbors. The timer for the number is that of the first vote.
  vote: { statements: 7, ...oneCommit, hmacs: 1, jsonLength: 205, frames: 2 },
  'poll vote': { statements: 8, ...oneCommit, hmacs: 1, jsonLength: 208, frames: 2 },
  // A post, whether the question waits for release already, and whether new ones wait.
  ask: { statements: 7, ...oneCommit, hmacs: 1, jsonLength: 652, frames: 3 },
  answer: { statements: 11, ...oneCommit, jsonLength: 512, frames: 3 },
  'read mark': {},
  // The session and its account.
  connect: { statements: 2, hmacs: 2, jsonLength: 212, frames: 1 },
  // The member, and whether the preferences in memory are those of the database.
  'subscribe and snapshot': { statements: 2, timers: 1, jsonLength: 384, frames: 2 },
  page: { statements: 5, jsonLength: 647 },
  join: { statements: 8, ...oneCommit, timers: 1, hmacs: 1, jsonLength: 1043 },
  // One of them asks whether the address is blocked, by a keyed hash, and three move the neighbors of the session.
  'sign-in': { statements: 9, ...oneCommit, timers: 1, hmacs: 25, jsonLength: 97 },
};

/** The most rounds in which an action is counted: other work disturbs some of them. */
const maxRounds = 8;

/** What differs if the features are in use. */
const costOfFeatures: Record<string, Partial<Cost>> = {
  // Whom to notify: the salt of the class.
  post: { statements: 6 },
  // The sanction of the persona of staff.
  react: { statements: 8 },
  vote: { statements: 8 },
  'poll vote': { statements: 9 },
  ask: { statements: 8 },
  // The preferences.
  'subscribe and snapshot': { frames: 3, jsonLength: 617 },
  // The choices of its members.
  join: { jsonLength: 1073 },
};

/** The pause before and after an action, in which the server does what it does later or for others. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 150));

const cases = Object.keys(scenes).flatMap((sceneName) =>
  Object.keys(acts).map((act) => ({ act, sceneName: sceneName as keyof typeof scenes })),
);

test.each(cases)(
  'the cost of a $act in $sceneName is the one in the table [LIMIT-56]',
  async ({ act, sceneName }) => {
    const scene = scenes[sceneName];
    const { adaSocket, benSocket, joiner, classId } = scene;
    const isPlain = sceneName === 'a plain class';
    const expectedCost = { ...noCost, ...table[act], ...(isPlain ? {} : costOfFeatures[act]) };
    let leastCost: Cost | null = null;
    for (let round = 0; round < maxRounds && !isDeepStrictEqual(leastCost, expectedCost); round++) {
      if (act === 'read mark') {
        const reply = await adaSocket.post(classId, 'unread');
        scene.lastSeq = 'seq' in reply ? reply.seq : 0;
      }
      if (act === 'react') await react(scene, null);
      if (act === 'vote') {
        scene.questionId ||= await ask(adaSocket, classId);
        await vote(benSocket, classId, scene.questionId, false);
      }
      if (act === 'poll vote') {
        scene.pollId ||= await askPoll(adaSocket, classId);
        await choose(benSocket, classId, scene.pollId);
      }
      if (act === 'answer') {
        scene.questionId ||= await ask(adaSocket, classId);
        scene.answerId ||= await replyTo(benSocket, classId, scene.questionId);
        await markAnswer(adaSocket, classId, scene.questionId, null);
      }
      if (act === 'join') await joiner.leave(classId);
      await settle();
      const frameCount = adaSocket.frames.length + benSocket.frames.length;
      cost = { ...noCost };
      const openedSocket = await acts[act]!(scene);
      await settle();
      const newFrameCount = adaSocket.frames.length + benSocket.frames.length - frameCount;
      cost.frames = newFrameCount + (openedSocket?.frames.length ?? 0);
      leastCost = leastCost ? takeSmaller(leastCost, cost) : cost;
      openedSocket?.close();
    }

    expect(leastCost).toEqual(expectedCost);
  },
);

test('a vote costs no more than a reaction, except for the HMAC of the voter [LIMIT-56]', () => {
  const scenesOfTable: (typeof costOfFeatures)[] = [{}, costOfFeatures];
  for (const ofScene of scenesOfTable) {
    const actCost = { ...noCost, ...table['vote'], ...ofScene['vote'], hmacs: 0 };
    const reactionCost = { ...noCost, ...table['react'], ...ofScene['react'] };

    expect(takeSmaller(actCost, reactionCost)).toEqual(actCost);
  }
});

/** Work that runs from time to time, such as the poll of change events, is not a part of the action. */
function takeSmaller(firstCost: Cost, secondCost: Cost): Cost {
  const entries = Object.entries(firstCost) as [keyof Cost, number][];
  return Object.fromEntries(
    entries.map(([name, count]) => [name, Math.min(count, secondCost[name])]),
  ) as unknown as Cost;
}

function countStatements(): void {
  /** The server's handle. */
  let handle: unknown = null;
  const prototype = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1')) as Statement;
  for (const method of ['run', 'all', 'get', 'iterate'] as const) {
    const original = prototype[method] as (...values: unknown[]) => unknown;
    prototype[method] = function (this: Statement, ...values: unknown[]) {
      if (this.source === 'begin immediate') {
        handle = this.database;
        cost.transactions += 1;
      } else if (this.source === 'commit') cost.syncedWrites += 1;
      else if (handle === null || this.database === handle) {
        cost.statements += 1;
        if (!this.readonly && !this.database.inTransaction) cost.syncedWrites += 1;
      }
      return original.apply(this, values);
    } as never;
  }
}

function countTimers(): void {
  const start = globalThis.setTimeout;
  globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
    if (isFromServer()) cost.timers += 1;
    return start(...args);
  }, start) as typeof setTimeout;
}

function countHmacs(): void {
  const create = crypto.createHmac;
  crypto.createHmac = (...args) => {
    cost.hmacs += 1;
    return create(...args);
  };
  syncBuiltinESMExports();
}

function countJson(): void {
  const encode = JSON.stringify;
  JSON.stringify = ((...args: Parameters<typeof encode>) => {
    const text = encode(...args);
    if (isFromServer()) cost.jsonLength += text.replaceAll(/(?<=[:[,])\d+/g, '0').length;
    return text;
  }) as typeof encode;
}
