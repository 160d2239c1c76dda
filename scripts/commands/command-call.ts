// What a run of an administrator's command gets, in a separate process or in a test.
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { StartupError, toStartupFailure } from '#server/base/startup-failure.ts';
import { loadConfig } from '#server/config/config.ts';
import type { Config } from '#server/config/config-types.ts';

export interface CommandCall {
  readonly args: readonly string[];
  /** @throws {StartupError} for a wrong setting */
  loadConfig(): Config;
  /** The file of the settings, whether it exists or not. */
  readonly envFile: string | null;
  readonly out: Output;
  readonly err: Output;
  /** What the operator types, or pipes into the command. */
  readonly input: Readable;
}

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** @returns the exit status */
export type RunCommand = (call: CommandCall) => Promise<number>;

/**
 * A command that explains its failure in one line.
 *
 * @param verb what it cannot do then, such as 'restore'
 */
export function createCommand(verb: string, run: (call: CommandCall) => Promise<void>): RunCommand {
  return async (call) => {
    try {
      await run(call);
      return 0;
    } catch (error) {
      call.err.write(`${toStartupFailure(error, verb)}\n`);
      return 1;
    }
  };
}

/**
 * @param usage how to call the command, as a sentence after 'Please'
 * @throws {StartupError} for an unknown option, or one without its value
 */
export function parseArguments<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const [fault] = (error as Error).message.split('. ');
    throw new StartupError(`${fault}. Please ${usage}`);
  }
}

/** Runs the command with the arguments and the settings of this process. */
export async function runInThisProcess(run: RunCommand): Promise<void> {
  // Only this user may read the files that SQLite creates. The server uses the same umask.
  process.umask(0o077);
  const { ENV_FILE = '.env' } = process.env;
  // A reader such as `head` may leave early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const status = await run({
    args: process.argv.slice(2),
    loadConfig: () => loadConfig(),
    envFile: ENV_FILE === 'none' ? null : resolve(ENV_FILE),
    out: createOutput(process.stdout),
    err: createOutput(process.stderr),
    // Only a command that reads opens it.
    get input() {
      return process.stdin;
    },
  });
  if (status === 0) return;
  // After a failure, open connections could keep the process alive. An exit would cut what a pipe has not taken yet.
  await Promise.all([writeAll(process.stdout), writeAll(process.stderr)]);
  process.exit(status);
}

/** Names commands as `scripts/backchannel` runs them, if that ran this one: with npm, they would have other settings. */
function createOutput(stream: NodeJS.WriteStream): Output {
  const { BACKCHANNEL_COMMAND: name } = process.env;
  if (name === undefined) return stream;
  const rename = (text: string) =>
    text
      .replaceAll(/npm run admin(?: --)?/g, name)
      .replaceAll(/npm run (backup|restore|doctor|migrate-to-postgres)\b(?: --)?/g, `${name} $1`);
  return { isTTY: stream.isTTY, write: (text) => stream.write(rename(text)) };
}

/** Resolves when all that was written is with the reader, or the reader is gone. */
function writeAll(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((done) => stream.write('', () => done()));
}
