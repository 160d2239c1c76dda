// Imports classes from a registrar's CSV file: columns, a dry run, and the import with its progress.
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ImportedLine } from '#contract/class-admin.ts';
import { type SemesterSeason, semesterSeasons } from '#contract/class-fields.ts';
import {
  type ColumnMapping,
  csvColumns,
  type CsvField,
  decodeCsv,
  guessColumns,
  listMissingColumns,
  readLine,
  type ReadLine,
  rejectRepeated,
} from '#contract/class-csv.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { adminKey } from '#web/data/admin.ts';
import { formatCount } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { ImportTable } from './import-table.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './import-page.module.css';

const maxBytes = 5_000_000;

interface CsvFile {
  name: string;
  headers: string[];
  /** The rows below the header. */
  cells: string[][];
}

export type Outcomes = ReadonlyMap<number, ImportedLine>;

/** What happens with the lines: first a dry run, then the import. Both can stop at an error and continue. */
interface Run {
  isImport: boolean;
  lines: ReadLine[];
  planned: Outcomes;
  imported: Outcomes;
  isRunning: boolean;
}

/** A file usually ends with an empty line. */
const isWritten = (cells: readonly string[]) => cells.some((cell) => cell.trim());

export function ImportPage() {
  const [file, setFile] = useState<CsvFile | null>(null);
  const [columns, setColumns] = useState<ColumnMapping>(() => guessColumns([]));
  const [season, setSeason] = useState<SemesterSeason | ''>('');
  const [year, setYear] = useState('');
  const [run, setRun] = useState<Run | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const client = useQueryClient();
  /** A new choice of file or columns makes the results of running calls void. */
  const current = useRef(0);

  const restart = () => {
    current.current += 1;
    setRun(null);
    setProblem(null);
  };

  const choose = async (newFile: File | undefined) => {
    restart();
    setFile(null);
    if (!newFile) return;
    if (newFile.size > maxBytes) return setProblem('The file is larger than 5 MB.');
    const [{ default: Papa }, bytes] = await Promise.all([
      import('papaparse'),
      newFile.arrayBuffer(),
    ]);
    const [headers = [], ...cells] = Papa.parse<string[]>(
      decodeCsv(new Uint8Array(bytes), TextDecoder),
    ).data;
    if (headers.length < 2 || cells.length === 0) {
      return setProblem('The file has no table. It needs a header line and a line for each class.');
    }
    setFile({ name: newFile.name, headers, cells });
    setColumns(guessColumns(headers));
  };

  /** Calls for the lines that have no result yet. */
  const proceed = async (from: Run) => {
    const isCurrent = current.current;
    let now: Run = { ...from, isRunning: true };
    const update = (part: Partial<Run>) => {
      now = { ...now, ...part };
      if (current.current === isCurrent) setRun(now);
    };
    update({});
    setProblem(null);
    const results = new Map(now.isImport ? now.imported : now.planned);
    const waiting = now.lines.flatMap(({ line, fields }) => {
      const isDone = results.has(line);
      const isNeeded = !now.isImport || isChange(now.planned.get(line));
      return fields && isNeeded && !isDone ? [{ line, fields }] : [];
    });
    try {
      for (let offset = 0; offset < waiting.length; offset += limits.classBatch) {
        if (current.current !== isCurrent) return;
        const lines = waiting.slice(offset, offset + limits.classBatch);
        const reply = await call('importClasses', { body: { apply: now.isImport, lines } });
        for (const importedLine of reply.lines) results.set(importedLine.line, importedLine);
        update(now.isImport ? { imported: new Map(results) } : { planned: new Map(results) });
      }
    } catch (error) {
      if (current.current === isCurrent) setProblem(toErrorMessage(error));
    } finally {
      update({ isRunning: false });
      if (now.isImport) void client.invalidateQueries({ queryKey: [...adminKey, 'classes'] });
    }
  };

  const check = () => {
    restart();
    const firstLines = new Map<string, number>();
    const defaults = { season, year: /^\d{4}$/.test(year.trim()) ? Number(year) : null };
    const missing = listMissingColumns(columns, defaults);
    if (missing.length > 0) return setProblem(`Choose a column for ${missing.join(', ')}.`);
    const lines = (file?.cells ?? []).flatMap((cells, index): ReadLine[] =>
      isWritten(cells)
        ? [rejectRepeated(readLine(index + 2, cells, columns, defaults), firstLines)]
        : [],
    );
    const noLines = new Map<number, ImportedLine>();
    void proceed({ isImport: false, lines, planned: noLines, imported: noLines, isRunning: true });
  };

  return (
    <TabPage label="Import classes" className={styles.column}>
      <Link to="/admin/classes">Back to all classes</Link>
      <h2>Import classes</h2>
      <label className={styles.file}>
        <span>CSV file with a header line, such as the export of a registrar</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ target }) => void choose(target.files?.[0])}
        />
      </label>
      {file && (
        <form
          className={styles.form}
          aria-label="Columns"
          onSubmit={(event) => {
            event.preventDefault();
            check();
          }}
        >
          <h3>Columns of {file.name}</h3>
          <div className={styles.columns}>
            {csvColumns.map(({ field, title }) => (
              <SelectField
                key={field}
                label={title}
                value={columns[field] ?? ''}
                onChange={({ target }) => {
                  restart();
                  setColumns({
                    ...columns,
                    [field satisfies CsvField]: target.value === '' ? null : Number(target.value),
                  });
                }}
              >
                <option value="">Not in the file</option>
                {file.headers.map((header, index) => (
                  <option key={index} value={index}>
                    {header.trim() || `Column ${index + 1}`}
                  </option>
                ))}
              </SelectField>
            ))}
            {columns.semesterSeason === null && (
              <SelectField
                label="Season of all lines"
                value={season}
                onChange={({ target }) => {
                  restart();
                  setSeason(target.value as SemesterSeason | '');
                }}
              >
                <option value="">Select a season</option>
                {semesterSeasons.map((listedSeason) => (
                  <option key={listedSeason}>{listedSeason}</option>
                ))}
              </SelectField>
            )}
            {columns.year === null && (
              <TextField
                label="Year of all lines"
                inputMode="numeric"
                maxLength={4}
                value={year}
                onChange={({ target }) => {
                  restart();
                  setYear(target.value);
                }}
              />
            )}
          </div>
          <Button type="submit" variant={run ? 'quiet' : 'primary'}>
            Check {formatCount(file.cells.filter(isWritten).length)} lines
          </Button>
        </form>
      )}
      <Callout kind="error">{problem}</Callout>
      {run && <Results run={run} onProceed={(next) => void proceed(next)} />}
    </TabPage>
  );
}

const isChange = (importedLine: ImportedLine | undefined) =>
  importedLine?.outcome === 'new' || importedLine?.outcome === 'changed';

function Results({ run, onProceed }: { run: Run; onProceed: (next: Run) => void }) {
  const { lines, planned, imported, isImport, isRunning } = run;
  const readable = lines.filter(({ fields }) => fields).length;
  const outcomes = [...planned.values()];
  const count = (outcome: ImportedLine['outcome']) =>
    outcomes.filter((lineOutcome) => lineOutcome.outcome === outcome).length;
  const [done, all] = isImport
    ? [imported.size, outcomes.filter(isChange).length]
    : [planned.size, readable];
  const isComplete = done === all;
  const toImport = outcomes.filter(isChange).length;
  return (
    <section className={styles.form} aria-labelledby="import-result">
      <h3 id="import-result">{isImport ? 'Import' : 'What would change'}</h3>
      {isRunning && (
        <progress className={styles.progress} value={done} max={all} aria-label="Progress" />
      )}
      <p role="status">
        {isRunning && `${formatCount(done)} of ${formatCount(all)} lines`}
        {!isRunning &&
          isComplete &&
          isImport &&
          `Imported ${formatCount(done)} ${done === 1 ? 'class' : 'classes'}.`}
        {!isRunning &&
          isComplete &&
          !isImport &&
          `${formatCount(count('new'))} new, ${formatCount(count('changed'))} changed, ${formatCount(count('same'))} the same, ${formatCount(count('ambiguous'))} that fit several classes, ${formatCount(lines.length - readable)} wrong.`}
        {!isRunning &&
          !isComplete &&
          `Stopped after ${formatCount(done)} of ${formatCount(all)} lines.`}
      </p>
      {!isRunning && !isComplete && (
        <Button variant="primary" onClick={() => onProceed(run)}>
          Continue
        </Button>
      )}
      {!isRunning && isComplete && !isImport && toImport > 0 && (
        <Button variant="primary" onClick={() => onProceed({ ...run, isImport: true })}>
          Import {formatCount(toImport)} {toImport === 1 ? 'class' : 'classes'}
        </Button>
      )}
      <ImportTable
        lines={lines.flatMap(({ line, fields, problem }) => {
          const outcome = imported.get(line) ?? planned.get(line) ?? null;
          const label = fields ? toClassLabel({ ...fields, name: null }) : '';
          return [{ line, label, problem, outcome, isImported: imported.has(line) }];
        })}
      />
    </section>
  );
}
