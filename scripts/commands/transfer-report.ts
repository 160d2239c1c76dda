// Prints how far a copy of the database has come: on a terminal in one line, otherwise a line per table and step.
import type { TransferReport } from '#server/features/backups/transfer/copy-to-postgres.ts';
import type { Output } from './command-call.ts';

const verbs = { reading: 'Reading', copying: 'Copying', checking: 'Checking' };
const printIntervalMs = 100;

/** Call `end` before anything else is printed. */
export function createProgress(output: Output): {
  report(report: TransferReport): void;
  end(): void;
} {
  let current: TransferReport | null = null;
  let printedAt = 0;

  function print(ending: string): void {
    if (!current) return;
    const { step, table, rows } = current;
    const line = `${verbs[step]} ${table}: ${rows.toLocaleString('en')} rows`;
    output.write(output.isTTY ? `\r\u001b[2K${line}${ending}` : `${line}${ending}`);
  }

  function end(): void {
    print('\n');
    current = null;
  }

  return {
    report(report) {
      if (current && (current.step !== report.step || current.table !== report.table)) end();
      current = report;
      const now = performance.now();
      if (!output.isTTY || now - printedAt < printIntervalMs) return;
      printedAt = now;
      print('');
    },
    end,
  };
}
