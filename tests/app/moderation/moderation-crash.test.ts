// The server is killed around the commit that applies a decision, whose effects must stay together.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { addStoredRole } from '#tests/support/roles.ts';

let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = { ...database.settings, PORT: String(await findFreePort()) };
});
afterAll(() => database.drop());

const preload = fileURLToPath(new URL('../../faults/preload/end-at-stage.ts', import.meta.url));

async function getState(classId: string) {
  const queryValue = async (sql: string) =>
    Object.values((await database.query(sql))[0] ?? {}).map((value) => String(value))[0];
  const whereClass = `where "classId" = '${classId}'`;
  return {
    status: await queryValue(`select status from cases ${whereClass}`),
    text: await queryValue(`select text from messages ${whereClass}`),
    moderation: await queryValue(`select moderation from messages ${whereClass}`),
    entries: await queryValue(`select count(*) from log ${whereClass} and kind = 'moderated'`),
    sanctions: await queryValue(`select count(*) from sanctions ${whereClass}`),
    audit: await queryValue(`select count(*) from "auditLog" ${whereClass}`),
  };
}

const nothingApplied = {
  status: 'pending',
  text: 'bad words',
  moderation: 'null',
  entries: '0',
  sanctions: '0',
  audit: '0',
};
const allEffects = {
  status: 'decided',
  text: '',
  moderation: 'removed',
  entries: '1',
  sanctions: '1',
  audit: '2',
};

/** Creates a reported message and an operator on the running server. */
async function setScene(name: string) {
  const createClient = (clientName: string) =>
    createTestClient(
      `http://127.0.0.1:${settings['PORT']}`,
      `${clientName}.${name}@university.edu`,
    );
  const ada = createClient('ada');
  const ben = createClient('ben');
  const sam = createClient('sam');
  for (const student of [ada, ben, sam]) await student.signUp();
  const classId = await ada.createClass();
  await ben.join(classId);
  const { id } = await ada.post(classId, 'bad words');
  const spam = { messageId: id, reason: 'spam' } as const;
  await ben.call('reportMember', { params: { classId }, body: spam });
  await addStoredRole(database, {
    email: sam.email,
    classId: null,
    role: 'operator',
    staffName: 'Sam',
  });
  const { cases } = await sam.call('listCases', { query: { classId } });
  return { ada, sam, classId, found: cases[0]! };
}

async function runServer<Result>(act: () => Promise<Result>): Promise<Result> {
  const server = startProcess('node', settings);
  await server.started();
  const result = await act();
  expect(await server.stop()).toBe(0);
  return result;
}

/** Moves the end of the time to undo the decisions in this class. */
async function setDue(
  table: 'cases' | 'reviews',
  classId: string,
  time: 'now' | 'tomorrow',
): Promise<void> {
  const effectiveAt = Date.now() + (time === 'now' ? -1 : 86_400_000);
  await database.query(
    `update ${table} set "effectiveAt" = ${effectiveAt} where "classId" = '${classId}'`,
  );
}

/** Starts the server, which is killed at this stage of its first commit. */
async function crashAt(stage: string): Promise<void> {
  const options = { NODE_OPTIONS: `--import ${preload}`, FAULT_STAGE: stage, FAULT_COUNT: '1' };
  expect(await startProcess('node', { ...settings, ...options }).ended).toBe('SIGKILL');
}

const stages = ['written', 'committed', 'published', 'acknowledged'];

test('a decision survives a crash whole or not at all [MOD-15]', async () => {
  const classIds = await runServer(async () => {
    const ids: string[] = [];
    for (const stage of stages) {
      const { sam, classId, found } = await setScene(stage);
      const { caseId, version } = found;
      const sanction = { kind: 'mute', hours: 1 } as const;
      const body = { version, decision: 'remove', reason: 'Insult', sanction } as const;
      await sam.call('decideCase', { params: { caseId }, body });
      await setDue('cases', classId, 'tomorrow');
      ids.push(classId);
    }
    return ids;
  });

  for (const [n, stage] of stages.entries()) {
    const classId = classIds[n]!;
    expect(await getState(classId)).toEqual(nothingApplied);
    await setDue('cases', classId, 'now');
    await crashAt(stage);
    expect([stage, await getState(classId)]).toEqual([
      stage,
      stage === 'written' ? nothingApplied : allEffects,
    ]);

    await runServer(async () => {
      await expect.poll(() => getState(classId)).toEqual(allEffects);
    });
  }
});
