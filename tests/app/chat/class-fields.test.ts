import { beforeAll, describe, expect, test } from 'vitest';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import type { ClassFields } from '#contract/class-fields.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();
let ada: TestClient;
beforeAll(async () => {
  ada = await app.createStudent();
});

async function create(fields: Record<string, unknown>): Promise<number> {
  const body = JSON.stringify({ ...someClass, ...fields });
  return (await ada.fetch('/api/classes', { method: 'POST', body })).status;
}

describe('a class', () => {
  test.each(['Spring', 'Summer', 'Fall', 'Winter'] as const)(
    'a class can be in %s and in no other season [CREATE-7]',
    async (semesterSeason) => {
      expect(await create({ semesterSeason })).toBe(200);
      expect(await create({ semesterSeason: semesterSeason.toLowerCase() })).toBe(400);
      expect(await create({ semesterSeason: 'Autumn' })).toBe(400);
    },
  );

  test('a class can meet on each day of the week once [CREATE-8]', async () => {
    const week = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
    expect(await create({ classSchedule: week })).toBe(200);
    expect(await create({ classSchedule: ['Monday', 'Monday'] })).toBe(400);
    expect(await create({ classSchedule: ['Mon'] })).toBe(400);
  });

  test.each(['9:00', '09:60', '24:00', '09:00:00', '9 AM', '0900', '09.00'])(
    'a class cannot start at %s, because times are HH:MM [CREATE-7]',
    async (beginClassTime) => {
      expect(await create({ beginClassTime, endClassTime: '23:59' })).toBe(400);
      expect(await create({ beginClassTime: '00:00', endClassTime: '23:59' })).toBe(200);
    },
  );

  test.each([
    ['courseName', 120],
    ['subjectAbbreviation', 16],
    ['courseNumber', 16],
    ['sectionNumber', 16],
  ] satisfies [keyof ClassFields, number][])(
    '%s has at most %i characters and one line [CREATE-14]',
    async (field, maxLength) => {
      expect(await create({ [field]: 'x'.repeat(maxLength) })).toBe(200);
      expect(await create({ [field]: 'x'.repeat(maxLength + 1) })).toBe(400);
      expect(await create({ [field]: 'a\nb' })).toBe(400);
    },
  );
});
