import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { watchReading } from '../watch-reading.ts';
import type { Fault } from '../stage.ts';
import { toDatabaseFile } from '../stored.ts';

const holder = fileURLToPath(new URL('../hold-lock.ts', import.meta.url));

/** A browser shows an error after this time. */
const answeredWithinMs = 3_000;

/** Another process holds the database's write lock, first briefly, then longer than the server waits. */
export const lockedDatabase: Fault = {
  name: 'locked-database',
  async run(stage) {
    const { server, full, clients } = stage;
    await sleep(500);
    const reading = watchReading(stage);
    const lockedAt = performance.now();
    for (const milliseconds of [1_000, full ? 20_000 : 7_000]) {
      const file = toDatabaseFile(server.dataDir);
      const child = spawn(process.execPath, [holder, file, String(milliseconds)], {
        stdio: 'inherit',
      });
      const exit = once(child, 'exit');
      await sleep(400);
      // A write to an account table, which uses another queue than messages.
      await clients[0]!.account.signIn().catch(() => {});
      await exit;
      await sleep(300);
    }
    reading.end('while the database is locked');
    const waits = stage.history.operations.flatMap(({ invokedAt, answers: [first] }) =>
      invokedAt > lockedAt ? [(first?.time ?? performance.now()) - invokedAt] : [],
    );
    const slowest = Math.round(Math.max(...waits));
    const soon = slowest < answeredWithinMs;
    stage.observe(
      'a write that must be retried is refused in time',
      soon,
      `the slowest took ${slowest} ms`,
    );
    await sleep(500);
  },
};
