// The highest rate of messages that one room sustains.
import { setTimeout as sleep } from 'node:timers/promises';
import { Load, type LoadFigures } from '../load.ts';
import { systemNames, type Run, type Scenario } from '../scenario.ts';
import { waitForQuietMachine } from '../usage.ts';

const maxP99Ms = 250;
const precision = 1.1;
const maxSteps = 20;
const maxRetries = 2;

export const maxRate: Scenario = {
  systems: systemNames,
  workload: { clients: 200, rooms: 1, rate: 20, seconds: 3, messages: 0 },
  figures: [
    { key: 'rate', label: 'messages per second', digits: 0 },
    { key: 'cpuPerDeliveryUs', label: 'server µs per delivery', digits: 2 },
    { key: 'serverCores', label: 'server cores', digits: 2 },
    { key: 'generatorCores', label: 'generator cores', digits: 2 },
  ],
  measure,
};

/** Doubles the rate until a step fails, then narrows it down to 10 %. */
async function measure({ system, workload, start }: Run) {
  const { clients, rooms, seconds } = workload;
  const { pids } = await start();
  const load = new Load(system, clients, rooms);
  await load.connectAll();
  await load.run(pids, workload.rate / 2, 2);
  await waitForQuietMachine();

  let bestFigures: LoadFigures | null = null;
  let failedRate = Infinity;
  let { rate } = workload;
  let retries = 0;
  let stoppedBy: string[] = [];
  for (
    let step = 0;
    step < maxSteps && failedRate / (bestFigures?.rate ?? 0) >= precision;
    step++
  ) {
    const measured = await load.run(pids, rate, seconds, 20_000);
    const { p99Ms, lost, duplicated, disconnected, flags } = measured;
    const isBound = flags.includes('generator-bound');
    const isWhole = lost === 0 && duplicated === 0 && disconnected === 0;
    if (p99Ms <= maxP99Ms && isWhole && !isBound) bestFigures = measured;
    else if (isWhole && flags.includes('disturbed') && retries < maxRetries) {
      // A step that fails while other programs use the machine is repeated.
      retries += 1;
      await waitForQuietMachine();
      continue;
    } else {
      failedRate = rate;
      stoppedBy = flags;
      if (!isWhole) break;
    }
    retries = 0;
    if (failedRate === Infinity) rate *= 2;
    else rate = bestFigures ? Math.sqrt(bestFigures.rate * failedRate) : rate / 2;
    await sleep(200);
  }
  load.closeAll();
  if (!bestFigures) throw new Error(`No rate down to ${rate} messages per second was sustained.`);
  const { flags: _, ...figures } = bestFigures;
  return { figures, flags: stoppedBy };
}
