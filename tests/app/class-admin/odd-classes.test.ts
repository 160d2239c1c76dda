// Classes from older data. The tests insert them into the database, because no call creates them.
import { beforeAll, expect, test } from 'vitest';
import type { TestClient } from '#tests/support/test-client.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
beforeAll(async () => {
  ada = await app.createStudent();
});

/**
 * Call this only while no server runs, because search tracks only changes by its server and by `npm run
 * admin`.
 */
const change = (classId: string, to: string) =>
  app.restart(() => app.database.query(`update classes set ${to} where "classId" = '${classId}'`));

const search = (query: string) => findClasses(ada, query);

test('the server returns a class with unusual fields unchanged [HTTP-15]', async () => {
  const classId = await ada.createClass();

  await change(
    classId,
    `name = 'Old seminar', "courseName" = null, "subjectAbbreviation" = null,
     "courseNumber" = null, "sectionNumber" = null, "semesterSeason" = null,
     "classSchedule" = null, "beginClassTime" = null, "endClassTime" = null`,
  );
  const old = {
    classId,
    name: 'Old seminar',
    courseName: null,
    subjectAbbreviation: null,
    courseNumber: null,
    sectionNumber: null,
    semesterSeason: null,
    classSchedule: null,
    beginClassTime: null,
    endClassTime: null,
    memberCount: 1,
    ended: false,
  };
  expect(await ada.call('listClasses', {})).toEqual({ classes: [old] });

  for (const odd of ['"Mondays"', '{"day":"Monday"}', '7', 'not json']) {
    await change(classId, `"classSchedule" = '${odd}'`);
    const { class: read } = await ada.call('readClass', { params: { classId } });
    expect(read.classSchedule, odd).toBeNull();
  }
  await ada.leave(classId);
  const { class: empty } = await ada.call('readClass', { params: { classId } });
  expect(empty.memberCount).toBe(0);

  const { objectID, memberCount } = (await search('seminar')).hits[0]!;
  expect({ objectID, memberCount }).toEqual({ objectID: classId, memberCount: 0 });
});
