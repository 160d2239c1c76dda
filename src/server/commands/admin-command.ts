// A command of `npm run admin`. Features export theirs, and scripts/commands/admin.ts runs them.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { parseTypedEmail } from '#contract/email-address.ts';
import type { Config } from '#server/config/config-types.ts';

export interface AdminCommand {
  readonly name: string;
  readonly description: string;
  readonly takes: readonly Argument[];
  readonly options?: readonly Option[];
  /** @param values of what the command takes: '' for a missing optional argument */
  run(context: CommandContext, ...values: string[]): Promise<CommandReport>;
}

export interface CommandContext<Options extends object = object> {
  readonly config: Config;
  readonly options: Options;
  /** Says how far a long command is. */
  printProgress(line: string): void;
  /** Asks on the terminal. @returns the first line of the input, or '' */
  readLine(question: string): Promise<string>;
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

export function createRequiredArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser(parseText);
}

export function createOptionalArgument(name: string, description: string): Argument {
  return new Argument(`[${name}]`, description).argParser(parseText);
}

/** An unset variable of a shell script must not act as a missing argument. */
export function parseText(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

/** An address as an operator types or pastes it. */
export function createEmailArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser((value: string) =>
    parseText(parseTypedEmail(value)),
  );
}

export const accountEmail = createEmailArgument('EMAIL', 'the address of an account');

/** The option of a command that changes much. */
export interface Confirmation {
  yes?: true;
}

/**
 * @param act what the command does with it, such as 'merge them'
 * @param otherEffect what it only does without it
 */
export function createConfirmationOption(
  act: string,
  otherEffect = 'says what would happen',
): Option {
  return new Option('--yes', `${act}; without this, the command only ${otherEffect}`);
}
