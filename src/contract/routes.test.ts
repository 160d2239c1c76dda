import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { toRouteUrl } from './routes.ts';

test('each text becomes one part of the path and one value of the query', () => {
  fc.assert(
    fc.property(anyText, anyText, (classId, query) => {
      const url = new URL(
        toRouteUrl('searchMessages', { params: { classId }, query: { query } }),
        'http://localhost',
      );

      expect(url.searchParams.get('query')).toBe(query.toWellFormed());
      expect([...url.searchParams.keys()]).toEqual(['query']);
      const isFolder = /^\.{0,2}$/.test(classId);
      const parts = url.pathname.split('/');
      if (!isFolder) expect(decodeURIComponent(parts[3] ?? '')).toBe(classId.toWellFormed());
    }),
  );
});
