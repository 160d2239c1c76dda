// The commands of `npm run admin` that import and export classes as CSV.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import Papa from 'papaparse';
import type { ImportedLine } from '#contract/class-admin.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import {
  csvColumns,
  toCsvLines,
  csvOptions,
  decodeCsv,
  guessColumns,
  listMissingColumns,
  parseLine,
  rejectRepeated,
  type ReadLine,
} from '#contract/class-csv.ts';
import { importClass, planImport } from './class-administration.ts';
import { filterOptions, listMatchingClasses, type ClassFilter } from './commands.ts';
import {
  createConfirmationOption,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
} from '#server/commands/admin-command.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { runOnDatabase } from '#server/commands/write-change.ts';

export const csvCommands: readonly AdminCommand[] = [
  {
    name: 'export-classes',
    description: 'prints all classes as CSV',
    takes: [],
    options: filterOptions,
    run: exportMany,
  },
  {
    name: 'import-classes',
    description: "creates and changes classes from a registrar's CSV file with a header line",
    takes: [createRequiredArgument('FILE', 'the CSV file')],
    options: [
      new Option(
        '--column <NAME=HEADER>',
        `the column of a field, if its header is not recognized; repeat it for others. NAME is one of ${csvColumns.map(({ title }) => title).join(', ')}`,
      ).argParser((value, previousValues: string[] | undefined) => [
        ...(previousValues ?? []),
        value,
      ]),
      new Option(
        '--season <SEASON>',
        'the season of all lines, for a file without a column for it',
      ),
      new Option('--year <YEAR>', 'the year of all lines, for a file without a column for it'),
      createConfirmationOption('import', 'says what would change'),
    ],
    run: importMany,
  },
];

async function exportMany({
  config,
  options,
}: CommandContext<ClassFilter>): Promise<CommandReport> {
  const { classes, total } = await listMatchingClasses(config.database, '', options);
  const csv = Papa.unparse(toCsvLines(classes), csvOptions);
  return { message: csv, total, csv };
}

interface ImportOptions {
  column?: string[];
  season?: string;
  year?: string;
  yes?: true;
}

async function importMany(
  { config, options, printProgress }: CommandContext<ImportOptions>,
  file: string,
): Promise<CommandReport> {
  const lines = await loadLines(file, options);
  const isApplied = options.yes === true;
  const rows: (Pick<ReadLine, 'line' | 'problem'> &
    Partial<Pick<ImportedLine, 'outcome' | 'changes'>> & { label: string })[] = [];
  await runOnDatabase(config.database, async ({ db, commits }) => {
    for (const { line, fields, problem } of lines) {
      if (problem !== null) {
        rows.push({ line, problem, label: '' });
        continue;
      }
      const { outcome, changes } = isApplied
        ? await commits.write(
            (unitOfWork) => importClass(unitOfWork, fields, administratorName),
            'everything',
          )
        : await planImport(db, fields);
      rows.push({
        line,
        problem,
        label: toClassLabel({ ...fields, name: null }),
        outcome,
        changes,
      });
      if (isApplied && rows.length % 50 === 0) printProgress(`${rows.length} of ${lines.length}`);
    }
  });
  const count = (outcome: ImportedLine['outcome']) =>
    rows.filter((row) => row.outcome === outcome).length;
  const totals = {
    new: count('new'),
    changed: count('changed'),
    same: count('same'),
    ambiguous: count('ambiguous'),
    wrong: rows.filter((row) => row.problem !== null).length,
  };
  // Wrong lines come last, where the administrator sees them, because the other lines can be hundreds.
  const reportedLines = rows
    .filter(({ outcome }) => outcome !== 'same')
    .toSorted((a, b) => Number(a.problem !== null) - Number(b.problem !== null))
    .map(({ line, problem, label, outcome, changes = [] }) => {
      const changeTexts = changes.map(
        ({ field, before, after }) => `${field}: ${before} → ${after}`,
      );
      return `Line ${line}: ${problem ?? [label, outcome, ...changeTexts].join(', ')}`;
    });
  const summary = `${totals.new} new, ${totals.changed} changed, ${totals.same} the same, ${totals.ambiguous} that fit several classes, ${totals.wrong} wrong.`;
  const statusText = isApplied ? 'Imported.' : 'Nothing is imported yet: add --yes.';
  const wrongLinesText = isApplied
    ? ' Wrong lines were left out: correct them and import the file again.'
    : ' Wrong lines are left out.';
  const closingText = totals.wrong > 0 ? statusText + wrongLinesText : statusText;
  return {
    message: [...reportedLines, summary, closingText].join('\n'),
    isApplied,
    ...totals,
    lines: rows,
  };
}

async function loadLines(file: string, options: ImportOptions): Promise<ReadLine[]> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${resolve(file)} cannot be read (${error.code}): give a path that the user who runs the command may read.`,
    );
  });
  const { data } = Papa.parse<string[]>(decodeCsv(bytes, TextDecoder));
  const [headers = [], ...cells] = data;
  const columns = guessColumns(headers);
  for (const columnOption of options.column ?? []) {
    const [title = '', header = ''] = columnOption.split('=', 2);
    const column = csvColumns.find(
      (csvColumn) => csvColumn.title.toLowerCase() === title.toLowerCase(),
    );
    const columnIndex = headers.findIndex((fileHeader) => fileHeader.trim() === header.trim());
    if (!column || columnIndex < 0) {
      throw new Error(
        `--column ${columnOption}: write 'Name=Header', with a name of ${csvColumns.map((csvColumn) => csvColumn.title).join(', ')} and a header of the file.`,
      );
    }
    columns[column.field] = columnIndex;
  }
  const season = semesterSeasons.find(
    (name) => name.toLowerCase() === options.season?.toLowerCase(),
  );
  if (options.season && !season) {
    throw new Error(`The season is one of ${semesterSeasons.join(', ')}.`);
  }
  const year = options.year === undefined ? null : Number(options.year);
  const defaults = { season: season ?? '', year } as const;
  const missing = listMissingColumns(columns, defaults);
  if (missing.length > 0) {
    throw new Error(
      `The file has no column for ${missing.join(', ')}. Its headers are: ${headers.map((fileHeader) => fileHeader.trim()).join(', ')}. Choose one for each: --column '${missing[0]}=HEADER'. A term that is not in the file: --season and --year.`,
    );
  }
  const firstLines = new Map<string, number>();
  return cells.flatMap((lineCells, index): ReadLine[] => {
    if (lineCells.every((cell) => !cell.trim())) return [];
    const parsedLine = parseLine(index + 2, lineCells, columns, defaults);
    return [rejectRepeated(parsedLine, firstLines)];
  });
}
