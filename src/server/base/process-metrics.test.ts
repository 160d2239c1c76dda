import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createProcessMetrics } from './process-metrics.ts';

const registry = new Registry();
const metrics = createProcessMetrics(registry);
afterEach(() => metrics.stop());

async function read(name: string): Promise<number> {
  metrics.renew();
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values[0]?.value ?? NaN;
}

test('CPU time, memory and the delay of the event loop are rounded [METRIC-12]', async () => {
  expect((await read('process_cpu_seconds_total')) % 10).toBe(0);
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
    const bytes = await read(name);
    expect(bytes % (32 * 1024 * 1024)).toBe(0);
    expect(Math.abs(bytes - process.memoryUsage().rss)).toBeLessThan(1024 ** 3);
  }
  expect(await read('process_resident_memory_bytes')).toBeGreaterThan(0);

  const delays = 'backchannel_event_loop_delay_p99_seconds';
  // The first tick of the monitor after a renewal only starts its clock, so the first try may see nothing.
  async function readAfterBlocking(): Promise<number> {
    const until = performance.now() + 300;
    while (performance.now() < until);
    await sleep(1);
    return read(delays);
  }
  await expect.poll(readAfterBlocking, { interval: 60 }).toBeGreaterThanOrEqual(0.5);
});
