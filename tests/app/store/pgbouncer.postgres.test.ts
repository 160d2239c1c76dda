// A pooler between the server and PostgreSQL. Debian's package: pgbouncer.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { findCommand } from '../../../scripts/system-commands.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { startPgBouncer, type PgBouncer } from '#tests/support/pgbouncer.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

describe.skipIf(!findCommand('pgbouncer'))('through PgBouncer', () => {
  let database: TestDatabase;
  let pooler: PgBouncer | null;
  let servers: ServerProcess[];
  beforeEach(async () => {
    database = await createTestDatabase();
    pooler = null;
    servers = [];
  });
  afterEach(async () => {
    for (const { child, ended } of servers) {
      child.kill('SIGKILL');
      await ended;
    }
    await pooler?.stop();
    await database.drop();
  });

  async function start(poolMode: Parameters<typeof startPgBouncer>[1]) {
    const { DATABASE_URL, DATA_DIR } = database.settings;
    pooler ??= await startPgBouncer(DATABASE_URL!, poolMode);
    const port = String(await findFreePort());
    const server = startProcess('node', {
      ...database.settings,
      DATABASE_URL: pooler.url,
      PORT: port,
      DATA_DIR: join(DATA_DIR, port),
    });
    servers.push(server);
    return { server, origin: `http://127.0.0.1:${port}` };
  }

  test.each(['transaction', 'statement'] as const)(
    'the server does not start behind PgBouncer in pool mode %s, and the doctor says why, too [START-20, START-5, DOCTOR-15]',
    async (poolMode) => {
      await expectStartRefused((await start(poolMode)).server, /pool_mode = session/);

      const { output } = await runCommand('doctor', [], {
        ...database.settings,
        DATABASE_URL: pooler!.url,
      });
      expect(output).toMatch(/✗ database .*pool_mode = session/);
    },
  );

  test('the server works behind PgBouncer in pool mode session [START-20, START-11]', async () => {
    const { server, origin } = await start('session');
    await server.started();
    const ada = createTestClient(origin, 'ada@university.edu');
    await ada.signUp();
    const classId = await ada.createClass();

    expect(await ada.post(classId, 'pooled')).toMatchObject({ type: 'ack' });
    await expectStartRefused((await start('session')).server, /another server uses the database/);
  });
});
