// What /metrics of a node says about Redis.
import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { describe, expect, test, vi } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';

vi.mock(import('#server/base/noisy-gauge.ts'), async (load) => ({
  ...(await load()),
  renewalMs: 20,
  createNoisyGauge: () => ({ renew: (exact) => exact }),
}));

describe.skipIf(!redisCommand)('the metrics of a node', () => {
  const nodes = setUpNodes(2);
  const metric = async (name: string) => {
    const page = await (await fetch(`${nodes.apps[1]!.origin}/metrics`)).text();
    return Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  };
  const problems = (problem: string) =>
    metric(`backchannel_bus_problems_total{problem="${problem}"}`);

  test('the metrics of a node tell how long a message takes through Redis [METRIC-13]', async () => {
    await expect.poll(() => metric('backchannel_bus_lost')).toBe(0);
    await expect.poll(() => metric('backchannel_bus_delay_seconds')).toBeGreaterThan(0);
  });

  test('the metrics of a node tell of a message that no node of the database has sent [METRIC-13, NODE-5]', async () => {
    const student = await nodes.apps[1]!.createStudent();
    await student.connectTo(await student.createClass());
    const stranger = await createClient({ url: nodes.redis.url }).connect();
    for (const channel of await stranger.pubSubChannels('backchannel:*')) {
      await stranger.publish(channel, randomBytes(100));
    }
    stranger.destroy();
    await expect.poll(() => problems('refused')).toBe(1);
  });

  test('the metrics of a node tell that Redis is gone, and how often the log had what it did not bring [METRIC-13]', async () => {
    const author = await nodes.apps[0]!.createStudent();
    const classId = await author.createClass();
    const there = await nodes.at(1, author).connectTo(classId);
    await nodes.redis.kill();
    await expect.poll(() => metric('backchannel_bus_lost')).toBe(1);
    const before = await problems('repaired');
    await (await author.connectTo(classId)).post(classId, 'without Redis');
    await there.waitFor('events');
    await expect.poll(() => problems('repaired')).toBe(before + 1);
  });
});
