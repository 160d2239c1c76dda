// One round: a new server and school, a load, a fault, and then all checks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { checkHistory } from './checker.ts';
import type { Violation } from './checks/violation.ts';
import type { SyncClient } from './sync-client.ts';
import { createEmptyHistory, type History } from './history.ts';
import { createPost, startLoad, type Load } from './load.ts';
import { createRandom, type Random } from '#tests/support/random.ts';
import { openSchool, type School } from './school.ts';
import { createTestedServer, type TestedServer } from './server.ts';
import { takeList, waitUntil, waitUntilAnswered, waitUntilEqual } from './settle.ts';
import type { Fault, Stage } from './stage.ts';
import { toDatabaseFile, loadStored } from './stored.ts';

export interface RoundResult {
  history: History;
  violations: Violation[];
}

/** Frames of a class may arrive for this long after leaving it. */
const leaveGraceMs = 2_000;

export async function playRound(fault: Fault, seed: number, full: boolean): Promise<RoundResult> {
  const random = createRandom(seed).fork(fault.name);
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-faults-'));
  const dataDir = join(dir, 'data');
  const undoFolder = fault.prepareFolder?.(dataDir);
  const server = createTestedServer(dataDir, await findFreePort());
  const cleanUp = () => {
    undoFolder?.();
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  const history = createEmptyHistory();
  const sockets: SyncClient[] = [];
  const cleanups: (() => void)[] = [];
  try {
    await server.start(fault.preload?.(random.fork('preload')));
    const proxy = await fault.between?.(server.origin, random.fork('between'));
    const { timeoutMs = 5_000 } = fault;
    const school = await openSchool(server.origin, random, {
      timeoutMs,
      ...(proxy ? { url: proxy.url } : {}),
    });
    if (proxy) cleanups.push(proxy.end);
    sockets.push(...school.clients, school.leaver, school.stranger);
    const setting = { server, school, history, sockets, cleanups };
    await play(fault, setting, random, full);
    await settle(fault, setting);
    for (const client of sockets) client.disconnect();
    await server.end('SIGTERM');
    history.memory = server.memory();
    history.stored = loadStored(toDatabaseFile(dataDir));
    return { history, violations: checkHistory(history) };
  } catch (error) {
    const detail = `the round itself failed: ${String(error)}\n${server.output().slice(-1500)}`;
    return { history, violations: [{ rule: 'observed', detail }] };
  } finally {
    for (const client of sockets) client.disconnect();
    for (const end of cleanups) end();
    await server.end('SIGKILL');
    cleanUp();
    process.off('exit', cleanUp);
  }
}

export interface Setting {
  server: TestedServer;
  school: School;
  history: History;
  /** Every client that was opened. */
  sockets: SyncClient[];
  /** Stops everything that was started. */
  cleanups: (() => void)[];
}

/** Opens all sockets and plays the fault under load. */
export async function play(
  fault: Fault,
  { server, school, history, sockets, cleanups }: Setting,
  random: Random,
  full: boolean,
): Promise<void> {
  const { classId, smallClassId, clients, leaver, stranger } = school;
  const loads: Load[] = [];
  const wake = (client: SyncClient) => {
    clients.push(client);
    sockets.push(client);
    client.connect();
    return client;
  };
  const stage: Stage = {
    server,
    history,
    random,
    classId,
    smallClassId,
    clients,
    full,
    onCleanup: (end) => cleanups.push(end),
    addClient: (account, name, options) => wake(school.addClient(account, name, options)),
    addMember: async (name) => wake(await school.addMember(name)),
    startLoad(loaded, options) {
      const classIds = [classId, smallClassId];
      const load = startLoad(loaded, history, random.fork(`load ${loads.length}`), {
        classIds,
        ...fault.load,
        ...options,
      });
      loads.push(load);
      return load;
    },
    observe: (expectation, isMet, detail) =>
      history.observations.push({ expectation, isMet, detail }),
  };

  for (const client of sockets) client.connect();
  const isMember = (client: SyncClient) => client.room(classId).memberId !== null;
  const all = await waitUntil(() => [...clients, leaver].every(isMember), 5_000);
  stage.observe('every member gets its first snapshot', all, 'within 5 s');
  server.markMemory();
  const attempt = createPost(stranger, classId, random.fork('stranger'));
  history.operations.push(attempt);
  stranger.submit(attempt);
  stage.startLoad(clients);
  await leaver.account.call('leaveClass', { params: { classId } });
  const leftAt = performance.now();
  await sleep(300);
  try {
    await fault.run(stage);
  } finally {
    for (const load of loads) load.stop();
  }
  for (const [outsider, from] of [
    [stranger, 0],
    [leaver, leftAt + leaveGraceMs],
  ] as const) {
    for (const step of outsider.room(classId).steps) {
      if (step.time > from) {
        history.leaks.push({ client: outsider.name, classId, frame: step.kind });
      }
    }
  }
}

/** Waits until all is answered and equal, and records what each client has. */
export async function settle(
  { equalWithinMs }: Pick<Fault, 'equalWithinMs'>,
  { school, history, sockets }: Setting,
): Promise<void> {
  const { clients, classId, addClient } = school;
  await waitUntilAnswered([...clients, school.stranger]);
  const level = await waitUntilEqual(clients, equalWithinMs);
  const newcomer = addClient(clients[1]!.account, 'newcomer', { url: undefined });
  sockets.push(newcomer);
  newcomer.connect();
  await waitUntil(() => newcomer.room(classId).memberId !== null, 5_000);
  level.set(newcomer.room(classId), 0);
  for (const client of [newcomer, ...clients]) {
    for (const room of client.rooms()) {
      history.streams.push({ client: client.name, classId: room.classId, steps: room.steps });
      history.lists.push(await takeList(client, room, level));
    }
  }
}
