// The memory of a running server after the links of a class are removed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { endClass } from '#server/features/class-admin/ended-classes.ts';
import { computeMemberId } from '#server/chat/members/member-ids.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { waitForServer } from '#tests/support/notifications.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { openFileDatabase } from '#tests/support/test-database.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { writeChange } from '#tests/support/write-change.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

let dir: string;
let server: ServerProcess;
let port: number;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-memory-'));
  port = await findFreePort();
  server = startProcess('node', {
    DATA_DIR: dir,
    PORT: String(port),
    EMAIL_VERIFICATION: 'off',
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${dir}`,
  });
  await server.started();
});
afterEach(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

const createVisitor = (name: string) =>
  createTestClient(`http://127.0.0.1:${port}`, `${name}@university.edu`);

/** Every string in the server's memory, and more. */
async function extractMemory(socket: TestSocket): Promise<string> {
  server.child.kill('SIGUSR2');
  const isThere = () => readdirSync(dir).find((name) => name.endsWith('.heapsnapshot'));
  await expect.poll(isThere).toBeTruthy();
  // The server answers when the file is complete.
  await waitForServer(socket);
  return readFileSync(join(dir, isThere()!), 'latin1');
}

test('the end of a class removes its salt and the memberIds of its readers from memory [ANON-50]', async () => {
  const ada = createVisitor('ada');
  const ben = createVisitor('ben');
  const cleo = createVisitor('cleo');
  for (const student of [ada, ben, cleo]) await student.signUp();
  const classId = await ada.createClass();
  for (const student of [ben, cleo]) await student.join(classId);
  await ada.post(classId, 'Hello');
  // Others have never seen the personas of these two.
  const full = await ben.connectTo(classId);
  const light = await cleo.connect();
  light.send({ type: 'subscribe', rid: 1, classId, light: true });
  await light.waitFor('unread');
  const database = openFileDatabase(dir);
  const [classRow] = await database.query(
    `select salt from classes where "classId" = '${classId}'`,
  );
  const salt = String(classRow!['salt']);
  const { personas } = loadServerKeys(null, dir);
  const ids = [];
  for (const { email } of [ben, cleo]) {
    const [row] = await database.query(
      `select id from accounts where "addressKey" = ${quoteAddressKey(database, email)}`,
    );
    ids.push(computeMemberId(personas, salt, String(row!['id'])));
  }

  const config = loadConfig({ DATA_DIR: dir }).database;
  await writeChange(config, (unitOfWork) => endClass(unitOfWork, classId, '', 0));
  await full.waitFor('events');

  const memory = await extractMemory(full);
  expect(memory).toContain(classId);
  for (const secret of [salt, ...ids]) expect(memory).not.toContain(secret);
});
