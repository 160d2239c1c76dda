import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../settle.ts';
import type { Fault } from '../stage.ts';
import { databaseFile, readStored } from '../stored.ts';

/**
 * An older copy of the database's file is put back while the server is down, which keeps its epoch.
 * Clients that hold later seqs must not mix the two histories, not even one that comes back when the
 * seqs have grown past its own again.
 */
export const oldBackup: Fault = {
  name: 'old-backup',
  async run({ server, clients, history, classId }) {
    const file = databaseFile(server.dataDir);
    await sleep(800);
    await server.end('SIGTERM');
    copyFileSync(file, `${file}.backup`);
    const heads = Object.fromEntries(
      readStored(file).map((stored) => [stored.classId, stored.head]),
    );
    await server.start();
    await sleep(1_200);
    const sleeper = clients[2]!;
    const watcher = clients[3]!;
    sleeper.sleep();
    await server.end('SIGTERM');
    for (const more of ['', '-wal', '-shm']) rmSync(file + more, { force: true });
    copyFileSync(`${file}.backup`, file);
    // An answer of the old server that is still on its way must not count as one of the new.
    await until(() => clients.every((client) => client.connectedAt() === null), 5_000);
    history.restores.push({ at: performance.now(), heads });
    await server.start();
    const held = sleeper.room(classId).seq;
    await until(
      () => watcher.connectedAt() !== null && watcher.room(classId).seq > held + 5,
      15_000,
    );
    sleeper.wake();
    await sleep(500);
  },
};
