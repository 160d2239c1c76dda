// The list of all classes, which operators filter, sort and page through. Each engine compares texts in its own way.
import { expect, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import { createOperator } from '#tests/support/merging.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
const run = (...args: string[]) => runAdminCommand(app.database.settings, ...args);

type Query = CallInput<'listAllClasses'>['query'];
const list = async (operator: TestClient, query: Query) =>
  (await operator.call('listAllClasses', { query })).classes;

test('the list finds classes by words, term and status, in the chosen order [ADMIN-21]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const create = (courseNumber: string, courseName: string) =>
    ada.createClass({ subjectAbbreviation: 'Zoo', courseNumber, courseName });
  const frogs = await create('10', '100% Frogs_and toads');
  const birds = await create('9', 'Birds of Österreich');
  const cats = await create('11', 'Cats');
  await app.createStudent().then((ben) => ben.join(birds));

  const zoo = { query: 'zOO' };
  const listIds = async (query: Query) =>
    (await list(operator, { ...zoo, ...query })).map(({ classId }) => classId);
  expect(await listIds({})).toEqual([birds, frogs, cats]);
  expect(await listIds({ sort: 'name' })).toEqual([frogs, birds, cats]);
  expect((await listIds({ sort: 'members', order: 'descending' }))[0]).toBe(birds);
  for (const [query, expectedIds] of [
    ['zoo cat', [cats]],
    ['0%', [frogs]],
    ['_and', [frogs]],
    ['Österreich', [birds]],
    ['österreich', [birds]],
    ['ÖSTERREICH', [birds]],
    ['zoo 1', [frogs, cats]],
    [cats, [cats]],
    ["zoo ' or 1=1", []],
  ] as const) {
    expect((await list(operator, { query })).map(({ classId }) => classId)).toEqual(expectedIds);
  }
  expect(await listIds({ season: 'Spring' })).toEqual([]);
  expect(await listIds({ page: 1 })).toEqual([]);

  await operator.call('endClass', { params: { classId: cats } });
  await operator.call('deleteClass', { params: { classId: birds } });
  expect(await listIds({ status: 'active' })).toEqual([frogs]);
  expect(await listIds({ status: 'ended' })).toEqual([cats]);
  expect(await listIds({ status: 'deleted' })).toEqual([birds]);
  for (const query of [{ year: '12' }, { sort: 'salt' }, { page: '-1' }, { salt: '1' }]) {
    await expect(list(operator, query as never)).rejects.toMatchObject({ code: 'INVALID' });
  }

  // The day of creation is the day on which the creator joined.
  const [frogsClass] = await list(operator, { query: frogs });
  expect(Object.keys(frogsClass!)).not.toContain('createdDay');
  expect(JSON.parse((await run('list-classes', frogs, '--json')).out)).toMatchObject({
    classes: [frogsClass],
  });
  expect((await run('list-classes', 'zoo', '--status', 'deleted')).out).toContain(birds);
  expect(await run('list-classes', '--year', 'soon')).toMatchObject({ code: 1 });
});

test('the list shows pages of 50 with the total [ADMIN-21]', async () => {
  const operator = await createOperator(app);
  const ada = await app.createStudent();
  const classId = await ada.createClass({ subjectAbbreviation: 'Page' });
  await app.database.query(
    `insert into classes select ${(await listColumns())
      .map((name) => (name === 'classId' ? `'page' || n` : `"${name}"`))
      .join()} from classes, (${Array.from({ length: 60 }, (_, n) => `select ${n + 100000000000} as n`).join(' union ')}) as numbers
     where "classId" = '${classId}'`,
  );
  const first = await operator.call('listAllClasses', { query: { query: 'page' } });

  const second = await operator.call('listAllClasses', { query: { query: 'page', page: 1 } });
  expect([first.total, first.classes.length, second.classes.length]).toEqual([61, 50, 11]);

  const ids = [...first.classes, ...second.classes].map((item) => item.classId);
  expect(new Set(ids).size).toBe(61);

  const { out } = await run('list-classes', 'page', '--json');
  expect(JSON.parse(out)).toMatchObject({ total: 61 });
});

async function listColumns(): Promise<string[]> {
  return Object.keys((await app.database.tables())['classes']![0]!);
}
