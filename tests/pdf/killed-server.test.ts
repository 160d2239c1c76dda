// A server that is killed leaves no process behind, whatever that process draws.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { createEndlessPdf } from '#tests/support/hostile-pdfs.ts';
import { listWorkerProcesses } from '#tests/support/processes.ts';
import { sendFile } from '#tests/support/pictures.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createTestClient } from '#tests/support/test-client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-killed-'));
const processIds = new Set<number>();
afterEach(() => {
  for (const pid of processIds) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

test('the process that draws a PDF ends when the server is killed [PDF-9]', async () => {
  const port = await findFreePort();
  const server = startProcess('node', { PORT: String(port), DATA_DIR: dataDir, ...unlimitedRates });
  const pid = server.child.pid!;
  processIds.add(pid);
  await server.started();
  const ada = createTestClient(`http://127.0.0.1:${port}`, 'ada@university.edu');
  await ada.signUp();
  const classId = await ada.createClass();

  const upload = sendFile(ada, classId, createEndlessPdf()).catch(() => null);
  const poll = { timeout: 30_000 };
  const listBusyProcesses = () =>
    listWorkerProcesses('pdf-worker', pid).filter(({ busyTicks }) => busyTicks > 50);
  await expect.poll(listBusyProcesses, poll).toHaveLength(1);

  const [worker] = listBusyProcesses();
  processIds.add(worker!.pid);
  server.child.kill('SIGKILL');
  await upload;
  await expect.poll(() => existsSync(`/proc/${worker!.pid}`), poll).toBe(false);
});
