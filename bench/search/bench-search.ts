// `npm run bench -- search` measures the search for classes, in one process and through the running server.
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatDay } from '#server/base/days.ts';
import { measureRewrites, type RewriteFigures } from './measure-rewrites.ts';
import { measureServer, type ServerFigures } from './measure-server.ts';
import type { Times } from '../percentiles.ts';

const folder = import.meta.dirname;

export async function benchSearch(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '10000,100000' },
      queries: { type: 'string', default: '4000' },
      results: { type: 'string', default: join(folder, '../results') },
    },
  });
  const sizes = values.sizes.split(',').map(Number);
  const rewrites = sizes.map(measureRewrites);
  const servers: ServerFigures[] = [await measureServer(0, 8)];
  for (const size of sizes) {
    servers.push(await measureServer(size, Number(values.queries)));
  }

  console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
  console.log(rewriteTable(rewrites));
  console.log(formatServerTable(servers));
  mkdirSync(values.results, { recursive: true });
  const file = join(values.results, `search-${formatDay(new Date())}.jsonl`);
  for (const line of [...rewrites, ...servers]) appendFileSync(file, `${JSON.stringify(line)}\n`);
  console.log(`Added to ${file}`);
}

function rewriteTable(figures: readonly RewriteFigures[]): string {
  return formatTable(
    [
      'as students type: classes',
      'first hit right: tuned, other half',
      'queries: p50, p99 ms',
      'finding nothing: p50, p99 ms',
      'a new class and a query: p50, p99 ms',
      'a removed class: p50, p99 ms',
    ],
    figures.map((sizeFigures) => [
      String(sizeFigures.classes),
      `${sizeFigures.rightTuned}, ${sizeFigures.rightHeldBack}`,
      ...[
        sizeFigures.studentQueries,
        sizeFigures.findingNothing,
        sizeFigures.adding,
        sizeFigures.removing,
      ].map(formatTimes),
    ]),
  );
}

function formatServerTable(figures: readonly ServerFigures[]): string {
  return formatTable(
    [
      'the server with classes',
      'ready, ms',
      'process, MB',
      '8 at once, at the client: p50, p99 ms',
      'a second',
    ],
    figures.map(({ classes, readyMs, processMB, inBatchesOfEight, perSecond }) => [
      String(classes),
      String(readyMs),
      String(processMB),
      formatTimes(inBatchesOfEight),
      String(perSecond),
    ]),
  );
}

const formatTimes = ({ p50, p99 }: Times) => `${p50.toFixed(2)}, ${p99.toFixed(2)}`;

function formatTable(head: readonly string[], rows: readonly string[][]): string {
  const formatLine = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[formatLine(head), formatLine(head.map(() => '---')), ...rows.map(formatLine)].join('\n')}\n`;
}
