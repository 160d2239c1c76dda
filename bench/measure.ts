// Measures one scenario on one server in a process of its own, which `run.ts` starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatSystem } from './chat-system.ts';
import type { SystemName, Workload } from './scenario.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';
import type { ServerProcess } from './server-process.ts';
import { Backchannel } from './systems/backchannel.ts';
import { SocketIoSqlite } from './systems/socketio-sqlite.ts';
import { createWsBare } from './systems/ws-bare.ts';
import { waitForQuietMachine } from './usage.ts';

const systems: Record<SystemName, () => ChatSystem> = {
  backchannel: () => new Backchannel(),
  'socketio-sqlite': () => new SocketIoSqlite(),
  'ws-bare': createWsBare,
  postgres: () => new Backchannel(0),
  '1-node': () => new Backchannel(1),
  '2-nodes': () => new Backchannel(2),
  '4-nodes': () => new Backchannel(4),
};

const [scenarioName, systemName, workloadText = ''] = process.argv.slice(2);
const workload = JSON.parse(workloadText) as Workload;
const system = systems[systemName as SystemName]();
const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let server: ServerProcess | null = null;
// The server inherits a high priority. The generator gets a higher one, so that it measures the server's delays and not its own.
prioritize(-5);
const measurement = await scenarios[scenarioName as ScenarioName].measure({
  system,
  workload,
  async start(options) {
    const { clients, rooms } = workload;
    server = await system.start({ ...options, dataDir, clients, rooms });
    prioritize(-10);
    // A new store has its daily run at the start, which is not what the scenario measures.
    await waitForQuietMachine();
    return server;
  },
});
await (server as ServerProcess | null)?.stop();
process.send?.(measurement, () => process.exit(0));

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
