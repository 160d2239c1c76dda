// Runs Caddy in front of several nodes. Caddy sends requests only to nodes that are ready.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts Caddy. Resolves when Caddy returns the answer of a node. Caddy ends when this process ends. */
export async function runCaddy(
  command: string,
  folder: string,
  port: number,
  upstreams: readonly string[],
): Promise<{ stop(): Promise<void> }> {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, createConfiguration(port, upstreams));
  const child = spawn(command, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const end = () => void child.kill('SIGKILL');
  process.on('exit', end);
  const exit = once(child, 'exit').then(() => process.off('exit', end));
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (child.exitCode !== null) throw new Error(`Caddy ended:\n${output}`);
    await sleep(50);
  }
  return {
    async stop() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The policy least_conn sends a new connection to the node with the fewest, so that two tabs likely use different nodes. */
const createConfiguration = (port: number, upstreams: readonly string[]) => `{
	admin off
	auto_https off
	log {
		level ERROR
		exclude http.log.error http.handlers.reverse_proxy
	}
}

http://:${port} {
	bind 127.0.0.1
	request_body {
		max_size 11MiB
	}
	reverse_proxy ${upstreams.join(' ')} {
		lb_policy least_conn
		lb_try_duration 5s
		health_uri /readyz
		health_interval 1s
		health_timeout 2s
		fail_duration 2s
		transport http {
			keepalive 3s
		}
	}
}
`;
