// How SQLite compiles and plans the statements of frequent actions. If a bound value could change the plan of a statement, SQLite
// compiles it again at each run. For a message, a connect or a snapshot that was half of the time of its queries.
import SQLite, { type Statement } from 'better-sqlite3';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { startApp } from '#tests/support/running-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = await startApp();
afterAll(() => app.stop());

const builders: string[] = [];
const createFunction = globalThis.Function;
// better-sqlite3 makes a function that builds rows, with the names of the columns in its source, for each compiled statement.
globalThis.Function = new Proxy(createFunction, {
  apply(target, self, sources: string[]) {
    const [source = ''] = sources;
    // SQLite compiles its own `pragma wal_checkpoint` at each run.
    if (!source.includes('"checkpointed"')) builders.push(source);
    return Reflect.apply(target, self, sources) as unknown;
  },
});
afterAll(() => {
  globalThis.Function = createFunction;
});
afterEach(() => {
  builders.length = 0;
});

const rounds = 5;

const { ada, ben, classId } = await createClassWithTwoMembers(app);
const first = await ada.post(classId, 'first');
const params = { classId };

/** Each gets the number of the round, and ends when the server has answered. */
const acts: Record<string, (round: number) => Promise<unknown>> = {
  'to post a message': (round) => ada.post(classId, `message ${round}`),
  async 'to connect and open a class'() {
    const socket = await ada.connectTo(classId);
    socket.close();
  },
  async 'to react'(round) {
    const socket = await ben.connectTo(classId);
    const emoji = round % 2 === 0 ? '👍' : null;
    const reply = await socket.request({ type: 'react', classId, messageId: first.id, emoji });
    expect(reply.type).toBe('ack');
    socket.close();
  },
  async 'to edit a message'(round) {
    const socket = await createReactor();
    await socket.request({ type: 'edit', classId, messageId: first.id, text: `edited ${round}` });
  },
  async 'to mark a message as read'(round) {
    await ada.post(classId, `unread ${round}`);
    const socket = await ben.connect();
    const { seq } = await socket.subscribe(classId);
    // A read mark has no reply. The server handles frames in order.
    socket.send({ type: 'read', classId, seq });
    await socket.post(classId, `after the read mark ${round}`);
    socket.close();
  },
  'to read a page of history': () =>
    ada.call('listMessages', { params, query: { before: '100', limit: '20' } }),
  'to list the classes': () => ada.call('listClasses', {}),
  'to list the members': () => ada.call('listMembers', { params, query: {} }),
  'to search the messages': () => ada.call('searchMessages', { params, query: { query: 'first' } }),
  'to list the pictures': () => ada.call('listPictures', { params, query: {} }),
  async 'to sign in'() {
    await ada.newBrowser().signIn();
  },
  async 'to leave and join'() {
    await ben.leave(classId);
    await ben.join(classId);
  },
};

let connected: Awaited<ReturnType<typeof ada.connectTo>> | null = null;
async function createReactor() {
  connected ??= await ada.connectTo(classId);
  return connected;
}

test.each(Object.entries(acts))(
  'the server compiles each statement %s once [LIMIT-56]',
  async (_, act) => {
    onTestFinished(() => {
      connected?.close();
      connected = null;
    });
    const compiled: string[] = [];

    for (let round = 0; round < rounds; round++) {
      builders.length = 0;
      await act(round);
      compiled.push(...new Set(builders));
    }

    // What runs for the first time meanwhile is compiled once.
    const repeatedTexts = compiled.filter(
      (text) => compiled.filter((other) => other === text).length > 2,
    );
    expect([...new Set(repeatedTexts)]).toEqual([]);
  },
);

/** The part of a plan that reads all rows of a stored table, and not those of a subquery or of the statement. */
const wholeTable = /^SCAN (?!CONSTANT|\(|newest\b|\d+-ROW)/;

test.each(Object.entries(acts))(
  'the server reads no whole table %s, so the cost does not grow with the school [LIMIT-56]',
  async (_, act) => {
    onTestFinished(() => {
      connected?.close();
      connected = null;
    });
    const plans = recordPlans();

    await act(rounds);
    plans.stop();

    expect(plans.listScans()).toEqual([]);
  },
);

/** Records how SQLite finds the rows of each statement of the server. */
function recordPlans() {
  const plans = new Map<string, string[]>();
  const prototype = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1')) as Statement;
  const { all, run } = prototype;
  for (const method of ['all', 'run'] as const) {
    const original = prototype[method] as (...values: unknown[]) => unknown;
    prototype[method] = function (this: Statement, ...values: unknown[]) {
      const isQuery = /^\s*(?:select|with|update|delete|insert)\b/i.test(this.source);
      if (isQuery && !plans.has(this.source)) {
        const plan = this.database.prepare(`explain query plan ${this.source}`);
        const steps = all.apply(plan, values as never) as { detail: string }[];
        plans.set(
          this.source,
          steps.map(({ detail }) => detail),
        );
      }
      return original.apply(this, values);
    } as never;
  }
  return {
    stop() {
      Object.assign(prototype, { all, run });
    },
    listScans: () =>
      [...plans].filter(([, steps]) => steps.some((detail) => wholeTable.test(detail))),
  };
}
