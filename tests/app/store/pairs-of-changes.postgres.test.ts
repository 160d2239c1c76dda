// Two changes at two nodes: one stops before each of its messages to the database while the other runs whole. The outcome is
// that of one of the two orders. On SQLite the same code runs, and each transaction excludes all others.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  areAllCasesTested,
  changeSettings,
  moveScene,
  prepareChange,
  setOperators,
  setScene,
  type ChangeName,
  type Scene,
} from '#tests/support/changes.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import {
  closePages,
  openPages,
  settlePages,
  showPages,
  updatePages,
  type Pages,
} from '#tests/support/pages.ts';
import { startPostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts';
import { connectToPostgres } from '#tests/support/test-database.ts';

const table: readonly ChangeName[] = [
  'post',
  'edit',
  'delete',
  'react',
  'joinClass',
  'leaveClass',
  'changePersona',
  'savePreferences',
  'reportMember',
  'changeClassSettings',
  'decideCase',
  'liftSanction',
  'appeal',
  'endClass',
  'deleteClass',
  'mergeClass',
  'a merge ends',
  'deleteAccount',
  'correctAddress',
  'grantRole',
  'signOutOtherDevices',
];

/** A change that is neither done nor blocked after this time waits for something else. */
const maxHeldMs = 1000;

/** Those that change the same rows, or check what the other changes. */
const shortPairs: readonly [ChangeName, ChangeName][] = [
  ['edit', 'delete'],
  ['post', 'leaveClass'],
  ['joinClass', 'deleteClass'],
  ['deleteAccount', 'post'],
  ['deleteAccount', 'correctAddress'],
  ['leaveClass', 'deleteAccount'],
  ['appeal', 'liftSanction'],
];
const allPairs = table.flatMap((one, n) =>
  table.slice(n).map((other): [ChangeName, ChangeName] => [one, other]),
);

let proxy: PostgresProxy;

describe.skipIf(!redisCommand)('two changes at two nodes', () => {
  const nodes = setUpNodes(2, async (node, databaseUrl) => {
    if (node === 1) return changeSettings;
    proxy = await startPostgresProxy(databaseUrl);
    return { ...changeSettings, DATABASE_URL: proxy.url };
  });
  let database: Awaited<ReturnType<typeof connectToPostgres>>;
  let operators: Awaited<ReturnType<typeof setOperators>>;
  beforeAll(async () => {
    database = await connectToPostgres(nodes.database.settings.DATABASE_URL);
    operators = await setOperators(nodes.apps[0]!);
  });
  afterAll(async () => {
    await database.end();
    proxy.end();
  });

  /** Whether a change waits for a lock of another one. */
  async function isBlocked(): Promise<boolean> {
    const { rows } = await database.query(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  }

  async function waitUntilDoneOrBlocked(running: Promise<unknown>): Promise<void> {
    let isDone = false;
    void running.then(() => (isDone = true));
    const startedAt = performance.now();
    do await sleep(5);
    while (!isDone && performance.now() - startedAt < maxHeldMs && !(await isBlocked()));
  }

  /** The rows of the scene, without random ids and times. */
  async function readRows({ courseName, ...scene }: Scene): Promise<object> {
    const classes = `(select "classId" from classes where "courseName" like '${courseName}%')`;
    const own = `"classId" in ${classes}`;
    const accounts = `accounts where email like '%${courseName}%' or email = '${scene.otto.email}'`;
    const email = (id: string) => `(select email from accounts where accounts.id = ${id})`;
    const selects = {
      accounts: `select email from ${accounts}`,
      sessions: `select ${email('"userId"')} from sessions
        where "userId" in (select id from accounts where email like '%${courseName}%')`,
      enrollments: `select ${email('"accountId"')} from enrollments where ${own}`,
      roles: `select ${email('"accountId"')}, role from roles where ${own}`,
      personas: `select "memberId", "anonymousName", staff from personas where ${own}`,
      messages: `select seq, ordinal, "memberId", text, deleted from messages where ${own}`,
      reactions: `select "memberId", emoji from reactions where ${own}`,
      log: `select seq, kind from log where ${own}`,
      classes: `select "courseName", seq, ordinal, status, "memberCount", "mergedInto" is null as alone
        from classes where ${own}`,
      classSettings: `select version, "readOnly", rules, pins from "classSettings" where ${own}`,
      cases: `select "memberId", "messageId", status, version, decision from cases where ${own}`,
      reports: `select target, reason from reports where ${own}`,
      sanctions: `select "memberId", kind, status from sanctions where ${own}`,
      reviews: `select "memberId", kind, status, version, decision from reviews where ${own}`,
      auditLog: `select act, "memberId" from "auditLog" where ${own}`,
    };
    const parts = Object.entries(selects).map(
      ([name, select]) => `'${name}', (select json_agg(r order by r::text) from (${select}) as r)`,
    );
    const { rows } = await database.query<{ all: unknown }>(
      `select json_build_object(${parts.join(', ')}) as all`,
    );
    const labels = Object.entries({ ...scene, courseName }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    let text = JSON.stringify(rows[0]?.all);
    for (const [name, id] of labels) text = text.replaceAll(id, name);
    // Ben, if he has written something.
    const others = await database.query<{ memberId: string }>(
      `select "memberId" from messages where ${own} and "memberId" <> '${scene.memberId}'`,
    );
    for (const { memberId } of others.rows) text = text.replaceAll(memberId, 'otherMemberId');
    return sortLists(JSON.parse(text) as Record<string, unknown[] | null>);
  }

  type Order = 'first' | 'second' | { heldAt: number };

  /** @param order when the first change runs; it may be held back within itself, while the second one runs */
  async function play(
    [first, second]: readonly [ChangeName, ChangeName],
    order: Order,
  ): Promise<Outcome & { wasHeld: boolean }> {
    const scene = await setScene(operators);
    const elsewhere = moveScene(scene, nodes.apps[1]!);
    const acts = {
      first: await prepareChange(first, scene),
      second: await prepareChange(second, elsewhere),
    };
    const pages = openPages(elsewhere, ['ben']);
    await settlePages(pages, scene.classId);
    let codes: string[];
    let wasHeld = false;
    if (order === 'first') {
      codes = [await getErrorCode(acts.first()), await getErrorCode(acts.second())];
    } else if (order === 'second') {
      const code = await getErrorCode(acts.second());
      codes = [await getErrorCode(acts.first()), code];
    } else {
      const held = proxy.holdMessage(order.heldAt);
      const one = getErrorCode(acts.first());
      const release = await Promise.race([held, one.then(() => null)]);
      wasHeld = release !== null;
      // No later message is held back.
      void proxy.holdMessage(0);
      const other = getErrorCode(acts.second());
      try {
        await waitUntilDoneOrBlocked(other);
      } finally {
        release?.();
      }
      codes = [await one, await other];
    }
    await expectLive(elsewhere, pages);
    const isMuted = await readIsMuted(scene, elsewhere);
    const rows = { isMuted, ...(await readRows(scene)) };
    // The deletion of an account reads all classes, and an operator can be in few. Other rows may stay.
    await database.query(
      `set session_replication_role = replica;
       delete from enrollments where "classId" in
         (select "classId" from classes where "courseName" like '${scene.courseName}%');
       delete from classes where "courseName" like '${scene.courseName}%';
       reset session_replication_role`,
    );
    return { codes, rows, wasHeld };
  }

  /** Ben's page shows what a page shows that opens now. */
  async function expectLive(scene: Scene, pages: Pages): Promise<void> {
    const later = openPages(scene, ['ben']);
    await settlePages(later, scene.classId);
    await vi.waitFor(
      async () => {
        await updatePages(pages, scene);
        expect(showPages(pages, scene.classId)).toEqual(showPages(later, scene.classId));
      },
      { timeout: 5_000 },
    );
    closePages(pages);
    closePages(later);
  }

  /** What both nodes tell Ada: the row of her preferences is written at a random time. */
  async function readIsMuted(scene: Scene, elsewhere: Scene): Promise<boolean> {
    const read = async ({ ada, classId }: Scene) => {
      const own = await ada.call('readPreferences', { params: { classId } }).catch(() => null);
      return own?.muted ?? false;
    };
    await expect.poll(async () => (await read(scene)) === (await read(elsewhere))).toBe(true);
    return read(scene);
  }

  const directions = (areAllCasesTested ? allPairs : shortPairs).flatMap(([one, other]) =>
    one === other
      ? [{ first: one, second: other }]
      : [
          { first: one, second: other },
          { first: other, second: one },
        ],
  );

  test.each(directions)(
    '$first, stopped anywhere while $second runs, ends as one after the other [LOG-86]',
    async ({ first, second }) => {
      const pair = [first, second] as const;
      const { wasHeld: _, ...before } = await play(pair, 'first');
      const { wasHeld: __, ...after } = await play(pair, 'second');
      for (let heldAt = 1; ; heldAt++) {
        const { wasHeld, ...outcome } = await play(pair, { heldAt });
        if (!isLike(outcome, before) && !isLike(outcome, after)) {
          expect({ heldAt, ...outcome }).toEqual({ before, after });
        }
        if (!wasHeld) break;
      }
    },
  );
});

/** The database has sorted them by random ids. */
function sortLists(lists: Record<string, unknown[] | null>): Record<string, unknown[] | null> {
  const toSorted = (list: unknown[] | null) =>
    list?.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) ?? null;
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, toSorted(list)]));
}

interface Outcome {
  codes: string[];
  rows: unknown;
}

/** The socket of an ended session can close before the answer to a change that is committed. */
function isLike({ codes, rows }: Outcome, order: Outcome): boolean {
  const haveCodes = codes.every((code, n) => code === order.codes[n] || code === 'ended');
  return haveCodes && isDeepStrictEqual(rows, order.rows);
}

/** If a session has ended at another node, a frame is rejected or its socket is closed: whatever comes first. */
const endsOfSession = /^(?:NOT_FOUND|UNAUTHENTICATED|Error: The socket closed with 4001\.)$/;

const getErrorCode = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'done',
    (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return endsOfSession.test(code) ? 'ended' : code;
    },
  );
