import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createProcessMetrics } from './process-metrics.ts';

const registry = new Registry();
const metrics = createProcessMetrics(registry);
afterEach(() => metrics.stop());

async function getValue(name: string): Promise<number> {
  metrics.renew();
  const metric = await registry.getSingleMetric(name)?.get();
  return metric?.values[0]?.value ?? NaN;
}

test('CPU time, memory and the delay of the event loop are rounded [METRIC-12]', async () => {
  expect((await getValue('process_cpu_seconds_total')) % 10).toBe(0);
  for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes']) {
    const bytes = await getValue(name);
    expect(bytes % (32 * 1024 * 1024)).toBe(0);
    expect(Math.abs(bytes - process.memoryUsage().rss)).toBeLessThan(1024 ** 3);
  }
  expect(await getValue('process_resident_memory_bytes')).toBeGreaterThan(0);

  const delays = 'backchannel_event_loop_delay_p99_seconds';
  // The first tick of the monitor after a renewal only starts its clock, so the first try may see nothing.
  async function getDelaysAfterBlocking(): Promise<number> {
    const end = performance.now() + 300;
    while (performance.now() < end);
    await sleep(1);
    return getValue(delays);
  }
  await expect.poll(getDelaysAfterBlocking, { interval: 60 }).toBeGreaterThanOrEqual(0.5);
});
