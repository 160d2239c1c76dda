// Starts a real S3 server in its own process. It checks signatures and stores objects in a folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../scripts/find-free-port.ts';

export interface S3Server {
  readonly settings: Readonly<Record<string, string>>;
  /** The keys of all objects. */
  keys(): string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Until `thaw`, the server accepts connections and sends no reply. */
  freeze(): void;
  thaw(): void;
  drop(): Promise<void>;
}

const program = fileURLToPath(new URL('s3-process.ts', import.meta.url));
const bucket = 'pictures';

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-s3-'));
  const port = await findFreePort();
  let server: ChildProcess;

  async function start(): Promise<void> {
    server = spawn(process.execPath, [program, folder, String(port), bucket], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout!, 'data');
  }
  async function stop(): Promise<void> {
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
  }
  await start();

  return {
    settings: {
      S3_BUCKET: bucket,
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    keys: () =>
      readdirSync(join(folder, bucket), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('_object'))
        .map((file) => file.replace(/\._S3rver_object$/, '')),
    start,
    stop,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async drop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
