// A thief has a copy of the database, without the server key.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { campusSettings, fillCampus, toRegistrar, type Campus } from './campus.ts';
import { findLinks, findRepetitions } from './find-repetitions.ts';
import { findSecrets } from './find-secrets.ts';
import { attackAsRegistrar, listSuccesses, listVaryingSizes, type Registrar } from './registrar.ts';
import { onPostgres, waitUntilSettled } from './settled.ts';
import { steal } from './steal.ts';
import type { StolenCopy, StolenRow } from './stolen-copy.ts';
import { stealSqlite } from './stolen-sqlite.ts';

const app = setUpApp(campusSettings);
let campus: Campus;
/** While the server runs, after a clean stop, which writes what waits, and a backup. */
let copies: StolenCopy[];
beforeAll(async () => {
  campus = await fillCampus(app);
  await waitUntilSettled(app);
  const running = await steal(app.database);
  await app.restart();
  await waitUntilSettled(app);
  copies = [running, await steal(app.database), await stealBackup()];
});

async function stealBackup(): Promise<StolenCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-backup-'));
  const file = join(folder, 'copy');
  expect(await runCommand('backup', [file], app.database.settings)).toMatchObject({ code: 0 });
  const backup = stealSqlite(file);
  rmSync(folder, { recursive: true });
  return backup;
}

async function plant(...statements: string[]): Promise<StolenCopy> {
  onTestFinished(async () => void (await app.database.query('drop table planted')));
  for (const sql of statements) await app.database.query(sql);
  return steal(app.database);
}

describe('the bytes of a copy', () => {
  test('a copy holds no address, no device and no report, and ids of accounts only where they are keys [AUTH-70, MOD-27, CREATE-16]', () => {
    for (const copy of copies) {
      expect(findSecrets(copy, campus.secrets)).toEqual([]);
    }
  });

  test('a secret is found in any form and any place [ANON-3]', async () => {
    const { address, device, 'account id': ids, 'push endpoint': endpoints } = campus.secrets;
    const notes = join(app.database.settings.DATA_DIR, 'notes');
    writeFileSync(notes, endpoints![3]!);
    onTestFinished(() => rmSync(notes));
    const hash = createHash('sha256').update(address![5]!).digest('base64url');
    const rawId = Buffer.from(ids![7]!, 'base64url').toString('hex');

    const copy = await plant(
      `create table planted (id ${onPostgres ? 'bytea' : 'blob'}, text text)`,
      `insert into planted values (${onPostgres ? `decode('${rawId}', 'hex')` : `x'${rawId}'`}, '${hash}')`,
      `insert into planted values (null, '${device![0]}')`,
      `delete from planted where id is null`,
    );

    const leaks = findSecrets(copy, campus.secrets);
    expect(leaks).toContain('planted.id: account id');
    expect(leaks).toContain('planted.text: address');
    expect(leaks).toContain('another file, no table: push endpoint');
    expect(leaks.filter((leak) => leak.endsWith(', planted: device'))).not.toEqual([]);
  });
});

describe('values in two classes', () => {
  test('no value that the server made occurs in two classes [ANON-1, ANON-3, ANON-6]', () => {
    for (const copy of copies) expect(findRepetitions(copy)).toEqual([]);
  });

  test('a value in two classes is found, also inside of another one [ANON-3]', async () => {
    const [one, other] = campus.students[0]!.classIds;
    const tag = randomBytes(40).toString('hex');

    const copy = await plant(
      'create table planted ("classId" text, note text, sealed text)',
      `insert into planted values ('${one}', '{"of":"a1b2c3d4e5f6"}', null)`,
      `insert into planted values ('${other}', 'a1b2c3d4e5f6', null)`,
      ...[one, other].map((classId, n) => {
        const sealed = randomBytes(90 + n).toString('hex') + tag + randomBytes(90).toString('hex');
        return `insert into planted values ('${classId}', null, '${sealed}')`;
      }),
    );

    const repeated = findRepetitions(copy);
    expect(repeated).toContain('planted.note');
    expect(repeated).toContain('planted.sealed');
  });
});

describe('values of an account and of its persona', () => {
  test('no row of an account shares a value with a row of its persona [ANON-6]', () => {
    for (const copy of copies) expect(findLinks(copy, toRegistrar(campus))).toEqual([]);
  });

  test('a shared value, and a row of both, are found [ANON-3]', () => {
    const { accountId, personas } = campus.students[5]!;
    const [memberId] = personas.values();
    const findPlanted = (...rows: Record<string, unknown>[]) => {
      const planted = rows.map((values) => ({ values, places: {} }));
      const tables = new Map([...copies[0]!.tables, ['planted', planted]]);
      return findLinks({ regions: [], tables }, toRegistrar(campus));
    };

    const ofTwoRows = findPlanted(
      { a: accountId, b: 'of both of them 7' },
      { a: memberId, b: 'of both of them 7' },
    );
    const ofOne = findPlanted({ a: JSON.stringify({ accountId, memberId }) });

    expect(ofTwoRows).toEqual(['planted.b']);
    expect(ofOne).toEqual(['planted.a']);
  });
});

describe('a registrar, who knows the class lists and whose each account is', () => {
  let registrar: Registrar;
  beforeAll(() => {
    registrar = toRegistrar(campus);
  });

  test('no order, place or transaction tells the registrar more than chance [ANON-6, ANON-28, ANON-57]', () => {
    for (const copy of copies) {
      const strengths = attackAsRegistrar(copy, registrar);

      expect(strengths.size).toBeGreaterThan(20);
      expect(listSuccesses(strengths)).toEqual([]);
    }
  });

  test('all rows of accounts and sessions have one size [ANON-51, ANON-54]', () => {
    for (const copy of copies) {
      expect(listVaryingSizes(copy, ['accounts', 'sessions'])).toEqual([]);
    }
  });

  test('rows that are written as students join, without an erasure of their order, are found [ANON-3]', async () => {
    const values = campus.students.flatMap(({ classIds }) =>
      classIds.map((classId) => `('${classId}', '${randomBytes(12).toString('base64url')}')`),
    );

    const copy = await plant(
      `create table planted ("classId" text, id text, primary key ("classId", id))
       ${onPostgres ? '' : 'without rowid'}`,
      ...values.map((row) => `insert into planted values ${row}`),
    );

    const names = ['messages', 'planted'];
    const tables = new Map(names.map((name) => [name, copy.tables.get(name)!]));
    const found = listSuccesses(attackAsRegistrar({ ...copy, tables }, registrar));
    expect(found.join()).toMatch(/sets of classes in planted, (place in planted|transaction)/);
  });

  test('rows in the order of accounts or of first words, and one transaction for both sides, are found [ANON-3]', () => {
    const [copy] = copies as [StolenCopy];
    const place = (trace: string, group: number, at: number) => ({ [trace]: { group, at } });
    const attackWith = (planted: Record<string, readonly StolenRow[]>) => {
      const kept = ['accounts', 'messages'].map((name) => [name, copy.tables.get(name)!] as const);
      const tables = new Map([...kept, ...Object.entries(planted)]);
      return listSuccesses(attackAsRegistrar({ ...copy, tables }, registrar)).join();
    };
    const ofAccounts = copy.tables
      .get('accounts')!
      .toSorted((row, other) => getPlace(row) - getPlace(other))
      .flatMap(({ values }) => registrar.lists.get(String(values['id'])) ?? [])
      .map((classId, at) => ({ values: { classId }, places: place('order', 0, at) }));
    const messages = copy.tables.get('messages')!.map(({ values }) => values);
    const ofWords = messages
      .toSorted((message, other) => Number(other['createdAt']) - Number(message['createdAt']))
      .map(({ memberId }, at) => ({
        values: { id: registrar.truth.get(String(memberId)) },
        places: place('order', 0, at),
      }));
    const accountIds = [...registrar.lists.keys()];
    const signedIn = accountIds.map((id, at) => ({
      values: { id },
      places: place('transaction', 0, at),
    }));
    const visited = accountIds.map((id, at) => ({
      values: { classId: registrar.lists.get(id)![0] },
      places: place('transaction', 0, at),
    }));

    expect(attackWith({ ofAccounts })).toContain('ofAccounts, order, in the order of accounts');
    expect(attackWith({ ofWords })).toContain('first words, ofWords, order');
    expect(attackWith({ signedIn, visited })).toContain(
      'signedIn, transaction and visited, transaction at once',
    );
  });
});

function getPlace({ places }: StolenRow): number {
  const { group, at } = (places['place in accounts'] ?? places['place in the table'])!;
  return group * 1e6 + at;
}
