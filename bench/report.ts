// How a benchmark reports its results: a table for the terminal, and a JSON file that names the machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** Aligns the numbers of all columns except the first two and the last one, which are text. */
export function formatAlignedTable([head = [], ...rows]: readonly string[][]): string {
  const widths = head.map((title, n) => {
    return Math.max(...[title, ...rows.map((row) => row[n]!)].map((cell) => cell.length));
  });
  const isText = (n: number) => n < 2 || n === head.length - 1;
  const formatLine = (cells: readonly string[]) => {
    const padded = cells.map((cell, n) =>
      isText(n) ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const dashes = widths.map((width, n) =>
    isText(n) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [formatLine(head), formatLine(dashes), ...rows.map(formatLine)].join('\n');
}

export function describeMachine(): string {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim();
  return `${cpus().length} × ${model}, ${gibibytes} GiB, Linux ${release()}, Node ${process.versions.node}`;
}

/** @returns the file's path */
export function writeReport(
  folder: string,
  name: string,
  startedAt: Date,
  content: Readonly<Record<string, unknown>>,
): string {
  mkdirSync(folder, { recursive: true });
  const minute = startedAt.toISOString().slice(0, 16).replace(':', '');
  const file = join(folder, `${name}-${minute}.json`);
  const run = {
    startedAt: startedAt.toISOString(),
    node: process.versions.node,
    machine: describeMachine(),
    ...content,
  };
  writeFileSync(file, `${JSON.stringify(run, roundNumber, 1)}\n`);
  return file;
}

function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}
