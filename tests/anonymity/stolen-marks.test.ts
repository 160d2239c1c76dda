// A copy of the database, without the server's key: read marks and preferences lead to no account and
// no persona.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { computeId } from '#server/chat/members/member-ids.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { deriveReporter } from '#server/features/moderation/reports/reports.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { countHits, fillSchool, maxChanceHits, shuffle, type PopulatedClass } from './school.ts';
import { onPostgres, waitUntilSettled } from './settled.ts';
import { listLeaves } from './sqlite-pages.ts';

const secret = 'a secret for this test alone, of 32 characters';
const app = setUpApp({ SECRET_KEY: secret });

/** The rows that stand for a person each, and the column that names the person. */
const kinds = {
  accounts: { id: 'id', toRow: (id: string) => id },
  readMarks: { id: 'reader', toRow: (id: string, classId: string) => `${classId}${id}` },
  reports: { id: 'reporter', toRow: (id: string, classId: string) => `${classId}${id}` },
  preferences: { id: 'owner', toRow: (id: string, classId: string) => `${classId}${id}` },
  personas: { id: 'memberId', toRow: (id: string, classId: string) => `${classId}${id}` },
  planted: { id: 'reader', toRow: (id: string, classId: string) => `${classId}${id}` },
} as const;
type Kind = keyof typeof kinds;

async function listIds(kind: Kind, classId: string, order = ''): Promise<string[]> {
  const ofClass = kind === 'accounts' ? '' : `where "classId" = '${classId}'`;
  const sql = `select "${kinds[kind].id}" as id from "${kind}" ${ofClass} ${order}`;
  return (await app.database.query(sql)).map(({ id }) => String(id));
}

/** The ids in the order of their places in the database's files. */
async function listPlaces(kind: Kind, classId: string): Promise<string[]> {
  if (onPostgres) return listIds(kind, classId, 'order by ctid');
  const dir = app.database.settings.DATA_DIR;
  const files = readdirSync(dir).filter((name) => /^backchannel\.sqlite(-wal)?$/.test(name));
  const content = files.map((name) => readFileSync(join(dir, name), 'latin1')).join('');
  const places = (await listIds(kind, classId)).map((id) => {
    return { id, at: content.lastIndexOf(kinds[kind].toRow(id, classId)) };
  });
  return places.toSorted((place, otherPlace) => place.at - otherPlace.at).map(({ id }) => id);
}

type Pairs = [string, string][];

/** Each way to pair the rows of two kinds, and how many of its pairs are right. */
async function countRightPairs(classId: string, from: Kind, to: Kind, truth: Map<string, string>) {
  const guesses: Record<string, Pairs> = {};
  const orders = {
    'order of the rows': (kind: Kind) => listIds(kind, classId),
    'order of the keys': async (kind: Kind) => (await listIds(kind, classId)).toSorted(),
    'place in the files': (kind: Kind) => listPlaces(kind, classId),
  };
  for (const [name, order] of Object.entries(orders)) {
    const fromIds = (await order(from)).filter((id) => truth.has(id));
    const truePartners = new Set(truth.values());
    const matching = (await order(to)).filter((id) => truePartners.has(id));
    guesses[name] = fromIds.map((id, n) => [id, matching[n] ?? '']);
    guesses[`${name}, backwards`] = fromIds.map((id, n) => [id, matching.at(-1 - n) ?? '']);
  }
  if (onPostgres) {
    const rows = await app.database.query(
      `select one."${kinds[from].id}" as "from", other."${kinds[to].id}" as "to"
       from "${from}" one join "${to}" other on one.xmin = other.xmin
       where other."classId" = '${classId}'`,
    );
    guesses['transactions'] = rows.map((row) => [String(row['from']), String(row['to'])]);
  }
  return Object.entries(guesses).map(([way, guess]) => [way, countHits(guess, truth)] as const);
}

/** Maps each account to its reporter, as only the server can derive it. The first student had no one to report. */
async function listReporters({ classId, truth }: PopulatedClass): Promise<Map<string, string>> {
  const [row] = await app.database.query(`select salt from classes where "classId" = '${classId}'`);
  const keys = deriveModerationKeys(loadServerKeys(secret, '').personas);
  const storedIds = new Set(await listIds('reports', classId));
  const all = [...truth.keys()].map(
    (account) => [account, deriveReporter(keys, String(row!['salt']), account)] as const,
  );
  return new Map(all.filter(([, reporter]) => storedIds.has(reporter)));
}

type PrivateKind = 'readMarks' | 'preferences';

/** Maps each account to the id of its private row, as only the server can derive it. */
async function listOwners(kind: PrivateKind, { classId, truth }: PopulatedClass) {
  const [row] = await app.database.query(`select salt from classes where "classId" = '${classId}'`);
  const { ids } = loadServerKeys(secret, '')[kind];
  const salt = String(row!['salt']);
  return new Map([...truth.keys()].map((account) => [account, computeId(ids, salt, account)]));
}

const mapPersonas = ({ truth }: PopulatedClass, owners: Map<string, string>) =>
  new Map([...truth].map(([account, memberId]) => [owners.get(account)!, memberId]));

let classes: PopulatedClass[];
beforeAll(async () => {
  classes = await fillSchool(app);
  // The rows of all students were written together. From here on, each student's are: by the stop of the server.
  await app.restart(async () => {
    for (const kind of ['readMarks', 'preferences']) {
      await app.database.query(`delete from "${kind}"`);
    }
  });
  for (const student of shuffle(classes[0]!.members.keys())) {
    await visit(student);
    await app.restart();
  }
  await waitUntilSettled(app);
});

async function visit(student: TestClient): Promise<void> {
  const socket = await student.connect();
  for (const { classId } of shuffle(classes)) {
    const { seq } = await socket.subscribe(classId);
    await socket.post(classId, 'Back again');
    socket.send({ type: 'read', classId, seq: seq + 1 });
    const body = { ignored: [], hidden: [], muted: true, version: 0 };
    await student.call('savePreferences', { params: { classId }, body });
  }
  socket.close();
}

/** Numbers that are close for rows that were written together: overflow pages, places or transactions. */
async function listTraces(kind: Kind, classId: string): Promise<Map<string, number>> {
  const { id } = kinds[kind];
  if (onPostgres) {
    const rows = await app.database.query(
      `select "${id}" as id, max(xmin::text::bigint) as at
       from "${kind === 'personas' ? 'messages' : kind}" where "classId" = '${classId}' group by 1`,
    );
    return new Map(rows.map((row) => [String(row['id']), Number(row['at'])]));
  }
  const file = readFileSync(join(app.database.settings.DATA_DIR, 'backchannel.sqlite'));
  const cells = [...listLeaves(file)].flatMap(([page, all]) =>
    all.map((cell) => ({ ...cell, page, at: page + cell.offset / file.length })),
  );
  return new Map(
    (await listIds(kind, classId)).flatMap((rowId) => {
      const cell = cells.find(({ content }) => content.includes(kinds[kind].toRow(rowId, classId)));
      return cell ? [[rowId, cell.overflow || cell.at] as const] : [];
    }),
  );
}

/** Pairs each row with the one whose trace is closest. */
function matchClosest(fromPlaces: Map<string, number>, toPlaces: Map<string, number>): Pairs {
  return [...fromPlaces].map(([id, ownPlace]) => {
    const distances = [...toPlaces].map(
      ([other, otherPlace]) => [Math.abs(otherPlace - ownPlace), other] as const,
    );
    const minDistance = Math.min(...distances.map(([distance]) => distance));
    const closest = distances.filter(([distance]) => distance === minDistance);
    return [id, shuffle(closest)[0]?.[1] ?? ''];
  });
}

describe.each([
  ['readMarks', 'position'],
  ['preferences', 'content'],
] as const)('the rows of %s', (kind, sealed) => {
  test(`the rows of ${kind} pair no account with a reader, and no reader with a persona [ANON-41, SELF-25]`, async () => {
    for (const populatedClass of classes) {
      const { classId } = populatedClass;
      const owners = await listOwners(kind, populatedClass);
      const storedIds = new Set(await listIds(kind, classId));
      expect([...owners.values()].every((owner) => storedIds.has(owner))).toBe(true);
      const attempts = [
        ...(await countRightPairs(classId, 'accounts', kind, owners)),
        ...(await countRightPairs(classId, kind, 'personas', mapPersonas(populatedClass, owners))),
      ];
      expect(attempts.length).toBeGreaterThanOrEqual(12);
      for (const [way, right] of attempts) expect(right, way).toBeLessThanOrEqual(maxChanceHits);
    }
  });

  test(`two rows of ${kind} of one student that were written together are not linked by it [ANON-57]`, async () => {
    const [first, second] = classes as [PopulatedClass, PopulatedClass];
    const owners = await listOwners(kind, first);
    const otherOwners = await listOwners(kind, second);
    const links = new Map(
      [...owners].map(([account, owner]) => [owner, otherOwners.get(account)!]),
    );
    const traces = await listTraces(kind, first.classId);
    const otherTraces = await listTraces(kind, second.classId);
    const personas = await listTraces('personas', first.classId);

    const linked = countHits(matchClosest(traces, otherTraces), links);
    const paired = countHits(matchClosest(traces, personas), mapPersonas(first, owners));

    // A few rows of SQLite are in the inner pages of the tree.
    expect(traces.size).toBeGreaterThan(2 * maxChanceHits);
    expect([linked, paired].map((hits) => hits > maxChanceHits)).toEqual([false, false]);
  });

  test(`the rows of ${kind} have one size, and share no value with another row [ANON-41, SELF-25]`, async () => {
    const tables = await app.database.tables();

    const rows = tables[kind]!;
    const otherRows = JSON.stringify({ ...tables, [kind]: [] });
    const id = kinds[kind].id;
    expect(new Set(rows.map((row) => String(row[sealed]).length)).size).toBe(1);
    for (const row of rows) {
      expect(otherRows).not.toContain(row[id]);
      expect(otherRows).not.toContain(row[sealed]);
    }
    // A student in two classes has two ids.
    expect(new Set(rows.map((row) => row[id])).size).toBe(rows.length);
  });
});

test('the attack notices rows that are written in the order of the accounts [ANON-41, SELF-25, ANON-22]', async () => {
  const [populatedClass] = classes as [PopulatedClass];
  const { classId } = populatedClass;
  // Other ids than those of the real rows, whose places other tests look for.
  const owners = new Map(
    [...(await listOwners('readMarks', populatedClass))].map(([account, owner]) => {
      return [account, owner.slice(8) + owner.slice(0, 8)] as const;
    }),
  );

  onTestFinished(async () => void (await app.database.query('drop table planted')));

  const plant = async () => {
    await app.database.query('drop table if exists planted');
    await app.database.query(
      `create table planted ("classId" text, reader text, primary key ("classId", reader))
       ${onPostgres ? '' : 'without rowid'}`,
    );
    for (const account of await listPlaces('accounts', classId)) {
      const owner = owners.get(account);
      if (owner === undefined) continue;
      await app.database.query(`insert into planted values ('${classId}', '${owner}')`);
    }
    const attempts = await countRightPairs(classId, 'accounts', 'planted', owners);
    return Math.max(...attempts.map(([, right]) => right));
  };
  // The server may be erasing the order at this moment.
  await expect.poll(plant).toBeGreaterThan(maxChanceHits);
});

describe('reports', () => {
  test('the reports pair no account with a reporter, and no reporter with a persona [MOD-27]', async () => {
    for (const populatedClass of classes) {
      const reporters = await listReporters(populatedClass);
      expect(reporters.size).toBe(populatedClass.truth.size - 1);
      const personas = new Map(
        [...reporters].map(([account, reporter]) => [reporter, populatedClass.truth.get(account)!]),
      );
      const attempts = [
        ...(await countRightPairs(populatedClass.classId, 'accounts', 'reports', reporters)),
        ...(await countRightPairs(populatedClass.classId, 'reports', 'personas', personas)),
      ];
      expect(attempts.length).toBeGreaterThanOrEqual(12);
      for (const [way, right] of attempts) expect(right, way).toBeLessThanOrEqual(maxChanceHits);
    }
  });

  test('no table of moderation has a readable report, or an account next to a persona [MOD-27]', async () => {
    const { reports, cases, sanctions, auditLog, roles, accounts } = await app.database.tables();
    expect(new Set(reports!.map(({ text }) => String(text).length)).size).toBe(1);

    const ids = accounts!.map(({ id }) => String(id));
    const text = JSON.stringify([reports, cases, sanctions, auditLog]);
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
    expect(roles).toEqual([]);
  });
});
