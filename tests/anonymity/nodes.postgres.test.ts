// Two nodes on one database. An attacker watches everything that passes through Redis.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import { findMarks } from './marks.ts';
import { canarySettings, markedText, useEverything, type Observations } from './use-everything.ts';

describe.skipIf(!redisCommand)('two nodes', () => {
  const nodes = setUpNodes(2, () => canarySettings);
  let redisSocket: Socket | null = null;
  let watched = '';
  let observations: Observations;
  beforeAll(async () => {
    await vi.waitUntil(async () => (await nodes.readiness()).every((text) => text === 'ready'));
    redisSocket = connect(nodes.redis.port, '127.0.0.1');
    redisSocket.setEncoding('latin1').on('data', (text: string) => (watched += text));
    await once(redisSocket, 'connect');
    redisSocket.write('MONITOR\r\n');
    observations = await useEverything(nodes.apps[0]!);
  });
  afterAll(() => void redisSocket?.destroy());

  test('whatever a student does, Redis sees no mark and no text of them [NODE-5]', () => {
    expect(watched.match(/"publish" "backchannel:/gi)?.length).toBeGreaterThan(30);
    expect(findMarks({ ...observations.marks, text: markedText }, watched)).toEqual([]);
  });

  test('the order of the joins in all classes does not tell the classes [NODE-5, ANON-6]', async () => {
    const events = await nodes.database.query(
      `select ref from "changeEvents" where kind = 'members-changed'`,
    );
    const classes = await nodes.database.query('select "classId" from classes');

    expect(events.length).toBeGreaterThan(3);
    const classIds = new Set(classes.map(({ classId }) => classId));
    expect(events.filter(({ ref }) => classIds.has(ref))).toEqual([]);
    expect(new Set(events.map(({ ref }) => ref)).size).toBe(events.length);
  });

  test('the logs of the nodes and other students see no mark of a student [NODE-5, ANON-3]', () => {
    const { marks, outputs } = observations;
    const logs = nodes.apps.flatMap((app) => app.logLines).join('\n');

    expect(logs.length).toBeGreaterThan(100);
    expect(findMarks({ ...marks, text: markedText }, logs)).toEqual([]);
    for (const [channel, content] of outputs) {
      expect(findMarks(marks, content), channel).toEqual([]);
    }
  });
});
