import { beforeAll, expect, test } from 'vitest';
import { startApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
beforeAll(async () => {
  ada = await app.createStudent();
});

const search = (query: string) => findClasses(ada, query);

test('an empty search lists the classes with the most members, ten per page [SEARCH-11]', async () => {
  const emptySite = await startApp();
  const student = await emptySite.createStudent();
  const otherStudents = [await emptySite.createStudent(), await emptySite.createStudent()];
  for (let n = 0; n < 11; n++) {
    const classId = await student.createClass({ courseNumber: `${n}` });
    for (const other of otherStudents.slice(0, n % 3)) await other.join(classId);
  }

  const firstPage = await findClasses(student, '');
  const secondPage = await findClasses(student, '', { page: 1 });
  await emptySite.stop();

  expect(firstPage.hits.map(({ memberCount }) => memberCount)).toEqual([
    3, 3, 3, 2, 2, 2, 2, 1, 1, 1,
  ]);
  expect(secondPage.hits.map(({ memberCount }) => memberCount)).toEqual([1]);
  expect(secondPage.hits).not.toContainEqual(firstPage.hits[9]);
});

test('the class search uses a changed member count immediately [SEARCH-18]', async () => {
  const classId = await ada.createClass({ courseName: 'Zymurgy' });
  await (await app.createStudent()).join(classId);

  expect((await search('zymurgy')).hits).toMatchObject([{ objectID: classId, memberCount: 2 }]);
});

test('a query has at most 512 characters [SEARCH-11]', async () => {
  await search('x'.repeat(512));

  await expect(search('x'.repeat(513))).rejects.toMatchObject({ code: 'INVALID' });
});
