// An attacker with a copy of everything except the server's key tries to pair accounts with personas.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningApp } from '#tests/support/running-app.ts';
import { shuffle, type PopulatedClass } from './school.ts';
import { onPostgres } from './settled.ts';

/** The candidate pairs of one method, in stored order. */
type Guess = readonly (readonly [string, string])[];

interface Copy {
  app: RunningApp;
  classId: string;
  /** All enrolled accounts and all personas, in no order. */
  accountIds: readonly string[];
  memberIds: readonly string[];
}

type Row = Record<string, unknown>;

/** The number of correct pairs of each method, by its name. */
export async function attack(
  app: RunningApp,
  populatedClass: PopulatedClass,
): Promise<Map<string, number>> {
  const accountIds = shuffle(populatedClass.truth.keys());
  const memberIds = shuffle(populatedClass.truth.values());
  const newGuesses = await makeGuesses({
    app,
    classId: populatedClass.classId,
    accountIds,
    memberIds,
  });
  return new Map(
    [...newGuesses].map(([way, guess]) => [way, countHits(guess, populatedClass.truth)]),
  );
}

/** Each method by its name. Sorted lists are paired by position. */
async function makeGuesses(copy: Copy): Promise<Map<string, Guess>> {
  const { app, classId, accountIds, memberIds } = copy;
  const { query } = app.database;
  const guesses = new Map<string, Guess>();
  const addGuesses = (name: string, accounts: readonly string[], members: readonly string[]) => {
    const ofClass = accounts.filter((id) => accountIds.includes(id));
    const appeared = members.filter((id) => memberIds.includes(id));
    guesses.set(
      name,
      ofClass.map((id, n) => [id, appeared[n] ?? ''] as const),
    );
    guesses.set(
      `${name}, backwards`,
      ofClass.map((id, n) => [id, appeared.at(-1 - n) ?? ''] as const),
    );
  };
  const queryColumn = async (sql: string) =>
    (await query(sql)).map((row) => String(Object.values(row)[0]));

  const enrolled = await findEnrollments(copy);
  const personasOfClass = `from personas where "classId" = '${classId}'`;
  const byTable = await queryColumn(`select "${enrolled.id}" ${enrolled.source}`);
  addGuesses(
    'order of the rows',
    byTable,
    await queryColumn(`select "memberId" ${personasOfClass}`),
  );
  addGuesses('order of the keys', byTable.toSorted(), [...memberIds].toSorted());
  addGuesses(
    'order of accounts and first words',
    await queryColumn('select id from accounts'),
    await queryColumn(
      `select distinct "memberId", min(seq) as seq from messages where "classId" = '${classId}' group by "memberId" order by 2`,
    ),
  );
  addGuesses(
    'order of sessions',
    await queryColumn('select "userId" from sessions'),
    await queryColumn(`select "memberId" ${personasOfClass}`),
  );
  addGuesses(
    'order of mentions',
    byTable,
    await queryColumn(`select distinct "memberId" from mentions where "classId" = '${classId}'`),
  );
  guesses.set('values that two rows share', await findSharedValues(copy));
  if (onPostgres) {
    const listByPlace = (source: string, id: string) =>
      queryColumn(`select "${id}" ${source} order by ctid`);
    addGuesses(
      'place on the pages',
      await listByPlace(enrolled.source, enrolled.id),
      await listByPlace(personasOfClass, 'memberId'),
    );
    guesses.set('transactions', await findSameTransaction(query, enrolled, classId));
  } else {
    for (const [file, content] of loadDatabaseFiles(app)) {
      const { accounts, members } = findPlaces(content, copy, enrolled);
      addGuesses(`place in ${file}`, accounts, members);
    }
    guesses.set('commits of the write-ahead log', findSameCommit(copy, enrolled));
  }
  return guesses;
}

export function countHits(guess: Guess, truth: ReadonlyMap<string, string>): number {
  return guess.filter(([account, member]) => truth.get(account) === member).length;
}

/** Pairs any account row with any persona row that shares a long enough value. */
async function findSharedValues({ app, accountIds, memberIds, classId }: Copy): Promise<Guess> {
  const rows = Object.values(await app.database.tables()).flat();
  const listValues = (id: string) => {
    const ownRows = rows.filter((row) => Object.values(row).includes(id));
    return new Set(
      ownRows.flatMap(listDistinctiveValues).filter((value) => value !== id && value !== classId),
    );
  };
  const ofMembers = memberIds.map((id) => [id, listValues(id)] as const);
  return accountIds.flatMap((account) => {
    const values = listValues(account);
    return ofMembers
      .filter(([, otherValues]) => !values.isDisjointFrom(otherValues))
      .map(([member]) => [account, member] as const);
  });
}

/** Excludes columns with few distinct values, which match by chance. */
function listDistinctiveValues(row: Row): string[] {
  return Object.values(row)
    .map(String)
    .filter((value) => value.length >= 10);
}

/** The rows of accounts, or of their enrollments if a test has planted some. */
async function findEnrollments({ app, classId }: Copy) {
  const isPlanted = 'enrollments' in (await app.database.tables());
  return isPlanted
    ? {
        id: 'accountId',
        source: `from enrollments where "classId" = '${classId}'`,
        suffix: classId,
      }
    : { id: 'id', source: 'from accounts where true', suffix: '' };
}

type Enrollments = Awaited<ReturnType<typeof findEnrollments>>;

/** PostgreSQL marks each row with the transaction that wrote it. */
async function findSameTransaction(
  query: RunningApp['database']['query'],
  { id, source }: Enrollments,
  classId: string,
): Promise<Guess> {
  const rows = await query(
    `select e."accountId", p."memberId" from (select "${id}" as "accountId", xmin as writer ${source}) as e
     join personas p on p.xmin = e.writer where p."classId" = '${classId}'`,
  );
  return rows.map(({ accountId, memberId }) => [String(accountId), String(memberId)]);
}

function loadDatabaseFiles(app: RunningApp): Map<string, string> {
  const dir = app.database.settings.DATA_DIR;
  const files = readdirSync(dir).filter((file) => /^backchannel\.sqlite(-wal)?$/.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(dir, file), 'latin1')]));
}

/** The ids whose rows exist, in the order of their positions: a page keeps insertion order. */
function findPlaces(
  content: string,
  { classId, accountIds, memberIds }: Copy,
  { suffix }: Enrollments,
) {
  const sortByPlace = (ids: readonly string[], toRow: (id: string) => string) =>
    ids
      .map((id) => ({ id, at: content.indexOf(toRow(id)) }))
      .filter(({ at }) => at >= 0)
      .toSorted((place, otherPlace) => place.at - otherPlace.at)
      .map(({ id }) => id);
  return {
    accounts: sortByPlace(accountIds, (id) => `${id}${suffix}`),
    members: sortByPlace(memberIds, (id) => `${classId}${id}`),
  };
}

/** The new rows of each commit: https://www.sqlite.org/fileformat2.html#walformat */
function findSameCommit(
  { app, classId, accountIds, memberIds }: Copy,
  { suffix }: Enrollments,
): Guess {
  const wal = Buffer.from(loadDatabaseFiles(app).get('backchannel.sqlite-wal') ?? '', 'latin1');
  if (wal.length === 0) return [];
  const frameLength = 24 + wal.readUInt32BE(8);
  const seenIds = new Set<string>();
  const isNew = (pages: string, id: string, row: string) => {
    if (seenIds.has(id) || !pages.includes(row)) return false;
    seenIds.add(id);
    return true;
  };
  const pairs: [string, string][] = [];
  let pages = '';
  for (let offset = 32; offset + frameLength <= wal.length; offset += frameLength) {
    pages += wal.toString('latin1', offset + 24, offset + frameLength);
    // The last frame of a commit contains the database's size.
    if (wal.readUInt32BE(offset + 4) === 0) continue;
    const commit = pages;
    pages = '';
    const accounts = accountIds.filter((id) => isNew(commit, id, `${id}${suffix}`));
    const members = memberIds.filter((id) => isNew(commit, id, `${classId}${id}`));
    accounts.forEach((id, n) => pairs.push([id, members[n] ?? '']));
  }
  return pairs;
}
