// `npm run bench -- search` compares our search engine with alternatives and through the running server.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatDay } from '#server/base/days.ts';
import { engineNames } from './engines.ts';
import type { EngineFigures } from './measure-engine.ts';
import { measureRewrites, type RewriteFigures } from './measure-rewrites.ts';
import { measureServer, type ServerFigures } from './measure-server.ts';
import type { Times } from '../percentiles.ts';

const here = import.meta.dirname;

export async function benchSearch(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '10000,100000' },
      queries: { type: 'string', default: '4000' },
      results: { type: 'string', default: join(here, '../results') },
    },
  });
  const sizes = values.sizes.split(',').map(Number);
  const rewrites = sizes.map(measureRewrites);
  const figures: EngineFigures[] = [];
  const servers: ServerFigures[] = [await measureServer(0, 8)];
  for (const size of sizes) {
    for (const engine of engineNames) figures.push(measure(engine, size, values.queries));
    servers.push(await measureServer(size, Number(values.queries)));
  }

  console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
  console.log(engineTable(figures));
  console.log(rewriteTable(rewrites));
  console.log(serverTable(servers));
  mkdirSync(values.results, { recursive: true });
  const file = join(values.results, `search-${formatDay(new Date())}.jsonl`);
  for (const line of [...figures, ...rewrites, ...servers])
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  console.log(`Added to ${file}`);
}

function measure(engine: string, size: number, queries: string): EngineFigures {
  const script = join(here, 'measure-engine.ts');
  const args = ['--expose-gc', script, engine, String(size), queries];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as EngineFigures;
}

function engineTable(figures: readonly EngineFigures[]): string {
  const percent = (part: number) => `${Math.round(part * 100)} %`;
  return table(
    [
      'engine',
      'classes',
      'ready, ms',
      'holds, MB',
      '8 at once: p50, p99 ms',
      'code',
      'name',
      'beginning',
      'mistyped',
      'first hit right: code, name, beginning, mistyped',
    ],
    figures.map(({ engine, classes, readyMs, heapMB, inBatchesOfEight, alone, right }) => [
      engine,
      String(classes),
      String(readyMs),
      String(heapMB),
      both(inBatchesOfEight),
      ...[alone.code, alone.name, alone.beginning, alone.mistyped].map(both),
      [right.code, right.name, right.beginning, right.mistyped].map(percent).join(', '),
    ]),
  );
}

function rewriteTable(figures: readonly RewriteFigures[]): string {
  return table(
    [
      'as students type: classes',
      'first hit right: tuned, other half',
      'queries: p50, p99 ms',
      'finding nothing: p50, p99 ms',
      'a new class and a query: p50, p99 ms',
      'a removed class: p50, p99 ms',
    ],
    figures.map((one) => [
      String(one.classes),
      `${one.rightTuned}, ${one.rightHeldBack}`,
      ...[one.studentQueries, one.findingNothing, one.adding, one.removing].map(both),
    ]),
  );
}

function serverTable(figures: readonly ServerFigures[]): string {
  return table(
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
      both(inBatchesOfEight),
      String(perSecond),
    ]),
  );
}

const both = ({ p50, p99 }: Times) => `${p50.toFixed(2)}, ${p99.toFixed(2)}`;

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
