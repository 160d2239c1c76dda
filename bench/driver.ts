// The driver that connects the load generator to Backchannel. The server runs as with `npm start`, with
// default settings except the limits. The clients use the same socket and calls as the browser.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { routeUrl } from '../src/contract/route-url.ts';
import { unlimitedRates } from '../src/server/limits/read-rates.ts';
import { socketPath, subprotocol } from '../src/contract/socket-address.ts';
import { freePort } from '../scripts/free-port.ts';
import { fillRoom } from './fill-room.ts';
import { connectWs, payload, seqAt, type Driver } from './harness.ts';
import { createSchool, type School } from './school.ts';

const projectRoot = resolve(import.meta.dirname, '..');
const tilde = 126;
/** Rooms with more messages are filled by inserting rows, because posting that many takes hours. */
const maxFilledByChat = 1_000_000;

/** The arguments of the load generator: the driver creates as many students and classes. */
const { values: asked } = parseArgs({
  strict: false,
  options: {
    clients: { type: 'string', default: '100' },
    rooms: { type: 'string', default: '1' },
    history: { type: 'string', default: '0' },
  },
});

/** What a reader requests: the snapshot over the socket, or a page of history over HTTP. */
const reading = process.env['BENCH_READING'] ?? 'snapshot';

let server: ChildProcess;
let port = 0;
let dataDir = '';
let school: School;

const { version, scripts } = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
) as { version: string; scripts: { start: string } };
/** The arguments of `npm start` after `exec node`. */
const startArguments = scripts.start.split(' ').slice(2);

const driver: Driver = {
  name: reading === 'snapshot' ? 'backchannel' : `backchannel-${reading}`,
  version: () => `Backchannel ${version}, Node ${process.versions.node}`,
  persists: 'every message and its place in the log, in SQLite (WAL)',
  durability: 'synced (synchronous=FULL) before broadcast and acknowledgement',

  async start({ dir, prefix }) {
    dataDir = dir;
    school = await createSchool(dir, Number(asked.clients), Number(asked.rooms));
    port = await freePort();
    const profiling = process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? [];
    const node = [process.execPath, ...profiling, ...startArguments];
    const [command, ...args] = [...prefix, ...node] as [string, ...string[]];
    server = spawn(command, args, {
      cwd: projectRoot,
      env: { PATH: process.env['PATH'], PORT: String(port), DATA_DIR: dir, ...unlimitedRates },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await answers();
    return { pid: server.pid ?? 0, port };
  },

  async connect(client, room, bytes, sink) {
    const classId = classOf(room);
    let joined = () => {};
    const live = new Promise<void>((done) => (joined = done));
    const socket = await connectLive(client, {
      chunk: () => void (sink.now = performance.now()),
      frame(data, start, end) {
        if (isLive(data, start, end)) return joined();
        eachNumber(data, start, end, (seq) => sink.got(client, seq));
      },
      closed: () => sink.closed(client),
    });
    socket.send(JSON.stringify({ type: 'subscribe', rid: 0, classId }));
    await live;
    const head = `{"type":"post","classId":"${classId}","rid":`;
    return {
      send: (seq) =>
        socket.send(`${head}${seq + 1},"id":"${randomUUID()}","text":"${payload(seq, bytes)}"}`),
      close: () => socket.close(),
    };
  },

  async history(client, room) {
    if (reading !== 'snapshot') return pages(client, room);
    const classId = classOf(room);
    let numbers: number[] = [];
    let answered: (numbers: number[]) => void = () => {};
    const socket = await connectLive(client, {
      frame(data, start, end) {
        if (isLive(data, start, end)) answered(numbers);
        else eachNumber(data, start, end, (seq) => numbers.push(seq));
      },
    });
    return {
      fetch: () =>
        new Promise((done) => {
          numbers = [];
          answered = done;
          socket.send(JSON.stringify({ type: 'subscribe', rid: 1, classId }));
        }),
      close: () => socket.close(),
    };
  },

  ...(Number(asked.history) > maxFilledByChat
    ? {
        seed: (room, from, count, bytes) =>
          fillRoom(dataDir, classOf(room), count, (n) => payload(from + n, bytes)),
      }
    : {}),

  async stop() {
    if (server.exitCode !== null) return;
    server.kill('SIGTERM');
    await new Promise((done) => server.once('exit', done));
  },
};

// The generator takes a driver as a default export.
// oxlint-disable-next-line import/no-default-export
export default driver;

function classOf(room: number): string {
  const classId = school.classIds[room];
  if (!classId) throw new Error(`There is no room ${room}.`);
  return classId;
}

function headersOf(client: number): Record<string, string> {
  return { Origin: `http://localhost:${port}`, Cookie: school.cookies[client] ?? '' };
}

function connectLive(client: number, on: Parameters<typeof connectWs>[2]) {
  const headers = { ...headersOf(client), 'Sec-WebSocket-Protocol': subprotocol };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return connectWs(port, socketPath, on, lines.join(''));
}

/** Recognizes `{"type":"live"`, the frame that ends the catch-up. */
function isLive(data: Buffer, start: number, end: number): boolean {
  return end - start < 120 && data.toString('latin1', start + 9, start + 13) === 'live';
}

function eachNumber(data: Buffer, start: number, end: number, then: (seq: number) => void): void {
  for (
    let at = data.indexOf(tilde, start);
    at >= 0 && at < end;
    at = data.indexOf(tilde, at + 10)
  ) {
    const seq = seqAt(data, at);
    if (seq >= 0) then(seq);
  }
}

/**
 * Requests pages of history over HTTP keep-alive: the newest page, or (`deep`) a page at a different depth
 * each time. Messages of deep pages are checked here and renumbered from the newest, as the generator
 * expects.
 */
function pages(client: number, room: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const params = { classId: classOf(room) };
  const total = Number(asked.history);
  return {
    async fetch(): Promise<number[]> {
      const depth = reading === 'deep' ? Math.floor(Math.random() * (total - 50)) : 0;
      const query =
        depth > 0 ? { limit: '50', before: String(total - depth + 1) } : { limit: '50' };
      const body = await getBody(routeUrl('listMessages', { params, query }), client, agent);
      const numbers: number[] = [];
      eachNumber(body, 0, body.length, (seq) => numbers.push(seq + depth));
      return numbers;
    },
    close: () => agent.destroy(),
  };
}

function getBody(path: string, client: number, agent: Agent): Promise<Buffer> {
  return new Promise((done, failed) => {
    const options = { port, host: '127.0.0.1', path, agent, headers: headersOf(client) };
    get(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(Buffer.concat(chunks)));
    }).once('error', failed);
  });
}

async function answers(): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const ready = await fetch(`http://localhost:${port}/readyz`).catch(() => null);
    if (ready?.ok) return;
    await sleep(50);
  }
}
