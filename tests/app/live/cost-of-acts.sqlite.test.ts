// The cost of each action of a member. A change that makes an action more expensive must edit the table.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import SQLite, { type Statement } from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
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

const app = await startApp();
afterAll(() => app.stop());
const { ada, ben, classId } = await createClassWithTwoMembers(app);
const joiner = await app.createStudent();
const adaSocket = await ada.connectTo(classId);
const benSocket = await ben.connectTo(classId);
// The seq has two digits in each action, whatever the order of the tests.
let target = '';
for (let n = 0; n < 12; n++) target = (await adaSocket.post(classId, 'earlier')).id;
const params = { classId };
let lastSeq = 0;

async function react(emoji: '👍' | null): Promise<void> {
  const reply = await benSocket.request({ type: 'react', classId, messageId: target, emoji });
  expect(reply.type).toBe('ack');
}

const acts: Record<string, () => Promise<TestSocket | void>> = {
  async post() {
    await adaSocket.post(classId, 'a message');
  },
  async react() {
    await react('👍');
  },
  async 'read mark'() {
    benSocket.send({ type: 'read', classId, seq: lastSeq });
  },
  connect: () => ada.connect(),
  async 'subscribe and snapshot'() {
    adaSocket.send({ type: 'unsubscribe', classId });
    await adaSocket.subscribe(classId);
  },
  async page() {
    await ada.call('listMessages', { params, query: { before: '3', limit: '20' } });
  },
  async join() {
    await joiner.join(classId);
  },
  async 'sign-in'() {
    await ada.newBrowser().signIn();
  },
};

const table: Record<string, Cost> = {
  post: {
    statements: 5,
    transactions: 1,
    syncedWrites: 1,
    timers: 0,
    hmacs: 1,
    jsonLength: 582,
    frames: 3,
  },
  react: {
    statements: 7,
    transactions: 1,
    syncedWrites: 1,
    timers: 0,
    hmacs: 0,
    jsonLength: 259,
    frames: 3,
  },
  'read mark': {
    statements: 0,
    transactions: 0,
    syncedWrites: 0,
    timers: 0,
    hmacs: 0,
    jsonLength: 0,
    frames: 0,
  },
  connect: {
    statements: 4,
    transactions: 0,
    syncedWrites: 0,
    timers: 0,
    hmacs: 3,
    jsonLength: 98,
    frames: 1,
  },
  'subscribe and snapshot': {
    statements: 1,
    transactions: 0,
    syncedWrites: 0,
    timers: 1,
    hmacs: 0,
    jsonLength: 248,
    frames: 2,
  },
  page: {
    statements: 5,
    transactions: 0,
    syncedWrites: 0,
    timers: 0,
    hmacs: 0,
    jsonLength: 624,
    frames: 0,
  },
  join: {
    statements: 8,
    transactions: 1,
    syncedWrites: 1,
    timers: 1,
    hmacs: 1,
    jsonLength: 898,
    frames: 0,
  },
  'sign-in': {
    statements: 4,
    transactions: 1,
    syncedWrites: 1,
    timers: 1,
    hmacs: 20,
    jsonLength: 31,
    frames: 0,
  },
};

/** The pause before and after an action, in which the server does what it does later or for others. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 150));

test.each(Object.entries(acts))(
  'the cost of a %s is as in the table [LOG-88]',
  async (name, act) => {
    let leastCost: Cost | null = null;
    for (let round = 0; round < 4; round++) {
      if (name === 'read mark') {
        const reply = await adaSocket.post(classId, 'unread');
        lastSeq = 'seq' in reply ? reply.seq : 0;
      }
      if (name === 'react') await react(null);
      if (name === 'join') await joiner.leave(classId);
      await settle();
      const framesBefore = adaSocket.frames.length + benSocket.frames.length;
      cost = { ...noCost };
      const openedSocket = await act();
      await settle();
      const frames = adaSocket.frames.length + benSocket.frames.length - framesBefore;
      cost.frames = frames + (openedSocket?.frames.length ?? 0);
      leastCost = leastCost ? takeSmaller(leastCost, cost) : cost;
      openedSocket?.close();
    }

    expect(leastCost).toEqual(table[name]);
  },
);

/** Work that runs from time to time, such as the poll of change events, is not a part of the action. */
function takeSmaller(firstCost: Cost, secondCost: Cost): Cost {
  const entries = Object.entries(firstCost) as [keyof Cost, number][];
  return Object.fromEntries(
    entries.map(([name, count]) => [name, Math.min(count, secondCost[name])]),
  ) as unknown as Cost;
}

function countStatements(): void {
  /** The server's handle. The eraser of the order of rows has another, and runs when it has time. */
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
