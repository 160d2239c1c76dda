// Measures one scenario on one server in a separate process, and prints the measurement as JSON:
// `node bench/chat/measure.ts '{"scenario": …, "system": …}'`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ServerProcess } from '../server-process.ts';
import type { ChatSystem } from './chat-system.ts';
import { waitForQuietMachine, type SystemName, type Workload } from './scenario.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';
import { Backchannel } from './systems/backchannel.ts';
import { createBunBare, createWsBare } from './systems/plain-websocket.ts';
import { SocketIoSqlite } from './systems/socketio-sqlite.ts';

export interface MeasureRequest {
  scenario: ScenarioName;
  system: SystemName;
  workload: Workload;
  /** A folder for a CPU profile of the server, or null. */
  profileDir: string | null;
}

const systems: Record<SystemName, () => ChatSystem> = {
  backchannel: () => new Backchannel(),
  'socketio-sqlite': () => new SocketIoSqlite(),
  'ws-bare': createWsBare,
  'bun-bare': createBunBare,
};

const request = JSON.parse(process.argv[2] ?? '') as MeasureRequest;
const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const system = systems[request.system]();
const monitor = resolve(import.meta.dirname, 'event-loop-monitor.ts');
let server: ServerProcess | null = null;
// The server inherits a high priority. The generator gets a higher one, so that it measures the server's delays
// and not its own.
prioritize(-5);
const measurement = await scenarios[request.scenario].measure({
  system,
  workload: request.workload,
  async start({ withMonitor = false, ...options } = {}) {
    const nodeOptions = [
      ...(withMonitor ? ['--import', monitor] : []),
      ...(request.profileDir ? ['--cpu-prof', `--cpu-prof-dir=${request.profileDir}`] : []),
    ];
    const { clients, rooms } = request.workload;
    const all = { dataDir, clients, rooms, nodeOptions, withChannel: withMonitor, ...options };
    server = await system.start(all);
    prioritize(-10);
    // A new store has its daily run at the start, which is not what the scenario measures.
    await waitForQuietMachine();
    return server;
  },
});
await (server as ServerProcess | null)?.stop();
console.log(JSON.stringify({ ...measurement, version: system.version, stores: system.stores }));
process.exit(0);

/** Only root may raise a priority. Without it the figures are less precise on a busy machine. */
function prioritize(nice: number): void {
  try {
    setPriority(nice);
    // Linux schedules the processes of one terminal as a group.
    writeFileSync('/proc/self/autogroup', String(nice));
  } catch {
    // The benchmark runs with the usual priority.
  }
}
