// Imports classes from a registrar's CSV file: columns, a dry run, and the import with its progress.
import { type SemesterSeason, semesterSeasons } from '#contract/class-fields.ts';
import { csvColumns, type CsvField, hasContent } from '#contract/class-csv.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { ImportTable } from './import-table.tsx';
import { type Choices, type CsvFile, type Run, useImport } from './use-import.ts';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './import-page.module.css';

export function ImportPage() {
  const { file, choices, run, problem, choose, change, check, sendLines } = useImport();
  return (
    <TabPage label={getText('classAdmin.import.title')} className={styles.column}>
      <Link to="/admin/classes">{getText('classAdmin.import.back')}</Link>
      <h2>{getText('classAdmin.import.title')}</h2>
      <label className={styles.file}>
        <span>{getText('classAdmin.import.file')}</span>
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
      aria-label={getText('classAdmin.import.columns')}
      onSubmit={(event) => {
        event.preventDefault();
        onCheck();
      }}
    >
      <h3>{getText('classAdmin.import.columnsOf', { fileName: file.name })}</h3>
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
            <option value="">{getText('classAdmin.import.noColumn')}</option>
            {file.headers.map((header, index) => (
              <option key={index} value={index}>
                {header.trim() || getText('classAdmin.import.columnNumber', { number: index + 1 })}
              </option>
            ))}
          </SelectField>
        ))}
        {columns.semesterSeason === null && (
          <SelectField
            label={getText('classAdmin.import.season')}
            value={season}
            onChange={({ target }) => onChange({ season: target.value as SemesterSeason | '' })}
          >
            <option value="">{getText('classAdmin.import.noSeason')}</option>
            {semesterSeasons.map((listedSeason) => (
              <option key={listedSeason}>{listedSeason}</option>
            ))}
          </SelectField>
        )}
        {columns.year === null && (
          <TextField
            label={getText('classAdmin.import.year')}
            inputMode="numeric"
            maxLength={4}
            value={year}
            onChange={({ target }) => onChange({ year: target.value })}
          />
        )}
      </div>
      <Button type="submit" variant={hasResults ? 'quiet' : 'primary'}>
        {getText('classAdmin.import.check', { count: file.cells.filter(hasContent).length })}
      </Button>
    </form>
  );
}

function Results({ run, onProceed }: { run: Run; onProceed: (next: Run) => void }) {
  const { lines, furtherMeetingCount, planned, imported, isImport, isRunning } = run;
  const readableCount = lines.filter(({ fields }) => fields).length;
  const counts = { new: 0, changed: 0, same: 0, ambiguous: 0, wrong: lines.length - readableCount };
  for (const { outcome } of planned.values()) counts[outcome] += 1;
  const importCount = counts.new + counts.changed;
  const [done, all] = isImport ? [imported.size, importCount] : [planned.size, readableCount];
  const isComplete = done === all;
  return (
    <section className={styles.form} aria-labelledby="import-result">
      <h3 id="import-result">
        {isImport
          ? getText('classAdmin.import.importTitle')
          : getText('classAdmin.import.planTitle')}
      </h3>
      {isRunning && <progress value={done} max={all} aria-label={getText('classAdmin.progress')} />}
      <p role="status">
        {isRunning && getText('classAdmin.import.linesDone', { done, all })}
        {!isRunning &&
          isComplete &&
          isImport &&
          getText('classAdmin.import.imported', { count: done })}
        {!isRunning && isComplete && !isImport && getText('classAdmin.import.plan', counts)}
        {!isRunning && !isComplete && getText('classAdmin.import.stopped', { done, all })}
      </p>
      {furtherMeetingCount > 0 && (
        <p>{getText('classAdmin.import.furtherMeetings', { count: furtherMeetingCount })}</p>
      )}
      {!isRunning && !isComplete && (
        <Button variant="primary" onClick={() => onProceed(run)}>
          {getText('classAdmin.import.continue')}
        </Button>
      )}
      {!isRunning && isComplete && !isImport && importCount > 0 && (
        <Button variant="primary" onClick={() => onProceed({ ...run, isImport: true })}>
          {getText('classAdmin.import.submit', { count: importCount })}
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
