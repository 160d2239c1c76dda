// Measures one engine in its own process, so that memory is attributed correctly. Prints the result as JSON.
import { catalogue } from '../../tests/search/catalogue.ts';
import { engines, type EngineName } from './engines.ts';
import { summarize, type Times } from '../percentiles.ts';
import { drawQueries, queryKinds, type QueryKind } from './queries.ts';

export interface EngineFigures {
  engine: EngineName;
  classes: number;
  readyMs: number;
  /** The heap of the index, without the class rows that it is built from. */
  heapMB: number;
  /** The memory of the whole process at its end, rows included. */
  processMB: number;
  /** The response time of each query in a batch of eight. */
  inBatchesOfEight: Times;
  alone: Record<QueryKind, Times>;
  /** The fraction of queries whose first hit is right. */
  right: Record<QueryKind, number>;
}

const atOnce = 8;
const [engine = 'backchannel', classCount = '10000', queryCount = '2000'] = process.argv.slice(2);
const classes = catalogue(Number(classCount));
const byId = new Map(classes.map((one) => [one.classId, one]));
const queries = drawQueries(classes, Number(queryCount));

const before = heapUsedMB();
const started = performance.now();
const { search } = engines[engine as EngineName](classes);
search('introduction');
const readyMs = Math.round(performance.now() - started);
const heapMB = heapUsedMB() - before;

for (const { text } of queries.slice(0, 200)) search(text);

const aloneMs = new Map<QueryKind, number[]>(queryKinds.map((kind) => [kind, []]));
const rights = new Map<QueryKind, number>();
const eightMs: number[] = [];
for (let at = 0; at < queries.length; at += atOnce) {
  const batch = queries.slice(at, at + atOnce);
  const came = performance.now();
  for (const { kind, text, isRight } of batch) {
    const begun = performance.now();
    const id = search(text);
    const done = performance.now();
    aloneMs.get(kind)?.push(done - begun);
    eightMs.push(done - came);
    const hit = byId.get(id ?? '');
    if (hit && isRight(hit)) rights.set(kind, (rights.get(kind) ?? 0) + 1);
  }
}

const perKind = <Value>(value: (kind: QueryKind) => Value) =>
  Object.fromEntries(queryKinds.map((kind) => [kind, value(kind)])) as Record<QueryKind, Value>;
const figures: EngineFigures = {
  engine: engine as EngineName,
  classes: classes.length,
  readyMs,
  heapMB: Math.round(heapMB),
  processMB: Math.round(process.memoryUsage().rss / 1e6),
  inBatchesOfEight: summarize(eightMs),
  alone: perKind((kind) => summarize(aloneMs.get(kind) ?? [])),
  right: perKind((kind) => (rights.get(kind) ?? 0) / (aloneMs.get(kind)?.length ?? 1)),
};
console.log(JSON.stringify(figures));

function heapUsedMB(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
