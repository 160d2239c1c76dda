import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../settle.ts';
import type { Fault } from '../stage.ts';
import { toDatabaseFile, loadStored } from '../stored.ts';

/**
 * While the server is down, the database file is replaced with an older copy that has the same epoch. Clients
 * that hold later seqs must not mix the two histories, even if a client returns after the seqs have passed
 * its own.
 */
export const oldBackup: Fault = {
  name: 'old-backup',
  async run({ server, clients, history, classId }) {
    const file = toDatabaseFile(server.dataDir);
    await sleep(800);
    await server.end('SIGTERM');
    copyFileSync(file, `${file}.backup`);
    const heads = Object.fromEntries(
      loadStored(file).map((storedClass) => [storedClass.classId, storedClass.head]),
    );
    await server.start();
    await sleep(1_200);
    const sleeper = clients[2]!;
    const watcher = clients[3]!;
    sleeper.disconnect();
    await server.end('SIGTERM');
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    copyFileSync(`${file}.backup`, file);
    // A late answer of the old server must not count as an answer of the new one.
    await waitUntil(() => clients.every((client) => client.connectedAt() === null), 5_000);
    history.restores.push({ time: performance.now(), heads });
    await server.start();
    const sleeperSeq = sleeper.room(classId).seq;
    await waitUntil(
      () => watcher.connectedAt() !== null && watcher.room(classId).seq > sleeperSeq + 5,
      15_000,
    );
    sleeper.connect();
    await sleep(500);
  },
};
