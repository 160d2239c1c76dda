// Imports classes from a registrar's CSV file: columns, a dry run, and the import with its progress.
import type { ImportedLine } from '#contract/class-admin.ts';
import { type SemesterSeason, semesterSeasons } from '#contract/class-fields.ts';
import { csvColumns, type CsvField, hasContent } from '#contract/class-csv.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { formatCount, formatQuantity } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { ImportTable } from './import-table.tsx';
import { type Choices, type CsvFile, isChange, type Run, useImport } from './use-import.ts';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './import-page.module.css';

export function ImportPage() {
  const { file, choices, run, problem, choose, change, check, sendLines } = useImport();
  return (
    <TabPage label="Import classes" className={styles.column}>
      <Link to="/admin/classes">Back to all classes</Link>
      <h2>Import classes</h2>
      <label className={styles.file}>
        <span>
          CSV file with a header line, such as the export of a registrar, or the three files
          classes.csv, courses.csv and academicSessions.csv of a OneRoster export
        </span>
        <input
          type="file"
          multiple
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ target }) => void choose([...(target.files ?? [])])}
        />
      </label>
      {file && (
        <ColumnsForm
          file={file}
          choices={choices}
          hasResults={run !== null}
          onChange={change}
          onCheck={check}
        />
      )}
      <Callout kind="error">{problem}</Callout>
      {run && <Results run={run} onProceed={(next) => void sendLines(next)} />}
    </TabPage>
  );
}

interface ColumnsFormProps {
  file: CsvFile;
  choices: Choices;
  hasResults: boolean;
  onChange: (part: Partial<Choices>) => void;
  onCheck: () => void;
}

function ColumnsForm({ file, choices, hasResults, onChange, onCheck }: ColumnsFormProps) {
  const { columns, season, year } = choices;
  return (
    <form
      className={styles.form}
      aria-label="Columns"
      onSubmit={(event) => {
        event.preventDefault();
        onCheck();
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
              const column = target.value === '' ? null : Number(target.value);
              onChange({ columns: { ...columns, [field satisfies CsvField]: column } });
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
            onChange={({ target }) => onChange({ season: target.value as SemesterSeason | '' })}
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
            onChange={({ target }) => onChange({ year: target.value })}
          />
        )}
      </div>
      <Button type="submit" variant={hasResults ? 'quiet' : 'primary'}>
        Check {formatCount(file.cells.filter(hasContent).length)} lines
      </Button>
    </form>
  );
}

function Results({ run, onProceed }: { run: Run; onProceed: (next: Run) => void }) {
  const { lines, furtherMeetingCount, planned, imported, isImport, isRunning } = run;
  const readableCount = lines.filter(({ fields }) => fields).length;
  const outcomes = [...planned.values()];
  const countOutcomes = (outcome: ImportedLine['outcome']) =>
    outcomes.filter((lineOutcome) => lineOutcome.outcome === outcome).length;
  const [done, all] = isImport
    ? [imported.size, outcomes.filter(isChange).length]
    : [planned.size, readableCount];
  const isComplete = done === all;
  const importCount = outcomes.filter(isChange).length;
  return (
    <section className={styles.form} aria-labelledby="import-result">
      <h3 id="import-result">{isImport ? 'Import' : 'What would change'}</h3>
      {isRunning && <progress value={done} max={all} aria-label="Progress" />}
      <p role="status">
        {isRunning && `${formatCount(done)} of ${formatCount(all)} lines`}
        {!isRunning &&
          isComplete &&
          isImport &&
          `Imported ${formatCount(done)} ${done === 1 ? 'class' : 'classes'}.`}
        {!isRunning &&
          isComplete &&
          !isImport &&
          `${formatCount(countOutcomes('new'))} new, ${formatCount(countOutcomes('changed'))} changed, ${formatCount(countOutcomes('same'))} the same, ${formatCount(countOutcomes('ambiguous'))} that fit several classes, ${formatCount(lines.length - readableCount)} wrong.`}
        {!isRunning &&
          !isComplete &&
          `Stopped after ${formatCount(done)} of ${formatCount(all)} lines.`}
      </p>
      {furtherMeetingCount > 0 && (
        <p>
          {formatQuantity(furtherMeetingCount, 'line')} with further meetings of a class, which
          shows the first one of the week.
        </p>
      )}
      {!isRunning && !isComplete && (
        <Button variant="primary" onClick={() => onProceed(run)}>
          Continue
        </Button>
      )}
      {!isRunning && isComplete && !isImport && importCount > 0 && (
        <Button variant="primary" onClick={() => onProceed({ ...run, isImport: true })}>
          Import {formatCount(importCount)} {importCount === 1 ? 'class' : 'classes'}
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
