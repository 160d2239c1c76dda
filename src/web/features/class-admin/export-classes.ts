import type { ListedClass } from '#contract/class-admin.ts';
import { toCsvLines, csvOptions } from '#contract/class-csv.ts';
import { limits } from '#contract/limits.ts';
import { call } from '#web/api.ts';
import type { ClassQuery } from '#web/data/admin.ts';

/** Saves the classes of all pages that fit the filters as a CSV file. */
export async function exportClasses(query: ClassQuery): Promise<void> {
  const { default: Papa } = await import('papaparse');
  const classes: ListedClass[] = [];
  for (let page = 0; ; page++) {
    const reply = await call('listAllClasses', { query: { ...query, page } });
    classes.push(...reply.classes);
    if (reply.classes.length < limits.listedClasses) break;
  }
  const csv = Papa.unparse(toCsvLines(classes), csvOptions);
  // Without the mark, Excel reads the file in the encoding of the system and garbles letters with accents.
  const url = URL.createObjectURL(new Blob(['\ufeff', csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'classes.csv';
  link.click();
  URL.revokeObjectURL(url);
}
