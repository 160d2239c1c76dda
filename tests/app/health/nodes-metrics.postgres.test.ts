// What /metrics of a node says about Redis.
import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import { describe, expect, test, vi } from 'vitest';
import { redisCommand, setUpNodes, type Nodes } from '#tests/support/nodes.ts';

vi.mock(import('#server/base/noisy-gauge.ts'), async (load) => ({
  ...(await load()),
  renewalMs: 20,
  createNoisyGauge: () => ({ renew: (exact) => exact }),
}));

describe.skipIf(!redisCommand)('the metrics of a node', () => {
  const nodes = setUpNodes(2);

  test('the metrics of a node have the delay of messages through Redis [METRIC-13]', async () => {
    await expect.poll(() => getMetric(nodes, 'backchannel_bus_lost')).toBe(0);
    await expect.poll(() => getMetric(nodes, 'backchannel_bus_delay_seconds')).toBeGreaterThan(0);
  });

  test('the metrics of a node count messages that no node of the database has sent [METRIC-13, NODE-5]', async () => {
    const student = await nodes.apps[1]!.createStudent();
    await student.connectTo(await student.createClass());
    const stranger = await createClient({ url: nodes.redis.url }).connect();

    for (const channel of await stranger.pubSubChannels('backchannel:*')) {
      await stranger.publish(channel, randomBytes(100));
    }

    stranger.destroy();
    await expect.poll(() => countProblems(nodes, 'refused')).toBe(1);
  });
});

describe.skipIf(!redisCommand)('the metrics of a node without Redis', () => {
  const nodes = setUpNodes(2);

  test('the metrics of a node say that Redis is gone, and count the messages that it did not deliver [METRIC-13]', async () => {
    const author = await nodes.apps[0]!.createStudent();
    const classId = await author.createClass();
    const otherSocket = await nodes.at(1, author).connectTo(classId);

    await nodes.redis.kill();
    await expect.poll(() => getMetric(nodes, 'backchannel_bus_lost')).toBe(1);

    const repairedBefore = await countProblems(nodes, 'repaired');
    await (await author.connectTo(classId)).post(classId, 'without Redis');
    await otherSocket.waitFor('events');
    await expect.poll(() => countProblems(nodes, 'repaired')).toBe(repairedBefore + 1);
  });
});

async function getMetric(nodes: Nodes, name: string): Promise<number> {
  const page = await (await fetch(`${nodes.apps[1]!.origin}/metrics`)).text();
  const line = page.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

function countProblems(nodes: Nodes, problem: string): Promise<number> {
  return getMetric(nodes, `backchannel_bus_problems_total{problem="${problem}"}`);
}
