import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '#tests/support/run-command.ts';
import { waitUntil } from '../settle.ts';
import type { Fault } from '../stage.ts';
import { loadStored } from '../stored.ts';

/**
 * Runs `npm run backup` under load and, after a later crash, `npm run restore`. The backup has everything
 * that was acknowledged before it, every client starts over, and unacknowledged operations are sent again.
 */
export const restore: Fault = {
  name: 'restore',
  async run({ server, clients, history, classId, observe }) {
    const file = join(server.dataDir, '..', 'backup');
    const settings = { DATA_DIR: server.dataDir };
    await sleep(800);
    const answersByClass = Object.groupBy(
      history.operations.flatMap(({ classId: answeredClassId, answers }) =>
        answers.flatMap((answer) =>
          answer.kind === 'acknowledged' ? [{ of: answeredClassId, seq: answer.seq }] : [],
        ),
      ),
      ({ of }) => of,
    );
    const backup = await runCommand('backup', [file], settings);
    observe('a backup is made under load', backup.code === 0, backup.output);
    const storedClasses = loadStored(file);
    for (const { classId: restoredClassId, head } of storedClasses) {
      const last = Math.max(0, ...(answersByClass[restoredClassId] ?? []).map(({ seq }) => seq));
      const detail = `${restoredClassId} ends at ${head}, and ${last} was acknowledged before`;
      observe('a backup holds what was acknowledged before it', head >= last, detail);
    }
    const early = await runCommand('restore', [file], settings);
    observe('a restore is refused while the server runs', early.code === 1, early.output);

    await sleep(700);
    const sleeper = clients[2]!;
    const watcher = clients[3]!;
    sleeper.disconnect();
    const sleeperSeq = sleeper.room(classId).seq;
    await server.end('SIGKILL');
    // A late answer of the old server must not count as an answer of the new one.
    await waitUntil(() => clients.every((client) => client.connectedAt() === null), 5_000);
    const restoredAt = performance.now();
    const heads = Object.fromEntries(
      storedClasses.map((storedClass) => [storedClass.classId, storedClass.head]),
    );
    history.restores.push({ time: restoredAt, heads });
    const restored = await runCommand('restore', [file], settings);
    observe('the backup is restored', restored.code === 0, restored.output);
    await server.start();
    await waitUntil(
      () => watcher.connectedAt() !== null && watcher.room(classId).seq > sleeperSeq + 5,
      15_000,
    );
    sleeper.connect();
    const listFirstSteps = () =>
      clients.map(
        (client) => client.room(classId).steps.find((step) => step.time > restoredAt)?.kind,
      );
    await waitUntil(() => listFirstSteps().every((kind) => kind !== undefined), 5_000);
    const fresh = listFirstSteps().every((kind) => kind === 'snapshot');
    observe('every client gets a new snapshot', fresh, listFirstSteps().join(', '));
    await sleep(500);
  },
};
