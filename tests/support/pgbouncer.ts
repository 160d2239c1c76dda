// PgBouncer in front of a PostgreSQL server, for the duration of a test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../scripts/find-free-port.ts';

export interface PgBouncer {
  /** The connection URL of the database through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/** @param target the connection URL of the database, whose server trusts local users */
export async function startPgBouncer(
  target: string,
  poolMode: 'session' | 'transaction' | 'statement',
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'backchannel-pgbouncer-'));
  // PgBouncer refuses to run as root and changes its user.
  chmodSync(folder, 0o755);
  const { hostname, port, username } = new URL(target);
  const ownPort = await findFreePort();
  writeFileSync(join(folder, 'users'), `"${username}" ""\n`);
  const settings = [
    ...['[databases]', `* = host=${hostname} port=${port}`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${ownPort}`],
    ...['unix_socket_dir =', 'auth_type = trust', `auth_file = ${join(folder, 'users')}`],
    ...[`pool_mode = ${poolMode}`, 'default_pool_size = 20'],
  ];
  writeFileSync(join(folder, 'settings.ini'), settings.join('\n'));
  const userOptions = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const args = [...userOptions, join(folder, 'settings.ini')];
  const child = spawn('pgbouncer', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exit = once(child, 'close');
  while (!(await canConnect(ownPort))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${output}`);
    await sleep(20);
  }
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(ownPort);
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
