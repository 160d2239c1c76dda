import { expect, test } from 'vitest';
import { someClass } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

test('no cache stores a response of the API, whatever its status [HTTP-10]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();

  const paths = [
    '/api/me',
    '/api/classes',
    `/api/classes/${classId}`,
    `/api/classes/${classId}/messages`,
    '/api/school-themes/default',
    '/api/classes/AAAAAAAAAAAAAAAA',
    '/api/nope',
  ];
  for (const visitor of [ada, app.visitor()]) {
    for (const path of paths) {
      const response = await visitor.fetch(path);
      expect(response.headers.get('cache-control'), path).toBe('no-store');
    }
  }

  const body = JSON.stringify({ requests: [{ indexName: 'classSearch', query: 'cs' }] });
  const searchResponse = await ada.fetch('/1/indexes/*/queries', { method: 'POST', body });
  expect(searchResponse.headers.get('cache-control')).toBe('no-store');
});

test('a body of 64 KiB is accepted, and one byte more is rejected [HTTP-8]', async () => {
  const ada = await app.createStudent();
  const send = async (bytes: number) => {
    const start = JSON.stringify({ ...someClass, courseName: '' }).slice(0, -1);
    const body = `${start}${' '.repeat(bytes - start.length - 1)}}`;
    expect(Buffer.byteLength(body)).toBe(bytes);
    return (await ada.fetch('/api/classes', { method: 'POST', body })).status;
  };

  expect(await send(65_536)).toBe(400);
  expect(await send(65_537)).toBe(413);
});
