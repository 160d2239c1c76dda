// One round: a new server and school, a load, a fault, and then all checks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import { checkHistory } from './checker.ts';
import type { Violation } from './checks/violation.ts';
import type { Client } from './client.ts';
import { emptyHistory, type History } from './history.ts';
import { newPost, startLoad, type Load } from './load.ts';
import { createRandom, type Random } from './random.ts';
import { openSchool, type School } from './school.ts';
import { createTestedServer, type TestedServer } from './server.ts';
import { takeList, until, waitUntilAnswered, waitUntilEqual } from './settle.ts';
import type { Fault, Stage } from './stage.ts';
import { databaseFile, readStored } from './stored.ts';

export interface RoundResult {
  history: History;
  violations: Violation[];
}

/** Frames of a class may arrive for this long after leaving it. */
const lastWordsMs = 2_000;

export async function playRound(fault: Fault, seed: number, full: boolean): Promise<RoundResult> {
  const random = createRandom(seed).fork(fault.name);
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-faults-'));
  const dataDir = join(dir, 'data');
  const undoFolder = fault.prepareFolder?.(dataDir);
  const server = createTestedServer(dataDir, await freePort());
  const cleanUp = () => {
    undoFolder?.();
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);
  const history = emptyHistory();
  const sockets: Client[] = [];
  const endings: (() => void)[] = [];
  try {
    await server.start(fault.preload?.(random.fork('preload')));
    const between = await fault.between?.(server.origin, random.fork('between'));
    const { timeoutMs = 5_000 } = fault;
    const school = await openSchool(server.origin, random, {
      timeoutMs,
      ...(between ? { url: between.url } : {}),
    });
    if (between) endings.push(between.end);
    sockets.push(...school.clients, school.leaver, school.stranger);
    const setting = { server, school, history, sockets, endings };
    await play(fault, setting, random, full);
    await settle(fault, setting);
    for (const client of sockets) client.sleep();
    await server.end('SIGTERM');
    history.memory = server.memory();
    history.stored = readStored(databaseFile(dataDir));
    return { history, violations: checkHistory(history) };
  } catch (error) {
    const says = `the round itself failed: ${String(error)}\n${server.output().slice(-1500)}`;
    return { history, violations: [{ rule: 'observed', says }] };
  } finally {
    for (const client of sockets) client.sleep();
    for (const end of endings) end();
    await server.end('SIGKILL');
    cleanUp();
    process.off('exit', cleanUp);
  }
}

interface Setting {
  server: TestedServer;
  school: School;
  history: History;
  /** Every client that was opened. */
  sockets: Client[];
  /** Stops everything that was started. */
  endings: (() => void)[];
}

async function play(
  fault: Fault,
  { server, school, history, sockets, endings }: Setting,
  random: Random,
  full: boolean,
): Promise<void> {
  const { classId, smallClassId, clients, leaver, stranger, clientOf } = school;
  const loads: Load[] = [];
  const wake = (client: Client) => {
    clients.push(client);
    sockets.push(client);
    client.wake();
    return client;
  };
  const stage: Stage = {
    server,
    history,
    random,
    classId,
    smallClassId,
    clients,
    clientOf,
    full,
    atEnd: (end) => endings.push(end),
    addClient: (like, name, options) => wake(school.addClient(clientOf(like), name, options)),
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
    observe: (promise, held, detail) => history.observations.push({ promise, held, detail }),
  };

  for (const client of sockets) client.wake();
  const known = (client: Client) => client.room(classId).memberId !== null;
  const all = await until(() => [...clients, leaver].every(known), 5_000);
  stage.observe('every member gets its first snapshot', all, 'within 5 s');
  server.markMemory();
  const attempt = newPost(stranger, classId, random.fork('stranger'));
  history.operations.push(attempt);
  stranger.submit(attempt);
  stage.startLoad(clients);
  await clientOf(leaver).student.call('leaveClass', { params: { classId } });
  const leftAt = performance.now();
  await sleep(300);
  try {
    await fault.run(stage);
  } finally {
    for (const load of loads) load.stop();
  }
  for (const [outsider, from] of [
    [stranger, 0],
    [leaver, leftAt + lastWordsMs],
  ] as const) {
    for (const step of outsider.room(classId).steps) {
      if (step.at > from) {
        history.overheard.push({ client: outsider.name, classId, frame: step.kind });
      }
    }
  }
}

async function settle(
  { equalWithinMs }: Fault,
  { server, school, history, sockets }: Setting,
): Promise<void> {
  const { clients, classId, clientOf, addClient } = school;
  await waitUntilAnswered([...clients, school.stranger]);
  const level = await waitUntilEqual(clients, equalWithinMs);
  const newcomer = addClient(clientOf(clients[1]!), 'newcomer', {
    url: `${server.origin.replace('http', 'ws')}/live`,
  });
  sockets.push(newcomer);
  newcomer.wake();
  await until(() => newcomer.room(classId).memberId !== null, 5_000);
  level.set(newcomer.room(classId), 0);
  for (const client of [newcomer, ...clients]) {
    for (const room of client.rooms()) {
      history.streams.push({ client: client.name, classId: room.classId, steps: room.steps });
      history.lists.push(await takeList(client, room, clientOf(client), level));
    }
  }
}
