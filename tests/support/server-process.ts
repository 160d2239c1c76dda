// Starts the server in its own process, as the operator does.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createChildEnvironment } from './child-environment.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ServerProcess {
  readonly child: ChildProcess;
  /** All output so far, both streams. */
  output(): string;
  /** Resolves when the server accepts connections. */
  started(): Promise<void>;
  waitForOutput(text: string): Promise<void>;
  /** Ends the server as the operator does. @returns the exit code, or the signal that ended the process */
  stop(): Promise<number | string | null>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string | null>;
}

/**
 * @param command `npm` for `npm start`, `node` for the server itself without the browser app, `node with web` with it
 * @param folder the folder with the server's sources and themes
 */
export function startProcess(
  command: 'npm' | 'node' | 'node with web',
  settings: Readonly<Record<string, string | undefined>>,
  folder = root,
): ServerProcess {
  const env = createChildEnvironment(settings);
  const webFlags = command === 'node' ? ['--without-web'] : [];
  const child =
    command === 'npm'
      ? spawn('npm', ['start'], { cwd: folder, env })
      : spawn(process.execPath, ['src/server/main.ts', ...webFlags], { cwd: folder, env });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  const exit = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  const server: ServerProcess = {
    child,
    output: () => output,
    ended: exit,
    started: () => server.waitForOutput('data folder'),
    stop() {
      child.kill('SIGTERM');
      return exit;
    },
    waitForOutput(text) {
      return new Promise((resolve, reject) => {
        const resolveIfPrinted = () => {
          if (output.includes(text)) resolve();
        };
        listeners.add(resolveIfPrinted);
        resolveIfPrinted();
        void exit.then(() => reject(new Error(`It ended without printing "${text}":\n${output}`)));
      });
    },
  };
  return server;
}
