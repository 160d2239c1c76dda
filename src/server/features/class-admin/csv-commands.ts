// The commands of `npm run admin` that import and export classes as CSV.
import Papa from 'papaparse';
import { z } from 'zod';
import type { ImportedLine } from '#contract/class-admin.ts';
import {
  csvColumns,
  csvOptions,
  guessColumns,
  listMissingColumns,
  parseRows,
  toCsvLines,
  toCsvTable,
  type ReadFile,
  type ReadLine,
} from '#contract/class-csv.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { oneRosterFiles, toRegistrarRows } from '#contract/one-roster.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import {
  createConfirmation,
  defineDatabaseCommand,
  incompleteStatus,
  someText,
} from '#server/commands/admin-command.ts';
import { isFolder, loadCsv, loadFolder } from '#server/commands/load-csv.ts';
import { importClasses, planClasses } from './class-administration.ts';
import { filterOptions, listMatchingClasses } from './commands.ts';

const columnNames = csvColumns.map(({ title }) => title).join(', ');

const importOptions = {
  column: z
    .array(z.string())
    .default([])
    .describe(
      `Name=Header, the column of a field, if its header is not recognized; repeat it for others. The name is one of ${columnNames}`,
    ),
  season: filterOptions.season.describe(
    'the season of all lines, for a file without a column for it',
  ),
  year: filterOptions.year.describe('the year of all lines, for a file without a column for it'),
};
type ImportOptions = z.output<z.ZodObject<typeof importOptions>>;

export const csvCommands = [
  defineDatabaseCommand({
    name: 'export-classes',
    description: 'prints all classes as CSV',
    options: filterOptions,
    async run({ db }, filter) {
      const classes = await listMatchingClasses(db, filter);
      const csv = Papa.unparse(toCsvLines(classes), csvOptions);
      return { message: csv, total: classes.length, csv };
    },
  }),
  defineDatabaseCommand({
    name: 'import-classes',
    description:
      "creates and changes classes from a registrar's CSV file with a header line, or from a folder with a OneRoster 1.1 export",
    takes: {
      file: someText.describe(`the CSV file, or the folder with ${oneRosterFiles.join(', ')}`),
    },
    options: { ...importOptions, yes: createConfirmation('import', 'says what would change') },
    async run({ db, printProgress, write }, { file, yes: isApplied, ...options }) {
      const { lines: readLines, furtherMeetingCount } = await loadRows(file, options);
      const lines: ReportedLine[] = readLines.flatMap(({ line, problem }) =>
        problem === null ? [] : [{ line, problem, label: '' }],
      );
      const goodLines = readLines.filter((readLine) => readLine.problem === null);
      for (let start = 0; start < goodLines.length; start += limits.importBatch) {
        const batch = goodLines.slice(start, start + limits.importBatch);
        const results = isApplied
          ? await write((unitOfWork) => importClasses(unitOfWork, batch, administratorName))
          : await planClasses(db, batch);
        for (const { line, fields, problem, outcome, changes } of results) {
          const label = toClassLabel({ ...fields, name: null });
          lines.push({ line, problem, label, outcome, changes });
        }
        if (isApplied) printProgress(`${start + batch.length} of ${goodLines.length}`);
      }
      const count = (outcome: ImportedLine['outcome']) =>
        lines.filter((reported) => reported.outcome === outcome).length;
      const totals = {
        new: count('new'),
        changed: count('changed'),
        same: count('same'),
        ambiguous: count('ambiguous'),
        wrong: readLines.length - goodLines.length,
        furtherMeetings: furtherMeetingCount,
      };
      return {
        message: formatImport(lines, totals, isApplied),
        ...(totals.wrong + totals.ambiguous > 0 && { status: incompleteStatus }),
        isApplied,
        ...totals,
        lines,
      };
    },
  }),
];

type ReportedLine = Pick<ReadLine, 'line' | 'problem'> &
  Partial<Pick<ImportedLine, 'outcome' | 'changes'>> & { label: string };

/** Wrong lines come first: the others can be thousands. */
function formatImport(
  lines: readonly ReportedLine[],
  totals: Record<ImportedLine['outcome'] | 'wrong' | 'furtherMeetings', number>,
  isApplied: boolean,
): string {
  const isLeftOut = ({ problem, outcome }: ReportedLine) =>
    problem !== null || outcome === 'ambiguous';
  const lineTexts = lines
    .filter(({ outcome }) => outcome !== 'same')
    .toSorted((a, b) => Number(isLeftOut(b)) - Number(isLeftOut(a)) || a.line - b.line)
    .map(({ line, problem, label, outcome, changes = [] }) => {
      const changeTexts = changes.map(
        ({ field, before, after }) => `${field}: ${before} → ${after}`,
      );
      return `Line ${line}: ${problem ?? [label, outcome, ...changeTexts].join(', ')}`;
    });
  const meetingsText =
    totals.furtherMeetings > 0
      ? ` Further meetings of a class, which shows the first one of the week: ${totals.furtherMeetings}.`
      : '';
  const summary = `${totals.new} new, ${totals.changed} changed, ${totals.same} the same, ${totals.ambiguous} that fit several classes, ${totals.wrong} wrong.${meetingsText}`;
  const statusText = isApplied ? 'Imported.' : 'Nothing is imported yet: add --yes.';
  const wrongText = isApplied
    ? ' Wrong lines were left out: correct them and import the file again.'
    : ' Wrong lines are left out.';
  const closingText = totals.wrong > 0 ? statusText + wrongText : statusText;
  return [...lineTexts, summary, closingText].join('\n');
}

async function loadRows(path: string, options: ImportOptions): Promise<ReadFile> {
  const table = toCsvTable(
    (await isFolder(path))
      ? toRegistrarRows(await loadFolder(path, oneRosterFiles))
      : await loadCsv(path),
  );
  const { headers } = table;
  const columns = guessColumns(headers);
  for (const columnOption of options.column) {
    const [title = '', header = ''] = columnOption.split('=', 2);
    const column = csvColumns.find(
      (csvColumn) => csvColumn.title.toLowerCase() === title.toLowerCase(),
    );
    const columnIndex = headers.findIndex((fileHeader) => fileHeader.trim() === header.trim());
    if (!column || columnIndex < 0) {
      throw new Error(
        `--column ${columnOption}: write 'Name=Header', with a name of ${columnNames} and a header of the file.`,
      );
    }
    columns[column.field] = columnIndex;
  }
  const defaults = { season: options.season ?? '', year: options.year ?? null } as const;
  const missing = listMissingColumns(columns, defaults);
  if (missing.length > 0) {
    throw new Error(
      `The file has no column for ${missing.join(', ')}. Its headers are: ${headers.map((fileHeader) => fileHeader.trim()).join(', ')}. Choose one for each: --column '${missing[0]}=HEADER'. A term that is not in the file: --season and --year.`,
    );
  }
  return parseRows(table, columns, defaults);
}
