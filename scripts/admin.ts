// `npm run admin` runs the operator's commands, whether the server runs or not.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { classLabel } from '#contract/class-label.ts';
import { errors, AppError, type ErrorCode } from '#contract/errors.ts';
import { readConfig } from '#server/config.ts';
import { deleteClass, endClass } from '#server/domain/classes.ts';
import { restorableDays, restoreClass } from '#server/domain/deleted-classes.ts';
import { createLog } from '#server/log.ts';
import { failureReason } from '#server/startup-failure.ts';
import { createCommitQueue, type Change } from '#server/storage/commit-queue.ts';
import type { Tables } from '#server/storage/database.ts';
import { openForCommand } from '#server/storage/open-database.ts';
import { newKey } from './new-key.ts';
import { testMail } from './test-mail.ts';

interface Command {
  /** The argument of the command. Brackets mark an optional one. */
  takes: string;
  does: string;
  /** @returns a sentence that says what was done */
  run(argument: string): Promise<string>;
}

const commands: Record<string, Command> = {
  'delete-class': {
    takes: 'ID',
    does: `takes a class away from everybody, and erases it after ${restorableDays} days; ID is the end of its link, /home/ID`,
    async run(classId) {
      const deleted = await write((change) => deleteClass(change, classId), {
        NOT_FOUND: `There is no class with the id ${classId}.`,
      });
      return `The class ${classLabel(deleted)} is deleted. Its messages and pictures are kept for ${restorableDays} days, then erased. Until then: npm run admin -- restore-class ${classId}`;
    },
  },
  'restore-class': {
    takes: 'ID',
    does: `brings back a class that was deleted within the last ${restorableDays} days`,
    async run(classId) {
      const restored = await write((change) => restoreClass(change, classId), {
        NOT_FOUND: `There is no deleted class with the id ${classId}, or it was deleted more than ${restorableDays} days ago.`,
      });
      return `The class ${classLabel(restored)} is back, with its members, personas and messages.`;
    },
  },
  'end-term': {
    takes: 'ID',
    does: 'makes a class one to read only, and forgets for good which account each of its personas is',
    async run(classId) {
      const ended = await write((change) => endClass(change, classId), {
        NOT_FOUND: `There is no class with the id ${classId}.`,
      });
      return `The class ${classLabel(ended)} has ended: its members can read it, and nobody can be found behind what was said. Older backups still can tell: delete them.`;
    },
  },
  'test-mail': {
    takes: 'ADDRESS',
    does: 'sends a mail to the address and says what the mail server answered',
    run: testMail,
  },
  'new-key': {
    takes: '[--yes]',
    does: 'replaces the server key, while the server is stopped: keeps personas if the old key is here, and goes on without it if it is lost',
    run: (flag) => newKey(flag === '--yes'),
  },
};

// Only this user may read the files that SQLite creates. The server uses the same umask.
process.umask(0o077);
process.exitCode = await main(process.argv.slice(2));

async function main([name = '', ...given]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const [argument = ''] = given;
  if (!command || given.length > 1 || !fits(command, argument)) {
    console[name ? 'error' : 'log'](usage());
    return name ? 1 : 0;
  }
  try {
    console.log(await command.run(argument));
    return 0;
  } catch (error) {
    console.error(`Nothing was done: ${failureReason(error)}`);
    return 1;
  }
}

function fits({ takes }: Command, argument: string): boolean {
  const optional = /^\[(.*)\]$/.exec(takes)?.[1];
  return optional === undefined ? argument !== '' : argument === '' || argument === optional;
}

function usage(): string {
  const lines = Object.entries(commands).map(
    ([name, { takes, does }]) => `  npm run admin -- ${name} ${takes}\n      ${does}`,
  );
  return `Commands, with the settings that the server has (DATA_DIR or DATABASE_URL):\n\n${lines.join('\n')}`;
}

/**
 * Runs one change in its own transaction. @param sentences the message for each error code that the change
 * can throw
 */
async function write<Result>(
  change: Change<Result>,
  sentences: Partial<Record<ErrorCode, string>>,
): Promise<Result> {
  const log = createLog({ write: () => {} });
  const { database } = readConfig();
  const db = await openForCommand(database, log);
  let erased = false;
  const commits = createCommitQueue(
    db,
    () => {},
    log,
    () => (erased = true),
  );
  try {
    const result = await commits.write(change);
    if (erased && database.kind === 'sqlite') await emptyWal(db);
    return result;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Error(sentences[error.code] ?? errors[error.code].message, { cause: error });
  } finally {
    await db.destroy();
  }
}

/**
 * Erased data stays in SQLite's -wal file until a checkpoint truncates it. A reader can block the checkpoint
 * briefly.
 */
async function emptyWal(db: Kysely<Tables>): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return;
    await sleep(200);
  }
}
