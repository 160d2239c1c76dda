// The image of deploy/Dockerfile: built, run, and compared with what systemd's unit allows.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { postAndUpload } from './post-and-upload.ts';
import { Buildah, privateFiles, type ImageConfig } from './image.ts';
import { run } from './processes.ts';
import { listAllowedCalls, loadTrace, listUnitValues } from './system-calls.ts';

describe.skipIf(process.getuid?.() !== 0)('the image, which only root can build here,', () => {
  let folder: string;
  let buildah: Buildah;
  let config: ImageConfig;
  let container: string;
  /** The folder that is `/` in the container. */
  let root: string;
  let user: { uid: number; gid: number };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'backchannel-image-'));
    // The user of the image writes its data and the trace there.
    chmodSync(folder, 0o777);
    buildah = new Buildah(folder);
    buildah.buildImage();
    config = buildah.inspect('backchannel');
    const [uid = 0, gid = 0] = config.User.split(':').map(Number);
    user = { uid, gid };
    container = buildah.createContainer('backchannel');
    root = buildah.mount(container);
  }, 600_000);
  afterAll(() => {
    buildah.run('rm', '--all');
    buildah.run('rmi', '--all', '--force');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Creates a volume as Docker does: with the files of the folder in the image, and their owner. */
  function createVolume(): string {
    const volume = join(folder, `volume-${readdirSync(folder).length}`);
    run('cp', '--archive', join(root, 'data'), volume);
    return volume;
  }

  test('two students chat through the image, and another container reads what its volume has [DEPLOY-1]', async () => {
    const volume = createVolume();
    const port = await findFreePort();
    const origin = `http://localhost:${port}`;
    const [, ...checkCommand] = config.Healthcheck.Test;
    const checkHealth = () =>
      buildah.start(container, { command: checkCommand, volume, port }).end();

    expect((await checkHealth()).code).toBe(1);
    const { ada, classId } = await visit(container, async () => {
      expect((await checkHealth()).code).toBe(0);
      const page = await (await fetch(`${origin}/signin`)).text();
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
      expect((await fetch(new URL(script!, origin))).status).toBe(200);
      return postAndUpload(origin);
    });

    await visit(buildah.createContainer('backchannel'), async () => {
      await ada.newBrowser().signIn();
      const { messages } = await ada.snapshot(classId);
      expect(messages).toEqual([expect.objectContaining({ text: 'the first message' })]);
    });

    async function visit<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
      const server = buildah.start(name, { command: config.Cmd, volume, port });
      let result: Result;
      try {
        await server.waitUntilReady();
        result = await act();
      } finally {
        await server.stop();
      }
      const { code, output } = await server.end();
      expect(code, output).toBe(0);
      return result;
    }
  });

  test('the image has one Node.js, what the program needs, and nothing private of a checkout [DEPLOY-1]', () => {
    const app = join(root, config.WorkingDir);
    const names = readdirSync(app);
    const files = readdirSync(root, { recursive: true, withFileTypes: true });
    const isExecutable = (path: string) => (statSync(path).mode & 0o111) !== 0;
    const paths = files.map((file) => ({ file, path: join(file.parentPath, file.name) }));

    expect(names).toEqual(expect.arrayContaining(['dist', 'node_modules', 'src', 'themes']));
    expect(privateFiles.filter((file) => existsSync(join(app, file)))).toEqual([]);
    for (const name of ['.git', 'data', 'deploy', 'tests', 'bench', 'docs', 'spec']) {
      expect(names).not.toContain(name);
    }
    expect(names.filter((name) => name.startsWith('.'))).toEqual(['.npmrc']);
    expect(existsSync(join(app, 'node_modules/vite'))).toBe(false);
    const nodes = paths.filter(
      ({ file, path }) => file.name === 'node' && file.isFile() && isExecutable(path),
    );
    expect(nodes.map(({ path }) => path)).toEqual([join(root, 'usr/local/bin/node')]);
    const deadLinks = paths.filter(
      ({ file, path }) => file.isSymbolicLink() && path.startsWith(app) && !existsSync(path),
    );
    expect(deadLinks.map(({ path }) => `${path} -> ${readlinkSync(path)}`)).toEqual([]);
  });

  test('the image has less than 300 MB, and its user owns none of its files [DEPLOY-1]', () => {
    const [bytes] = run('du', '--summarize', '--bytes', '--one-file-system', root).split('\t');
    const ownFiles = run('find', root, '-xdev', '-uid', String(user.uid)).split('\n');

    expect(Number(bytes) / 1e6).toBeLessThan(300);
    expect(user.uid).toBeGreaterThan(0);
    expect(ownFiles.toSorted()).toEqual(
      ['data', 'data/images', 'key'].map((name) => join(root, name)),
    );
  });

  test('the program of the image makes only system calls that the unit allows [DEPLOY-2]', async () => {
    const program = join(folder, 'program');
    cpSync(join(root, config.WorkingDir), program, { recursive: true, verbatimSymlinks: true });
    const volume = createVolume();
    const port = await findFreePort();
    const traceFile = join(folder, 'trace');
    // -D: the child itself is the server, so it gets the signal.
    const tracing = ['-D', '-f', '-qq', '-e', 'signal=none', '-o', traceFile];
    // On this machine, as the unit does: with bubblewrap, which the image does not have.
    const child = spawn('strace', [...tracing, ...config.Cmd], {
      cwd: program,
      env: {
        ...Object.fromEntries(config.Env.map((entry) => entry.split(/=(.*)/s))),
        PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        DATA_DIR: volume,
        PORT: String(port),
      },
      ...user,
    });
    const exit = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    try {
      await expect
        .poll(() => output, { timeout: 60_000, message: 'The server has not started.' })
        .toContain('data folder');
      await postAndUpload(`http://localhost:${port}`);
    } finally {
      child.kill('SIGTERM');
      await exit;
    }
    expect(child.exitCode, output).toBe(0);

    const trace = loadTrace(traceFile);
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

    const otherFiles = [...trace.written].filter((file) => !file.startsWith(volume));
    expect(
      otherFiles.filter((file) => !/^\/(dev|proc|tmp)\//.test(file)),
      'files',
    ).toEqual([]);
  });
});
