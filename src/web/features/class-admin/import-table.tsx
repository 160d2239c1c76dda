import { useState } from 'react';
import type { ImportedLine } from '#contract/class-admin.ts';
import { csvColumns } from '#contract/class-csv.ts';
import { formatCount } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import styles from './import-page.module.css';

interface Row {
  line: number;
  label: string;
  problem: string | null;
  outcome: ImportedLine | null;
  isImported: boolean;
}

const rowsPerPage = 100;

const outcomeTexts: Record<ImportedLine['outcome'], string> = {
  new: 'New',
  changed: 'Changes',
  same: 'Stays the same',
  ambiguous: 'Several classes have this code and term. Edit the right one in the list.',
};

function toRank({ problem, outcome }: Row): number {
  if (problem !== null) return 0;
  return outcome?.outcome === 'ambiguous' ? 1 : 2;
}

/** The lines of an import: problems first, then changes. Lines that change nothing are only counted. */
export function ImportTable({ lines }: { lines: readonly Row[] }) {
  const [shownCount, setShownCount] = useState(rowsPerPage);
  const rows = lines
    .filter(({ problem, outcome }) => problem !== null || (outcome && outcome.outcome !== 'same'))
    .toSorted((row, otherRow) => toRank(row) - toRank(otherRow) || row.line - otherRow.line);
  if (rows.length === 0) return null;
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Class</th>
            <th scope="col">What happens</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownCount).map((row) => (
            <tr key={row.line} data-problem={toRank(row) < 2}>
              <th scope="row">{row.line}</th>
              <td>{row.label}</td>
              <td>
                <LineOutcome row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shownCount && (
        <Button onClick={() => setShownCount(shownCount + rowsPerPage)}>
          Show more of {formatCount(rows.length)}
        </Button>
      )}
    </>
  );
}

function LineOutcome({ row: { problem, outcome, isImported } }: { row: Row }) {
  if (problem !== null) return <bdi>{problem}</bdi>;
  if (!outcome) return null;
  return (
    <>
      {outcomeTexts[outcome.outcome]}
      {isImported && ' (imported)'}
      {outcome.changes.length > 0 && (
        <ul>
          {outcome.changes.map(({ field, before, after }) => (
            <li key={field}>
              {toTitle(field)}: <bdi>{before || 'nothing'}</bdi> → <bdi>{after}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const toTitle = (field: string) =>
  csvColumns.find((column) => column.field === field)?.title ?? field;
