import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import type { ListedClass } from '#contract/class-admin.ts';
import { anyClassFields, realText } from '#tests/support/university/arbitraries.ts';
import { findClassFieldsError } from './class-fields.ts';
import { limits } from './limits.ts';
import { isPlainLine } from './text.ts';
import { toCsvLines, csvOptions, guessColumns, parseLine } from './class-csv.ts';

const courseNames = realText
  .map((text) => text.replace(/\s+/g, ' ').slice(0, limits.classField).toWellFormed().trim())
  .filter(isPlainLine);

test('an import reads the classes of an export as they were', () => {
  fc.assert(
    fc.property(anyClassFields, fc.option(courseNames), (tidy, courseName) => {
      const fields = { ...tidy, courseName: courseName ?? tidy.courseName };
      if (findClassFieldsError(fields)) return;
      const listedClass = {
        ...fields,
        classId: 'aaaaaaaaaaaaaaaa',
        year: 2026,
        memberCount: 1,
        ended: false,
        restorableUntil: null,
        name: null,
      } as unknown as ListedClass;

      const csv = Papa.unparse(toCsvLines([listedClass]), csvOptions);
      const [header = [], cells = []] = Papa.parse<string[]>(csv).data;
      const line = parseLine(2, cells, guessColumns(header), { season: '', year: null });

      expect(line).toEqual({ line: 2, fields: { ...fields, year: 2026 }, problem: null });
    }),
    { numRuns: 300 },
  );
});

test('no cell of an export begins like a formula', () => {
  fc.assert(
    fc.property(
      anyClassFields,
      courseNames,
      fc.constantFrom('', '=', '@', '+', '-', '\t='),
      (fields, text, sign) => {
        const listedClass = {
          ...fields,
          courseName: sign + text,
          year: 2026,
        } as unknown as ListedClass;
        const csv = Papa.unparse(toCsvLines([listedClass]), csvOptions);

        expect(
          Papa.parse<string[]>(csv)
            .data.flat()
            .filter((cell) => /^[=+\-@\t\r]/.test(cell)),
        ).toEqual([]);
      },
    ),
  );
});
