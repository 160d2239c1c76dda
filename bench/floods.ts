// `npm run bench -- floods` measures how long the messages of other members wait for an acknowledgement during each
// kind of flood, and how the server answers the flood. Every limit has its default.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { createSchool } from './school.ts';
import { startBackchannel } from './server-process.ts';
import { university } from '#tests/support/university.ts';

const listeners = 20;
const secondsEach = Number(process.env['BENCH_SECONDS'] ?? 10);
/** Two flooders with this many frames in flight each exceed what the server can answer. */
const window = 256;

const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
const school = await createSchool(dataDir, listeners + 2, 2);
const server = await startBackchannel({ dataDir });
const { origin } = server;

/** The number of answers of each kind. */
type Answers = Map<string, number>;
const count = (answers: Answers, what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);

async function open(student: number): Promise<WebSocket> {
  const headers = { cookie: school.cookies[student] ?? '' };
  const url = `${origin.replace('http', 'ws')}${socketPath}`;
  const socket = new WebSocket(url, subprotocol, { origin, headers });
  await new Promise((done, fail) => socket.once('open', done).once('error', fail));
  return socket;
}

/** Posts a message every half second and records how long each acknowledgement took. */
async function talk(student: number, until: number, waits: number[]): Promise<void> {
  const socket = await open(student);
  const classId = school.classIds[student % 2] ?? '';
  let rid = 0;
  while (performance.now() < until) {
    const sent = performance.now();
    socket.send(
      JSON.stringify({ type: 'post', rid: ++rid, classId, id: randomUUID(), text: 'hello' }),
    );
    await new Promise<void>((done) => {
      const heard = (data: WebSocket.RawData) => {
        if (!String(data).includes(`"rid":${rid},`)) return;
        socket.off('message', heard);
        done();
      };
      socket.on('message', heard);
    });
    waits.push(performance.now() - sent);
    await sleep(500);
  }
  socket.terminate();
}

type Flood = (student: number, until: number, answers: Answers) => Promise<void>;

const frames = (make: (rid: number, classId: string) => object): Flood => {
  return async (student, until, answers) => {
    const socket = await open(student);
    const classId = school.classIds[student % 2] ?? '';
    let rid = 0;
    let answered = 0;
    const fill = () => {
      while (rid - answered < window && performance.now() < until) {
        socket.send(JSON.stringify(make(++rid, classId)));
      }
    };
    socket.on('message', (data) => {
      const [, type = '', , code = ''] =
        /^\{"type":"(ack|nack|live)"(,"rid":\d+,"code":"(\w+)")?/.exec(String(data)) ?? [];
      if (!type) return;
      count(answers, code || type);
      answered += 1;
      fill();
    });
    fill();
    await sleep(until - performance.now());
    socket.terminate();
  };
};

const calls = (path: string, body: () => object): Flood => {
  return async (student, until, answers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const headers = {
      origin,
      cookie: school.cookies[student] ?? '',
      'content-type': 'application/json',
    };
    const ask = () =>
      new Promise<void>((done) => {
        const asked = request(`${origin}${path}`, { agent, method: 'POST', headers }, (answer) => {
          const retryAfter = answer.headers['retry-after'];
          count(answers, `${answer.statusCode}${retryAfter ? ' with Retry-After' : ''}`);
          answer.resume().once('end', done);
        });
        asked.on('error', () => done()).end(JSON.stringify(body()));
      });
    const loop = async () => {
      while (performance.now() < until) await ask();
    };
    await Promise.all(Array.from({ length: 64 }, loop));
    agent.destroy();
  };
};

const query = () => ({ requests: [{ indexName: 'classSearch', query: 'interrupts' }] });
const floods: Readonly<Record<string, Flood | null>> = {
  nothing: null,
  posts: frames((rid, classId) => ({
    type: 'post',
    rid,
    classId,
    id: randomUUID(),
    text: 'flood',
  })),
  'invalid frames': frames((rid) => ({ rid })),
  subscriptions: frames((rid, classId) => ({ type: 'subscribe', rid, classId })),
  searches: calls('/1/indexes/*/queries', query),
  'wrong passwords, one account': calls('/api/auth/sign-in/email', () => ({
    email: `${university.createPerson(0).localPart}@university.edu`,
    password: 'not this one',
  })),
  'wrong passwords, many accounts': calls('/api/auth/sign-in/email', () => ({
    email: `${randomUUID()}@university.edu`,
    password: 'not this one',
  })),
};

console.log(
  '| Two clients flood with | p50, ms | p99, ms | max, ms | messages | answers to the flood |',
);
console.log('| --- | ---: | ---: | ---: | ---: | --- |');
for (const [name, flood] of Object.entries(floods)) {
  const until = performance.now() + secondsEach * 1000;
  const waits: number[] = [];
  const answers: Answers = new Map();
  const talking = Array.from({ length: listeners }, (_, n) => talk(n, until, waits));
  const flooding = flood
    ? [listeners, listeners + 1].map((student) => flood(student, until, answers))
    : [];
  await Promise.all([...talking, ...flooding]);
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(share * (waits.length - 1))] ?? NaN).toFixed(1);
  const said = [...answers].map(([what, n]) => `${n.toLocaleString('en')} ${what}`).join(', ');
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${waits.length} | ${said} |`);
}
await server.stop();
process.exit();
