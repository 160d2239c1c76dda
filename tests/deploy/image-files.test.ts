// A server that runs from the files of the image, as the image's user, and what systemd's unit would allow it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { createManyPages } from '#tests/support/pdf-files.ts';
import { loadImageMetadata, createJpeg, upload } from '#tests/support/pictures.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { carryOut, isSent, loadDockerfile, type Image } from './dockerfile.ts';
import { listAllowedCalls, loadTrace, listUnitValues } from './system-calls.ts';

const isRoot = process.getuid?.() === 0;

let folder: string;
let image: Image;
let port: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backchannel-image-'));
  // The image's user writes the trace there.
  chmodSync(folder, 0o777);
  image = carryOut(loadDockerfile(), folder);
  port = String(await findFreePort());
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const getUserOptions = () => ({
  cwd: image.workdir,
  env: { ...image.environment, PORT: port },
  ...(isRoot ? image.user : {}),
});

function runHealthCheck(): number | null {
  const [command = '', ...args] = image.healthCheck;
  return spawnSync(command, args, getUserOptions()).status;
}

/** Runs the image's command while the test visits the server, and returns the trace. */
async function visitWhileRunning(visit: (origin: string) => Promise<void>) {
  const file = join(folder, 'trace');
  // -D: the child itself is the server, so it gets the signal.
  const tracing = ['-D', '-f', '-qq', '-e', 'signal=none', '-o', file];
  const child = spawn('strace', [...tracing, ...image.command], getUserOptions());
  const exit = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  try {
    await expect
      .poll(() => output, { timeout: 60_000, message: 'The server has not started.' })
      .toContain('data folder');
    await visit(`http://localhost:${port}`);
  } finally {
    child.kill('SIGTERM');
    await exit;
  }
  expect(child.exitCode, output).toBe(0);
  return loadTrace(file);
}

test('the image has only what the program needs [DEPLOY-1]', () => {
  const names = readdirSync(image.workdir);

  expect(names).toEqual(expect.arrayContaining(['dist', 'node_modules', 'src', 'themes']));
  for (const name of ['.git', 'data', 'deploy', 'tests', 'bench', '.env']) {
    expect(names).not.toContain(name);
  }
  expect(names.filter((name) => name.startsWith('.'))).toEqual(['.npmrc']);
  // npm keeps Vite itself, as an optional peer of another package.
  expect(existsSync(join(image.workdir, 'node_modules/@vitejs/plugin-react'))).toBe(false);
});

test('no data, secret or test of a checkout reaches a builder [DEPLOY-1]', () => {
  const secrets = ['.env', 'deploy/.env', 'data/server.key', 'server.key', '.git/config'];
  const otherArgs = [
    'dist/web/index.html',
    'node_modules/ws/index.js',
    'src/server/config/config.test.ts',
  ];

  expect([...secrets, ...otherArgs].filter(isSent)).toEqual([]);
  expect(['src/server/main.ts', '.npmrc', 'tsconfig.json'].filter(isSent)).toHaveLength(3);
});

test('the image works as a user that owns none of its files [DEPLOY-1]', async () => {
  expect(image.user.uid).toBeGreaterThan(0);
  expect(runHealthCheck()).toBe(1);

  let ada: TestClient;
  const trace = await visitWhileRunning(async (origin) => {
    expect(runHealthCheck()).toBe(0);
    const page = await (await fetch(`${origin}/signin`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(new URL(script!, origin))).status).toBe(200);
    expect((await fetch(`${origin}/manifest.webmanifest`)).status).toBe(200);
    ada = createTestClient(origin, 'ada@university.edu');
    await ada.signUp();
    await ada.newBrowser().signIn();
    const classId = await ada.createClass();
    expect(await ada.post(classId, 'from the image')).toMatchObject({ type: 'ack' });
    const { imageUrl } = await upload(ada, classId, await createJpeg(300, 200));
    expect(await loadImageMetadata(ada, imageUrl)).toMatchObject({ width: 300 });
    expect(await upload(ada, classId, createManyPages(2))).toMatchObject({ pages: 2 });
  });
  const allowedCalls = listAllowedCalls();
  expect(allowedCalls.size).toBeGreaterThan(200);
  expect(trace.calls.size).toBeGreaterThan(50);
  // What follows includes what the sandbox of decoders needs.
  expect(trace.calls).toContain('pivot_root');
  expect(
    [...trace.calls].filter((call) => !allowedCalls.has(call)),
    'calls',
  ).toEqual([]);

  const families = listUnitValues('RestrictAddressFamilies').flatMap((line) => line.split(' '));
  expect(families).toEqual(expect.arrayContaining([...trace.socketFamilies]));

  const data = image.environment['DATA_DIR']!;
  const otherFiles = [...trace.written].filter((file) => !file.startsWith(data));
  expect(
    otherFiles.filter((file) => !/^\/(dev|proc|tmp)\//.test(file)),
    'files',
  ).toEqual([]);
});
