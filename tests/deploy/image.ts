// Builds deploy/Dockerfile with buildah and runs the image. Debian's debootstrap makes the base images, because no registry of
// images can be reached. buildah's isolation `chroot` needs no rights over control groups, and shares the machine's network.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { copyCheckout } from '../../scripts/copy-checkout.ts';
import { findCommand } from '../../scripts/system-commands.ts';
import { findServer, run } from './processes.ts';

export interface ImageConfig {
  User: string;
  Env: string[];
  Cmd: string[];
  Healthcheck: { Test: string[] };
  Volumes: Record<string, unknown>;
  WorkingDir: string;
}

/** Files of a checkout that must not reach an image. */
export const privateFiles = ['.env', 'data/server.key', 'server.key', 'src/notes.test.ts'];

/** The folders that Debian's slim images do not have, and what apt downloaded. */
const foldersToRemove = [
  ...['usr/share/doc', 'usr/share/man', 'usr/share/info', 'usr/share/locale'],
  ...['var/lib/apt/lists', 'var/cache/apt'],
];

/** The images and containers in a folder. */
export class Buildah {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Builds the image `backchannel` from a copy of this checkout with {@link privateFiles}. */
  buildImage(): void {
    this.#createDebianImage();
    this.#createNodeImage();
    const context = join(this.#folder, 'context');
    createPrivateCheckout(context);
    const npmCache = run('npm', 'config', 'get', 'cache');
    mkdirSync(npmCache, { recursive: true });
    this.run(
      ...['bud', '--isolation', 'chroot', '--format', 'docker', '--tag', 'backchannel'],
      ...['--build-arg', 'NODE_IMAGE=localhost/node'],
      ...['--build-arg', 'DEBIAN_IMAGE=localhost/debian'],
      ...['--volume', `${npmCache}:/root/.npm`],
      ...['--file', join(context, 'deploy/Dockerfile'), context],
    );
  }

  #createDebianImage(): void {
    const container = this.createContainer('scratch');
    const root = this.mount(container);
    run('debootstrap', '--variant=minbase', 'trixie', root);
    for (const folder of foldersToRemove) rmSync(join(root, folder), { recursive: true });
    this.run('commit', '--rm', container, 'localhost/debian');
  }

  /** Adds the machine's npm, and the Node.js of this process with the library that it needs. */
  #createNodeImage(): void {
    const container = this.createContainer('localhost/debian');
    const root = this.mount(container);
    const copy = (from: string, to: string) => {
      cpSync(from, join(root, to), { recursive: true, dereference: true });
    };
    copy(process.execPath, '/usr/local/bin/node');
    const library = /\S+\/(\S+\/libatomic\.so\.1)/.exec(run('ldd', process.execPath));
    copy(library![0], `/usr/lib/${library![1]}`);
    copy(dirname(dirname(realpathSync(findCommand('npm')!))), '/usr/local/lib/node_modules/npm');
    const npm = '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n';
    writeFileSync(join(root, 'usr/local/bin/npm'), npm, { mode: 0o755 });
    mkdirSync(join(root, 'usr/local/etc'), { recursive: true });
    for (const name of ['registry', 'cafile']) {
      const value = run('npm', 'config', 'get', name);
      if (value === 'null') continue;
      appendFileSync(join(root, 'usr/local/etc/npmrc'), `${name}=${value}\n`);
      if (name === 'cafile') copy(value, value);
    }
    this.run('commit', '--rm', container, 'localhost/node');
  }

  /** Returns the name of a new container. */
  createContainer(image: string): string {
    const container = this.run('from', '--pull-never', image);
    // Otherwise buildah mounts a volume of its own over the test's.
    this.run('config', '--volume', '/data-', container);
    return container;
  }

  /** Returns the folder that is `/` in the container. */
  mount(container: string): string {
    return this.run('mount', container);
  }

  inspect(image: string): ImageConfig {
    const { Docker } = JSON.parse(this.run('inspect', '--type', 'image', image)) as {
      Docker: { config: ImageConfig };
    };
    return Docker.config;
  }

  /** Starts the command of the image, or another one, as the user of the image. */
  start(container: string, { command, volume, port }: ContainerOptions): ContainerProcess {
    const child = spawn('buildah', [
      ...[...this.#storage, 'run', '--isolation', 'chroot', '--env', `PORT=${port}`],
      ...['--volume', `${volume}:/data`, container, '--', ...command],
    ]);
    return new ContainerProcess(child);
  }

  run(...args: string[]): string {
    return run('buildah', ...this.#storage, ...args);
  }

  get #storage(): string[] {
    return ['--root', join(this.#folder, 'storage'), '--runroot', join(this.#folder, 'state')];
  }
}

interface ContainerOptions {
  command: readonly string[];
  /** The folder that is `/data`. */
  volume: string;
  port: number;
}

export class ContainerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #output = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
  }

  async waitUntilReady(): Promise<void> {
    await vi.waitUntil(() => this.#output.includes('data folder'), { timeout: 60_000 });
  }

  /** Stops the server as `docker stop` does. Returns the exit code and what it printed. */
  async stop(): Promise<{ code: unknown; output: string }> {
    const server = this.#child.exitCode === null && findServer(this.#child.pid!);
    if (server) process.kill(server, 'SIGTERM');
    return this.end();
  }

  /** Waits for the end. */
  async end(): Promise<{ code: unknown; output: string }> {
    const [code] = await this.#ended;
    return { code, output: this.#output };
  }
}

/** Creates a checkout that only its owner can read. */
function createPrivateCheckout(target: string): void {
  copyCheckout(target);
  for (const file of privateFiles) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), 'private');
  }
  run('chmod', '-R', 'go=', target);
}
