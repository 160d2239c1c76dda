// Sends the same queries to the server process that `npm start` runs. Eight students query in parallel.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createCatalog } from '../../tests/search/catalog.ts';
import { insertClasses } from '../../tests/search/insert-classes.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { createSchool } from '../school.ts';
import { summarize, type Times } from '../percentiles.ts';
import { drawQueries } from './queries.ts';

export interface ServerFigures {
  classes: number;
  /** The time from the start of the process to its first line of output, with these classes. */
  readyMs: number;
  processMB: number;
  /** The time until the client has the complete response. */
  inBatchesOfEight: Times;
  perSecond: number;
}

const students = 8;

export async function measureServer(
  classCount: number,
  queryCount: number,
): Promise<ServerFigures> {
  const classes = createCatalog(Math.max(1, classCount));
  const database = await createTestDatabase('');
  const { cookies } = await createSchool(database.settings.DATA_DIR, students, 1);
  await insertClasses(database, classes.slice(0, classCount));
  const port = await findFreePort();
  const startedAt = performance.now();
  const server = startProcess('node', {
    ...database.settings,
    ...unlimitedRates,
    PORT: String(port),
    NODE_OPTIONS: '--max-semi-space-size=8',
  });
  try {
    await server.started();
    const readyMs = Math.round(performance.now() - startedAt);
    const texts = drawQueries(classes, queryCount);
    const agent = new Agent({ keepAlive: true, maxSockets: students });
    const ask = (query: string, cookie: string) => post(agent, port, cookie, query);
    for (const text of texts.slice(0, 200)) await ask(text, cookies[0] ?? '');
    const times: number[] = [];
    const begunAt = performance.now();
    let next = 0;
    await Promise.all(
      cookies.map(async (cookie) => {
        for (let index = next++; index < texts.length; index = next++) {
          const sentAt = performance.now();
          await ask(texts[index] ?? '', cookie);
          times.push(performance.now() - sentAt);
        }
      }),
    );
    const seconds = (performance.now() - begunAt) / 1000;
    agent.destroy();
    await sleep(200);
    return {
      classes: classCount,
      readyMs,
      processMB: measureMemory(server.child.pid ?? 0),
      inBatchesOfEight: summarize(times),
      perSecond: Math.round(texts.length / seconds),
    };
  } finally {
    await server.stop();
    await database.drop();
  }
}

function post(agent: Agent, port: number, cookie: string, query: string): Promise<void> {
  const body = JSON.stringify({ requests: [{ indexName: 'classSearch', query }] });
  const origin = `http://127.0.0.1:${port}`;
  return new Promise((resolve, reject) => {
    const headers = { cookie, origin, 'content-length': Buffer.byteLength(body) };
    request(`${origin}/1/indexes/*/queries`, { agent, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      );
    })
      .on('error', reject)
      .end(body);
  });
}

function measureMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round((Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6);
}
