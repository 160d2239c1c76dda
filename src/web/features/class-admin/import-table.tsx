import { useState } from 'react';
import type { ImportedLine } from '#contract/class-admin.ts';
import { csvColumns } from '#contract/class-csv.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText, getTexts } from '#web/get-text.ts';
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

const outcomeTexts: Record<ImportedLine['outcome'], string> = getTexts('classAdmin.outcome');

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
            <th scope="col">{getText('classAdmin.import.line')}</th>
            <th scope="col">{getText('classAdmin.import.class')}</th>
            <th scope="col">{getText('classAdmin.import.outcome')}</th>
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
          {getText('classAdmin.import.more', { count: rows.length })}
        </Button>
      )}
    </>
  );
}

function LineOutcome({ row: { problem, outcome, isImported } }: { row: Row }) {
  if (problem !== null) return <bdi>{problem}</bdi>;
  if (!outcome) return null;
  const text = outcomeTexts[outcome.outcome];
  return (
    <>
      {isImported ? getText('classAdmin.outcome.imported', { outcome: text }) : text}
      {outcome.changes.length > 0 && (
        <ul>
          {outcome.changes.map(({ field, before, after }) => (
            <li key={field}>
              {getRichText('classAdmin.import.change', {
                field: toTitle(field),
                before: before || getText('classAdmin.import.noValue'),
                after,
                bdi: <bdi />,
              })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const toTitle = (field: string) =>
  csvColumns.find((column) => column.field === field)?.title ?? field;
