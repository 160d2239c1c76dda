// Queries that people and attackers send to the database and to the search.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { createOperator } from '#tests/support/merging.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';
import { realText } from '#tests/support/university/arbitraries.ts';

const app = setUpApp();
/** The number of course names: each class has another one. */
const classCount = 12;
const classIds: string[] = [];
let operator: TestClient;
beforeAll(async () => {
  operator = await createOperator(app);
  for (let n = 0; n < classCount; n++) {
    classIds.push(await operator.createClass(university.createClassFields(n)));
  }
});

const line = realText.map((text) => text.replace(/\s+/g, ' ').slice(0, 200).toWellFormed());

test('an operator finds each class by its name, and signs of SQL are ordinary characters [ADMIN-21]', async () => {
  for (const [n, classId] of classIds.entries()) {
    const { courseName: query } = university.createClassFields(n);
    const { classes } = await operator.call('listAllClasses', { query: { query } });
    expect(classes.map((classItem) => classItem.classId)).toEqual([classId]);
  }

  for (const query of ['%%', '__', '!!', "';--", '\\']) {
    const { classes } = await operator.call('listAllClasses', { query: { query } });
    const fitting = classes.filter((entry) =>
      Object.values(entry)
        .flat()
        .some((value) => String(value).includes(query)),
    );
    expect(classes).toEqual(fitting);
  }
});

async function findAsOperator(query: string): Promise<string[]> {
  const { classes } = await operator.call('listAllClasses', { query: { query } });
  return classes.map(({ classId }) => classId);
}

test('no text breaks a search of classes or of messages', async () => {
  const [classId = ''] = classIds;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const query = text.slice(0, limits.messageQuery).toWellFormed();
      await findClasses(operator, query);
      await findAsOperator(query.slice(0, 100).toWellFormed());
      await operator
        .call('searchMessages', { params: { classId }, query: { query } })
        // The search rejects a text without a word.
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'INVALID' }));
    }),
  );
});

test('a student finds each class by its name [SEARCH-1]', async () => {
  for (const [n, classId] of classIds.entries()) {
    const { hits } = await findClasses(operator, university.createClassFields(n).courseName);
    expect(hits[0]?.objectID, university.createClassFields(n).courseName).toBe(classId);
  }
});
