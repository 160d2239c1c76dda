// The search in a class's messages, through the HTTP call.
import { beforeEach, describe, expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let ada: TestClient;
let socket: TestSocket;
beforeEach(async () => {
  ada = await app.createStudent();
  socket = await ada.connect();
});

const search = (student: TestClient, classId: string, query: string, page = {}) =>
  student.call('searchMessages', { params: { classId }, query: { query, ...page } });

describe('a search', () => {
  test('a search returns the messages of one class, newest first [FIND-1, FIND-7]', async () => {
    const classId = await ada.createClass();
    const otherClassId = await ada.createClass();
    const ben = await app.createStudent();
    await ben.join(classId);
    await socket.post(classId, 'The exam is on Friday');
    await socket.post(otherClassId, 'an exam of another class');
    await ben.post(classId, 'What about the EXAMINATION?');
    await socket.post(classId, 'no idea');
    const { hits, personas, nextBefore } = await search(ada, classId, 'exam');

    expect(hits.map(({ message, marks }) => [message.text, marks])).toEqual([
      ['What about the EXAMINATION?', [[15, 19]]],
      ['The exam is on Friday', [[4, 8]]],
    ]);
    expect(personas.map(({ memberId }) => memberId).toSorted()).toEqual(
      hits.map(({ message }) => message.memberId).toSorted(),
    );
    expect(nextBefore).toBeNull();
  });

  test('a text that matches everywhere has its first hundred marks only [FIND-7]', async () => {
    const classId = await ada.createClass();
    await socket.post(classId, 'z '.repeat(1000));
    const { hits } = await search(ada, classId, 'z');

    expect(hits.map(({ marks }) => [marks.length, marks.at(-1)])).toEqual([[100, [198, 199]]]);
  });

  test('a search has pages [FIND-6]', async () => {
    const classId = await ada.createClass();
    for (let n = 1; n <= 5; n++) await socket.post(classId, `word ${n}`);
    const pages: string[][] = [];

    for (let nextBefore: number | null | undefined; nextBefore !== null;) {
      const page = await search(ada, classId, 'word', { limit: 2, before: nextBefore });
      pages.push(page.hits.map(({ message }) => message.text));
      nextBefore = page.nextBefore;
    }

    expect(pages).toEqual([['word 5', 'word 4'], ['word 3', 'word 2'], ['word 1']]);
  });

  test.each(['', '   ', '?!', '😀'])(
    'a search for %j, which has no word, is rejected [FIND-2]',
    async (query) => {
      const classId = await ada.createClass();
      const response = await ada.fetch(
        `/api/classes/${classId}/messages/search?query=${encodeURIComponent(query)}`,
      );

      expect([response.status, await response.json()]).toEqual([
        400,
        {
          code: 'INVALID',
          reason: 'QUERY_EMPTY',
          message: expect.stringMatching(/^Please enter a word or a number to search for\./),
        },
      ]);
    },
  );

  test('a search of more than 200 characters is rejected [FIND-2]', async () => {
    const classId = await ada.createClass();
    expect(await search(ada, classId, 'x'.repeat(200))).toMatchObject({ hits: [] });
    await expect(search(ada, classId, 'x'.repeat(201))).rejects.toThrow('at most 200 characters');
  });
});
