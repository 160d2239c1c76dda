import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import type { ListedClass } from '#contract/admin.ts';
import { anyClassFields } from '#tests/support/university/arbitraries.ts';
import { csvLinesOf, guessColumns, readLine } from './class-csv.ts';

test('an import reads the classes of an export as they were', () => {
  fc.assert(
    fc.property(anyClassFields, (fields) => {
      const { semesterSeason } = fields;
      if (semesterSeason === '') return;
      const listed = {
        ...fields,
        ...{ classId: 'aaaaaaaaaaaaaaaa', year: 2026, memberCount: 1, ended: false },
        ...{ restorableUntil: null, name: null },
      } as unknown as ListedClass;

      const csv = Papa.unparse(csvLinesOf([listed]), { escapeFormulae: true });
      const [header = [], cells = []] = Papa.parse<string[]>(csv).data;
      const line = readLine(2, cells, guessColumns(header), { season: '', year: null });

      expect(line).toEqual({ line: 2, fields: { ...fields, year: 2026 }, problem: null });
    }),
    { numRuns: 300 },
  );
});

test('no cell of an export begins like a formula', () => {
  fc.assert(
    fc.property(anyClassFields, (fields) => {
      const csv = Papa.unparse([[fields.courseName, fields.courseNumber]], {
        escapeFormulae: true,
      });

      expect(
        Papa.parse<string[]>(csv).data[0]?.filter((cell) => /^[=+\-@\t\r]/.test(cell)),
      ).toEqual([]);
    }),
  );
});
