// Registers, and two servers that change the same one.
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deriveServerKeys } from '#server/base/server-keys.ts';
import { Registers, type Entries } from '#server/store/registers.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type * as written from '#server/store/written.ts';
import { addClass, enroll, openStorage, testKeys, type OpenedStorage } from './opened-storage.ts';

const killer = vi.hoisted(() => ({ statementsLeft: Infinity }));
vi.mock('#server/store/written.ts', async (importOriginal) => {
  const original = await importOriginal<typeof written>();
  return {
    ...original,
    noteStatement(text: string) {
      killer.statementsLeft -= 1;
      // The engine itself rolls back what a killed process has begun.
      if (killer.statementsLeft <= 0 && !/^rollback/i.test(text)) throw new Error('killed');
      original.noteStatement(text);
    },
  };
});

let storage: OpenedStorage;
let registers: Registers;
beforeEach(async () => {
  storage = await openStorage();
  registers = new Registers(testKeys.registers);
});
afterEach(() => storage.close());

const transact = <Result>(run: (tx: DatabaseTransaction) => Promise<Result>, on = storage) =>
  on.db.transaction().execute(run);

const join = (tx: DatabaseTransaction, accountId: string, from = registers, classId = 'c') =>
  from.change(tx, 'members', classId, (members) => {
    members.set(accountId, { joinedDay: 20_000 });
    return true;
  });

/** Reads without the cache. */
const readStored = (classId = 'c') =>
  new Registers(testKeys.registers).read(storage.db, 'members', classId);

async function findRow() {
  return storage.db.selectFrom('registers').selectAll().executeTakeFirstOrThrow();
}

const listIds = (entries: Entries<'members'>) => [...entries.keys()].toSorted();

test('A register returns what was stored, and a class without one has no entries [ANON-63]', async () => {
  expect(await registers.read(storage.db, 'members', 'c')).toEqual(new Map());

  await transact((tx) => join(tx, 'alice'));

  expect(await readStored()).toEqual(new Map([['alice', { joinedDay: 20_000 }]]));
  expect(await registers.read(storage.db, 'staff', 'c')).toEqual(new Map());
});

test('A change that returns false writes nothing', async () => {
  await transact((tx) => join(tx, 'alice'));
  const { version } = await findRow();

  expect(await transact((tx) => registers.change(tx, 'members', 'c', () => false))).toBe(false);

  expect((await findRow()).version).toBe(version);
});

describe('a register that cannot be opened is an error', () => {
  const tryToOpen = async (from = new Registers(testKeys.registers)) => {
    const { classId, kind } = await findRow();
    const results = await Promise.allSettled([
      from.read(storage.db, kind, classId),
      transact((tx) => from.change(tx, kind, classId, () => true)),
    ]);
    return results.map(({ status }) => status);
  };
  const failures = ['rejected', 'rejected'];
  beforeEach(() => transact((tx) => join(tx, 'alice')));

  test('a register of another key [ANON-63]', async () => {
    const otherRegisters = new Registers(deriveServerKeys('another key').registers);
    expect(await tryToOpen(otherRegisters)).toEqual(failures);
  });

  test.each([{ classId: 'd' }, { kind: 'readMarks' as const }])(
    'a register that was moved to %j [ANON-63]',
    async (place) => {
      await storage.db.updateTable('registers').set(place).execute();
      expect(await tryToOpen()).toEqual(failures);
    },
  );

  test('a register in the memory whose row was moved with its version [ANON-63]', async () => {
    await storage.db.updateTable('registers').set({ classId: 'd' }).execute();
    expect(await tryToOpen(registers)).toEqual(failures);
  });

  test.each([0, 12, 28, -1])('a register whose byte %i was changed [ANON-63]', async (n) => {
    const { content } = await findRow();
    const place = n < 0 ? content.length + n : n;
    content[place]! ^= 1;
    await storage.db.updateTable('registers').set({ content }).execute();
    expect(await tryToOpen()).toEqual(failures);
  });

  test('an empty content [ANON-63]', async () => {
    await storage.db
      .updateTable('registers')
      .set({ content: Buffer.alloc(0) })
      .execute();
    expect(await tryToOpen()).toEqual(failures);
  });
});

test('Two servers that change a register together lose no entry, not even of its first change [ANON-63]', async () => {
  const other = await openStorage(storage.database);
  const otherRegisters = new Registers(testKeys.registers);
  const joinOn = (server: OpenedStorage, from: Registers, accountId: string) =>
    server.commits.write(({ db }) => join(db, accountId, from), { classId: 'c' });
  const ids = Array.from({ length: 20 }, (_, n) => `account${n}`);

  await Promise.all(
    ids.map((id, n) =>
      n % 2 === 0 ? joinOn(storage, registers, id) : joinOn(other, otherRegisters, id),
    ),
  );

  expect(listIds(await readStored())).toEqual(ids.toSorted());
  for (const [server, from] of [
    [storage, registers],
    [other, otherRegisters],
  ] as const) {
    expect(listIds(await from.read(server.db, 'members', 'c'))).toEqual(ids.toSorted());
  }
  await other.close();
});

test('A join that is killed at any statement changes neither the register nor the member count [ANON-63, JOIN-4]', async () => {
  const classId = await addClass(storage);
  const joinAs = (accountId: string) =>
    storage.commits.write((unitOfWork) => enroll(unitOfWork, accountId, classId), {
      classId,
    });
  const findCount = async () => {
    const query = storage.db.selectFrom('classes').select('memberCount');
    return (await query.where('classId', '=', classId).executeTakeFirstOrThrow()).memberCount;
  };
  await joinAs('alice');

  let kills = 0;
  for (; ; kills++) {
    killer.statementsLeft = kills + 1;
    const isKilled = await joinAs('bob').then(
      () => false,
      () => true,
    );
    killer.statementsLeft = Infinity;
    if (!isKilled) break;
    expect(listIds(await readStored(classId))).toEqual(['alice']);
    expect(await findCount()).toBe(1);
  }

  expect(kills).toBeGreaterThan(4);
  expect(listIds(await readStored(classId))).toEqual(['alice', 'bob']);
  expect(await findCount()).toBe(2);
});

test('A server never reads an outdated version from its cache [ANON-63]', async () => {
  const other = new Registers(testKeys.registers);
  await transact((tx) => join(tx, 'alice'));
  expect(listIds(await other.read(storage.db, 'members', 'c'))).toEqual(['alice']);

  await transact((tx) => join(tx, 'bob'));
  expect(listIds(await other.read(storage.db, 'members', 'c'))).toEqual(['alice', 'bob']);

  await storage.db.deleteFrom('registers').execute();
  expect(await other.read(storage.db, 'members', 'c')).toEqual(new Map());
});

test('A change that is rolled back leaves the register and the cache as they were [ANON-63]', async () => {
  await transact((tx) => join(tx, 'alice'));
  const failure = new Error('rolled back');

  await transact(async (tx) => {
    await sql`savepoint change`.execute(tx);
    await join(tx, 'bob');
    await sql`rollback to savepoint change`.execute(tx);
    await join(tx, 'carol');
  });
  await expect(
    transact(async (tx) => {
      await join(tx, 'dave');
      throw failure;
    }),
  ).rejects.toBe(failure);

  expect(listIds(await registers.read(storage.db, 'members', 'c'))).toEqual(['alice', 'carol']);
  expect(listIds(await readStored())).toEqual(['alice', 'carol']);
});

test('The size of a register is a multiple of its step [ANON-63]', async () => {
  const sizes = new Set<number>();
  for (let n = 0; n < 90; n++) {
    await transact((tx) => join(tx, `account${n}`));
    sizes.add((await findRow()).content.length - 28);
  }
  expect([...sizes]).toEqual([1024, 2048, 3072]);
});
