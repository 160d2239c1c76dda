// A copy of the database, without the server's key: reports lead to no account and no persona.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { deriveReporter } from '#server/features/moderation/reports/reports.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { countHits, fillSchool, maxChanceHits, type PopulatedClass } from './school.ts';
import { onPostgres, waitUntilSettled } from './settled.ts';

const secret = 'a secret for this test alone, of 32 characters';
const app = setUpApp({ SECRET_KEY: secret });

/** The rows that stand for a person each, and the column that names the person. */
const kinds = {
  accounts: { id: 'id', toRow: (id: string) => id },
  reports: { id: 'reporter', toRow: (id: string, classId: string) => `${classId}${id}` },
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

let classes: PopulatedClass[];
beforeAll(async () => {
  classes = await fillSchool(app);
  await waitUntilSettled(app);
});

test('the attack notices rows that are written in the order of the accounts [MOD-27, ANON-22]', async () => {
  const [populatedClass] = classes as [PopulatedClass];
  const { classId } = populatedClass;
  const owners = new Map([...populatedClass.truth.keys()].map((id) => [id, createRandomId()]));

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
    const { reports, cases, sanctions, auditLog, accounts } = await app.database.tables();
    expect(new Set(reports!.map(({ text }) => String(text).length)).size).toBe(1);

    const ids = accounts!.map(({ id }) => String(id));
    const text = JSON.stringify([reports, cases, sanctions, auditLog]);
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
  });
});
