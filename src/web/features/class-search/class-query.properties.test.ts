import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { parseParams, toParams } from './class-query.ts';

test('a link to a search finds the same as the search', () => {
  fc.assert(
    fc.property(anyText, anyText, (text, subject) => {
      const query = text.slice(0, limits.searchQuery).toWellFormed();
      const classQuery = { query, filters: { subjectAbbreviation: [subject.toWellFormed()] } };

      const link = new URL(`http://localhost/search?${toParams(classQuery).toString()}`);

      expect(parseParams(link.searchParams)).toEqual(classQuery);
    }),
  );
});
