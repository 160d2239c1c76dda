import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Finding } from '../../../scripts/commands/doctor/finding.ts';
import { startRedis, type Redis } from '../../../scripts/start-redis.ts';
import { redisCommand } from '#tests/support/nodes.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

describe.skipIf(!redisCommand)('the doctor of a node', () => {
  let database: TestDatabase;
  let redis: Redis;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    redis = await startRedis(redisCommand!);
  });
  afterEach(() => redis.stop());

  async function examine(REDIS_URL: string) {
    const { output } = await runCommand('doctor', ['--json'], { ...database.settings, REDIS_URL });
    expect(output).not.toContain('a-password');
    return (JSON.parse(output) as Finding[]).filter(({ part }) => part === 'redis');
  }

  test('the doctor of a node sends a message through Redis [DOCTOR-9]', async () => {
    const { host } = new URL(redis.url);

    expect(await examine(redis.url)).toEqual([
      { part: 'redis', state: 'ok', text: `${host} carries messages.` },
      { part: 'redis', state: 'warning', text: expect.stringContaining('mount one folder') },
    ]);
  });

  test('the doctor of a node explains a wrong password, a silent Redis and a stopped one [DOCTOR-9]', async () => {
    const findProblem = async (url: string) =>
      (await examine(url)).find(({ state }) => state === 'problem')?.text;
    const wrongLogin = redis.url.replace('redis://', 'redis://someone:a-password@');
    expect(await findProblem(wrongLogin)).toContain('WRONGPASS');

    redis.pause();
    expect(await findProblem(redis.url)).toContain('no answer within 3 seconds');

    redis.resume();
    await redis.kill();
    expect(await findProblem(redis.url)).toContain('ECONNREFUSED');
  });
});
