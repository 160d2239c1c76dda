// A command of `npm run admin`. Features export theirs, and scripts/commands/admin.ts runs them.
import { z } from 'zod';
import { parseTypedEmail } from '#contract/email-address.ts';
import type { ErrorCode } from '#contract/errors.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Change } from '#server/store/changes.ts';
import { loadCommandKeys, type CommandKeys } from './command-keys.ts';
import { runOnDatabase, type OpenDatabase } from './run-on-database.ts';

export interface AdminCommand {
  readonly name: string;
  readonly description: string;
  /** The arguments, in the order in which they are typed. */
  readonly takes: z.ZodObject;
  readonly options: z.ZodObject;
  /** @param input what the two schemas parsed */
  run(context: CommandContext, input: object): Promise<CommandReport>;
}

export interface CommandContext {
  readonly config: Config;
  /** Says how far a long command is. */
  printProgress(line: string): void;
  /** Asks on the terminal. @returns the first line of the input, or '' */
  readLine(question: string): Promise<string>;
}

export interface DatabaseContext extends CommandContext, OpenDatabase {
  /** Commits the change. No change of a server runs meanwhile. */
  write<Result>(change: Change<Result>): Promise<Result>;
  /** @throws if the database belongs to another key, now or when a change commits */
  loadKeys(): Promise<CommandKeys>;
}

/** The result of a command. If it runs with --json, all fields are printed. */
export interface CommandReport {
  /** Sentences that say what was done. */
  message: string;
  /** The exit status, if it is not 0. */
  status?: number;
  [field: string]: unknown;
}

/** The exit status of a command that left something out, and says what. */
export const incompleteStatus = 2;

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an index signature would make every field unknown
type NoFields = Record<never, never>;

interface Description<Takes extends z.ZodRawShape, Options extends z.ZodRawShape> {
  name: string;
  description: string;
  takes?: Takes;
  /** An option `courseName` is typed as --course-name NAME. A boolean takes no value. */
  options?: Options;
}

type Input<Takes extends z.ZodRawShape, Options extends z.ZodRawShape> = z.output<
  z.ZodObject<Takes & Options>
>;

/** Defines a command that needs no database. */
export function defineCommand<
  Takes extends z.ZodRawShape = NoFields,
  Options extends z.ZodRawShape = NoFields,
>({
  takes,
  options,
  ...command
}: Description<Takes, Options> & {
  run(context: CommandContext, input: Input<Takes, Options>): Promise<CommandReport>;
}): AdminCommand {
  return { ...command, takes: z.object(takes ?? {}), options: z.object(options ?? {}) };
}

/** Defines a command on the database, which runs next to a server or without one. */
export function defineDatabaseCommand<
  Takes extends z.ZodRawShape = NoFields,
  Options extends z.ZodRawShape = NoFields,
>(
  command: Description<Takes, Options> & {
    /** Messages that fit the command better than those of the errors. */
    toMessages?(input: NoInfer<Input<Takes, Options>>): Partial<Record<ErrorCode, string>>;
    run(context: DatabaseContext, input: Input<Takes, Options>): Promise<CommandReport>;
  },
): AdminCommand {
  return defineCommand<Takes, Options>({
    ...command,
    run: (context, input) =>
      runOnDatabase(
        context.config.database,
        (database) => command.run(createDatabaseContext(context, database), input),
        command.toMessages?.(input),
      ),
  });
}

function createDatabaseContext(context: CommandContext, database: OpenDatabase): DatabaseContext {
  let keys: CommandKeys | null = null;
  return {
    ...context,
    ...database,
    write: (change) =>
      database.commits.write(async (unitOfWork) => {
        await keys?.check(unitOfWork.db);
        return change(unitOfWork);
      }, 'everything'),
    async loadKeys() {
      keys = loadCommandKeys(context.config);
      await keys.check(database.db);
      database.setSite(keys.site);
      return keys;
    },
  };
}

export const someText = z.string().min(1);
/** An address as an operator types or pastes it. One that no account can have is searched for, too: the audit log has each search. */
export const email = z.string().overwrite(parseTypedEmail).min(1);
export const accountEmail = email.describe('the address of an account');
export const classId = someText.describe('the end of the link of the class, /home/ID');

export const toMissingClass = (input: { classId: string }) => ({
  NOT_FOUND: `There is no class with the id ${input.classId}.`,
});

export const toMissingAccount = (input: { email: string }) => ({
  NO_SUCH_ACCOUNT: `There is no account with the address ${input.email}.`,
});

/**
 * Creates the option of a command that changes much.
 *
 * @param act what the command does with it, such as 'merge them'
 * @param otherEffect what it only does without it
 */
export const createConfirmation = (act: string, otherEffect = 'says what would happen') =>
  z.boolean().default(false).describe(`${act}; without this, the command only ${otherEffect}`);
