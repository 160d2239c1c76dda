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
  type ChangeScene,
} from '#tests/calls/changes.ts';
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
import { listStoredAccounts, listStoredSessions } from '#tests/support/stored-accounts.ts';
import { listStoredRoles } from '#tests/support/roles.ts';

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

/** The pairs of which both change the same rows, or one checks what the other changes. */
const shortPairs: readonly [ChangeName, ChangeName][] = [
  ['edit', 'delete'],
  ['post', 'leaveClass'],
  ['joinClass', 'deleteClass'],
  ['deleteAccount', 'post'],
  ['deleteAccount', 'correctAddress'],
  ['leaveClass', 'deleteAccount'],
  ['appeal', 'liftSanction'],
];
const allPairs = table.flatMap((firstName, n) =>
  table.slice(n).map((secondName): [ChangeName, ChangeName] => [firstName, secondName]),
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

  async function waitUntilDoneOrBlocked(pendingChange: Promise<unknown>): Promise<void> {
    let isDone = false;
    void pendingChange.then(() => (isDone = true));
    const startedAt = performance.now();
    do await sleep(5);
    while (!isDone && performance.now() - startedAt < maxHeldMs && !(await isBlocked()));
  }

  /** The rows of the scene, without random ids and times. */
  async function loadRows({ courseName, ...scene }: ChangeScene): Promise<object> {
    const classes = `(select "classId" from classes where "courseName" like '${courseName}%')`;
    const condition = `"classId" in ${classes}`;
    const stored = await listStoredAccounts(nodes.database);
    const accounts = stored.filter(
      ({ email }) => email.includes(courseName.toLowerCase()) || email === scene.otto.email,
    );
    const sessions = (await listStoredSessions(nodes.database)).map(({ accountId }) => accountId);
    const selects = {
      personas: `select "memberId", "anonymousName", staff from personas where ${condition}`,
      messages: `select seq, ordinal, "memberId", text, deleted from messages where ${condition}`,
      reactions: `select "memberId", emoji from reactions where ${condition}`,
      log: `select seq, kind from log where ${condition}`,
      classes: `select "courseName", seq, ordinal, status, "memberCount", "mergedInto" is null as alone
        from classes where ${condition}`,
      classSettings: `select version, "readOnly", rules, pins from "classSettings" where ${condition}`,
      cases: `select "memberId", "messageId", status, version, decision from cases where ${condition}`,
      reports: `select target, reason from reports where ${condition}`,
      sanctions: `select "memberId", kind, status from sanctions where ${condition}`,
      reviews: `select "memberId", kind, status, version, decision from reviews where ${condition}`,
      auditLog: `select act, "memberId" from "auditLog" where ${condition}`,
    };
    const parts = Object.entries(selects).map(
      ([name, select]) => `'${name}', (select json_agg(r order by r::text) from (${select}) as r)`,
    );
    const { rows } = await database.query<{ all: unknown }>(
      `select json_build_object(${parts.join(', ')}) as all`,
    );
    const sceneClasses = await database.query<{ classId: string }>(classes);
    const classIds = new Set<string | null>(sceneClasses.rows.map(({ classId }) => classId));
    const roles = await listStoredRoles(nodes.database);
    const labels = Object.entries({ ...scene, courseName }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    let text = JSON.stringify({
      ...(rows[0]?.all as object),
      roles: roles
        .filter(({ classId }) => classIds.has(classId))
        .map(({ accountId, role }) => `${role} ${accountId}`)
        .toSorted(),
      accounts: accounts.map(({ email }) => ({ email })),
      sessions: accounts.flatMap(({ id, email }) =>
        sessions.filter((accountId) => accountId === id).map(() => ({ email })),
      ),
    });
    for (const { id, email } of accounts) text = text.replaceAll(id, email);
    for (const [name, id] of labels) text = text.replaceAll(id, name);
    // Ben, if he has written something.
    const otherMembers = await database.query<{ memberId: string }>(
      `select "memberId" from messages where ${condition} and "memberId" <> '${scene.memberId}'`,
    );
    for (const { memberId } of otherMembers.rows) text = text.replaceAll(memberId, 'otherMemberId');
    return sortLists(JSON.parse(text) as Record<string, unknown[] | null>);
  }

  type Order = 'first' | 'second' | { heldAt: number };

  /** @param order when the first change runs; it may be held back within itself, while the second one runs */
  async function play(
    [first, second]: readonly [ChangeName, ChangeName],
    order: Order,
  ): Promise<Outcome & { wasHeld: boolean }> {
    const scene = await setScene(operators);
    const otherScene = moveScene(scene, nodes.apps[1]!);
    const acts = {
      first: await prepareChange(first, scene),
      second: await prepareChange(second, otherScene),
    };
    const pages = openPages(otherScene, ['ben']);
    await settlePages(pages, scene.classId);
    let codes: string[];
    let wasHeld = false;
    if (order === 'first') {
      const code = await getErrorCode(acts.first());
      await followAll(otherScene);
      codes = [code, await getErrorCode(acts.second())];
    } else if (order === 'second') {
      const code = await getErrorCode(acts.second());
      await followAll(scene);
      codes = [await getErrorCode(acts.first()), code];
    } else {
      const holding = proxy.holdMessage(order.heldAt);
      const firstChange = getErrorCode(acts.first());
      const release = await Promise.race([holding, firstChange.then(() => null)]);
      wasHeld = release !== null;
      // No later message is held back.
      void proxy.holdMessage(0);
      const other = getErrorCode(acts.second());
      try {
        await waitUntilDoneOrBlocked(other);
      } finally {
        release?.();
      }
      codes = [await firstChange, await other];
    }
    await expectLive(otherScene, pages);
    const isMuted = await getIsMuted(scene);
    const rows = { isMuted, ...(await loadRows(scene)) };
    // The deletion of an account reads all classes, and an operator can be in few. Other rows may stay.
    await database.query(
      `set session_replication_role = replica;
       delete from registers where "classId" in
         (select "classId" from classes where "courseName" like '${scene.courseName}%');
       delete from classes where "courseName" like '${scene.courseName}%';
       reset session_replication_role`,
    );
    return { codes, rows, wasHeld };
  }

  /** Until a node has followed the end of a session at another one, it takes messages of that session. */
  async function followAll({ ben }: ChangeScene): Promise<void> {
    // A list of classes is that of all changes before it.
    await ben.call('listClasses', {});
  }

  /** Ben's page shows what a page shows that opens now. */
  async function expectLive(scene: ChangeScene, pages: Pages): Promise<void> {
    const laterPages = openPages(scene, ['ben']);
    await settlePages(laterPages, scene.classId);
    await vi.waitFor(
      async () => {
        await updatePages(pages, scene);
        expect(showPages(pages, scene.classId)).toEqual(showPages(laterPages, scene.classId));
      },
      { timeout: 5_000 },
    );
    closePages(pages);
    closePages(laterPages);
  }

  async function getIsMuted({ ada, classId }: ChangeScene): Promise<boolean> {
    const preferences = await ada
      .call('readPreferences', { params: { classId } })
      .catch(() => null);
    return preferences?.muted ?? false;
  }

  const directions = (areAllCasesTested ? allPairs : shortPairs).flatMap(
    ([firstName, secondName]) =>
      firstName === secondName
        ? [{ first: firstName, second: secondName }]
        : [
            { first: firstName, second: secondName },
            { first: secondName, second: firstName },
          ],
  );

  test.each(directions)(
    '$first, stopped anywhere while $second runs, ends as one after the other [LOG-86]',
    async ({ first, second }) => {
      const pair = [first, second] as const;
      const { wasHeld: _, ...firstOutcome } = await play(pair, 'first');
      const { wasHeld: __, ...secondOutcome } = await play(pair, 'second');
      for (let heldAt = 1; ; heldAt++) {
        const { wasHeld, ...outcome } = await play(pair, { heldAt });
        if (!isLike(outcome, firstOutcome) && !isLike(outcome, secondOutcome)) {
          expect({ heldAt, ...outcome }).toEqual({ before: firstOutcome, after: secondOutcome });
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

const getErrorCode = (pendingChange: Promise<unknown>): Promise<string> =>
  pendingChange.then(
    () => 'done',
    (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return endsOfSession.test(code) ? 'ended' : code;
    },
  );
