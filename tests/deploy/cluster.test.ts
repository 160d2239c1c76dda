// `npm run cluster`: PostgreSQL, Redis, three nodes and Caddy, of which nothing is left at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { createChildEnvironment } from '#tests/support/child-environment.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { listDescendants } from '#tests/support/processes.ts';
import { findServer } from './processes.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backchannel-test-'));
  chmodSync(folder, 0o755); // PostgreSQL runs as its own user.
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startCluster(environment: Record<string, string>) {
  const child = spawn(process.execPath, ['scripts/cluster.ts', '--without-web'], {
    cwd: projectRoot,
    env: { ...createChildEnvironment(environment), TMPDIR: folder },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return { child, output: () => output, ended: once(child, 'exit') };
}

test('the nodes of npm run cluster chat behind Caddy, even if one of them dies [NODE-20]', async () => {
  const port = await findFreePort();
  const { child, output, ended } = startCluster({ PORT: String(port) });
  await expect.poll(output, { timeout: 90_000 }).toContain('Ctrl-C ends it');

  const processes = listDescendants(child.pid!);
  const ports = [...output().matchAll(/127\.0\.0\.1:(\d+)/g)].map((match) => Number(match[1]));
  expect(ports).toHaveLength(5);

  const origin = `http://localhost:${port}`;
  const [ada, ben] = ['ada', 'ben'].map((name) =>
    createTestClient(origin, `${name}@university.edu`),
  );
  await ada!.signUp();
  await ben!.signUp();
  const classId = await ada!.createClass();
  await ben!.join(classId);
  // Caddy gives each connection to the node with the fewest.
  const sockets = [];
  for (let i = 0; i < 3; i++) sockets.push(await ben!.connectTo(classId));
  const reply = await ada!.post(classId, 'over all nodes');
  for (const socket of sockets) {
    await socket.waitFor('events', ({ items }) =>
      items.some((item) => item.kind === 'posted' && item.message.id === reply.id),
    );
  }

  const node = findServer(child.pid!)!;
  process.kill(node, 'SIGKILL');
  for (let i = 0; i < 6; i++) expect((await ben!.fetch('/readyz')).status).toBe(200);

  await ada!.post(classId, 'over the others');

  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(readdirSync(folder)).toEqual([]);
  await expect.poll(() => processes.filter(isAlive)).toEqual([]);
  for (const openPort of [port, ...ports]) {
    await expect.poll(() => isListening(openPort)).toBe(false);
  }
});

test('npm run cluster names the package of what is not installed [NODE-20]', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const { output, ended } = startCluster({ PATH: empty });

  expect(await ended).toEqual([1, null]);
  expect(output()).toMatch(/Redis, Caddy\. On Debian: apt install .*redis-server caddy$/m);

  rmSync(empty, { recursive: true });
  expect(readdirSync(folder)).toEqual([]);
});

function isAlive(pid: number): boolean {
  try {
    // A process that ended stays in the list until its parent asks for it.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
