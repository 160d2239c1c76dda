import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPost } from '../load.ts';
import { waitUntil } from '../settle.ts';
import type { Fault, Stage } from '../stage.ts';
import { findMissingStrace, traceCalls, type Call } from '../strace.ts';

const reports = join(tmpdir(), `backchannel-handles-${process.pid}`);
/** SQLite's FULL: every commit waits for the disk. */
const full = 2;

/**
 * kill -9 cannot distinguish a synced write from one in the page cache, so this fault traces system calls. No
 * acknowledgement may leave before a sync that follows its message.
 */
export const synced: Fault = {
  name: 'synced',
  missing: findMissingStrace,
  preload: () => ({ file: 'report-handles.ts', settings: { FAULT_REPORTS: reports } }),
  prepareFolder() {
    rmSync(reports, { recursive: true, force: true });
    mkdirSync(reports, { mode: 0o700 });
    return () => rmSync(reports, { recursive: true, force: true });
  },
  // Without other load, so that each answer can be identified.
  load: { everyMs: [3_600_000, 3_600_000] },
  async run(stage) {
    const { server, observe } = stage;
    await sleep(500);
    const traceFile = join(server.dataDir, '..', 'strace');

    const callsOneByOne = await tracePosts(stage, traceFile, 20, true);
    const unsynced = countUnsynced(callsOneByOne);
    const counts = `${count(callsOneByOne, 'ack')} acks, ${count(callsOneByOne, 'sync')} syncs, ${unsynced} acks without one`;
    console.log(`    20 messages one after the other: ${counts}`);
    observe(
      'each acknowledgement follows a sync',
      unsynced === 0 && count(callsOneByOne, 'ack') === 20,
      counts,
    );

    const commitsBefore = stage.clients[0]!.room(stage.classId).steps.length;
    // So few that each commit fits into one frame, so that frames count commits.
    const callsTogether = await tracePosts(stage, traceFile, 40, false);
    const commits = stage.clients[0]!.room(stage.classId).steps.length - commitsBefore;
    const description = `${count(callsTogether, 'ack')} acks, ${commits} commits, ${count(callsTogether, 'sync')} syncs`;
    console.log(`    40 messages at once: ${description}`);
    observe('each commit is synced', count(callsTogether, 'sync') >= commits, description);

    const handles = readdirSync(reports).flatMap(
      (file) => JSON.parse(readFileSync(join(reports, file), 'utf8')) as Handle[],
    );
    const writing = handles.filter(
      (handle) => handle.file.endsWith('backchannel.sqlite') && !handle.readonly,
    );
    const safe = writing.length > 0 && writing.every((handle) => handle.synchronous >= full);
    const detail = JSON.stringify(
      writing.map(({ synchronous, journal }) => [synchronous, journal]),
    );
    console.log(`    synchronous and journal_mode of the writing handles: ${detail}`);
    observe('the writing handle is synchronous=FULL', safe, detail);
  },
};

interface Handle {
  file: string;
  readonly: boolean;
  synchronous: number;
  journal: string;
}

async function tracePosts(
  { server, clients, classId, history, random }: Stage,
  traceFile: string,
  number: number,
  oneByOne: boolean,
): Promise<Call[]> {
  const stop = await traceCalls(server.pid(), traceFile);
  for (let i = 0; i < number; i++) {
    const client = clients[i % clients.length]!;
    const operation = createPost(client, classId, random);
    history.operations.push(operation);
    client.submit(operation);
    if (oneByOne) await waitUntil(() => client.pending() === 0, 5_000);
  }
  await waitUntil(() => clients.every((client) => client.pending() === 0), 10_000);
  return stop();
}

/** Acknowledgements without a sync since the previous one. */
function countUnsynced(calls: readonly Call[]): number {
  let syncs = 0;
  let unsynced = 0;
  for (const call of calls) {
    if (call === 'sync') syncs += 1;
    else {
      if (syncs === 0) unsynced += 1;
      syncs = 0;
    }
  }
  return unsynced;
}

const count = (calls: readonly Call[], wantedCall: Call) =>
  calls.filter((call) => call === wantedCall).length;
