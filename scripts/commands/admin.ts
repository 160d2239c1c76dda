// `npm run admin` runs the operator's commands, whether the server runs or not.
import { createInterface } from 'node:readline';
import { Command, CommanderError, Option } from 'commander';
import { z } from 'zod';
import { toFailureReason } from '#server/base/startup-failure.ts';
import type { AdminCommand, CommandReport } from '#server/commands/admin-command.ts';
import { addressCommands } from '#server/endings/address-commands.ts';
import { dataCopyCommand } from '#server/endings/data-copy.ts';
import { deleteAccountCommand } from '#server/endings/delete-account-command.ts';
import { newKeyCommand } from '#server/endings/new-key-command.ts';
import { accountCommands } from '#server/features/account-support/commands.ts';
import { announcementCommands } from '#server/features/announcements/commands.ts';
import { classCommands } from '#server/features/class-admin/commands.ts';
import { csvCommands } from '#server/features/class-admin/csv-commands.ts';
import { mergeCommand } from '#server/features/class-admin/merge-command.ts';
import { healthCommands } from '#server/features/health/commands.ts';
import { keyCopyCommands } from '#server/features/health/key-copy.ts';
import { ltiCommands } from '#server/features/lti/commands.ts';
import { roleCommands } from '#server/features/roles/commands.ts';
import { grantRolesCommand } from '#server/features/roles/grant-roles-command.ts';
import { secondFactorCommands } from '#server/features/second-factor/commands.ts';
import type { CommandCall } from './command-call.ts';

/** The commands, in the order of the help. */
export const commands: readonly AdminCommand[] = [
  ...classCommands,
  ...csvCommands,
  mergeCommand,
  ...announcementCommands,
  ...roleCommands,
  grantRolesCommand,
  ...ltiCommands,
  ...accountCommands,
  ...secondFactorCommands,
  dataCopyCommand,
  deleteAccountCommand,
  ...addressCommands,
  ...healthCommands,
  ...keyCopyCommands,
  newKeyCommand,
];

export async function runAdmin(call: CommandCall): Promise<number> {
  const program = createProgram(call);
  let status = 0;
  for (const command of commands) {
    addCommand(program, command).action(async (...givenArguments: unknown[]) => {
      status = await runCommand(call, command, givenArguments);
    });
  }
  if (call.args.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(call.args, { from: 'user' });
    return status;
  } catch (error) {
    // Commander has printed the help, or what is wrong with the arguments.
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

function createProgram({ out, err }: CommandCall): Command {
  return new Command('npm run admin --')
    .description('Commands, with the settings that the server has (DATA_DIR or DATABASE_URL).')
    .helpOption('--help', 'explain the commands, or after a command explain that one')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError("'npm run admin' lists the commands, and --help after one explains it.")
    .configureHelp({
      subcommandTerm: (command) => `npm run admin -- ${command.name()} ${formatArguments(command)}`,
      // The description gets its own lines, because the commands are long.
      formatItem: (term, _width, description, helper) =>
        `  ${term.trim()}\n${helper.boxWrap(description, 94).replace(/^/gm, '      ')}`,
    })
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
    });
}

/** Formats the arguments and options of the command, without --json, which all commands have. */
function formatArguments(command: Command): string {
  return [
    ...command.registeredArguments.map((argument) =>
      argument.required ? argument.name() : `[${argument.name()}]`,
    ),
    ...command.options.filter(({ long }) => long !== '--json').map(({ long }) => `[${long}]`),
  ].join(' ');
}

function addCommand(program: Command, { name, description, takes, options }: AdminCommand) {
  const command = program
    .command(name)
    .description(description)
    .showHelpAfterError()
    // Random ids may start with a dash. By default, Commander would reject such an id as an unknown option.
    .allowUnknownOption()
    .option('--json', 'print the result, or the error, as one JSON object');
  for (const { label, explanation, isRequired } of listFields(takes)) {
    command.argument(isRequired ? `<${label}>` : `[${label}]`, explanation);
  }
  for (const field of listFields(options)) command.addOption(createOption(field));
  return command;
}

interface Field {
  name: string;
  /** What stands for its value in the help: the last word of the name. */
  label: string;
  /** What an option is typed as. */
  flag: string;
  explanation: string;
  type: unknown;
  choices: readonly string[] | null;
  isRequired: boolean;
}

function listFields(schema: z.ZodObject): Field[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, field]) => {
    const { type, description, enum: enumeration, items } = field as z.core.JSONSchema.JSONSchema;
    const listed = enumeration ?? (items as z.core.JSONSchema.JSONSchema | undefined)?.enum;
    const choices = listed?.map(String).filter((choice) => choice !== '') ?? null;
    return {
      name,
      label: name.replace(/^[a-z]+(?=[A-Z][a-z]+$)/, '').toUpperCase(),
      flag: `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      explanation: [description, choices?.join(', ')].filter(Boolean).join(': '),
      type,
      choices,
      isRequired: required.includes(name),
    };
  });
}

function createOption({ label, flag, explanation, type, choices, isRequired }: Field): Option {
  const option = new Option(type === 'boolean' ? flag : `${flag} <${label}>`, explanation);
  if (type === 'array' && choices === null) {
    option.argParser((value, earlier: string[] | undefined) => [...(earlier ?? []), value]);
  }
  return option.makeOptionMandatory(isRequired);
}

/** @param givenArguments what Commander gives to an action: the arguments, the options and the command */
async function runCommand(
  call: CommandCall,
  command: AdminCommand,
  givenArguments: readonly unknown[],
): Promise<number> {
  const { loadConfig, out, err } = call;
  const { json, ...options } = givenArguments.at(-2) as Record<string, unknown>;
  const argumentEntries = Object.keys(command.takes.shape).map((name, index) => [
    name,
    givenArguments[index],
  ]);
  const typed = { ...options, ...Object.fromEntries(argumentEntries) };
  const printProgress = (line: string) => err.write(`${line}\n`);
  const readLine = async (question: string) => {
    const { input } = call;
    err.write(question);
    try {
      for await (const line of createInterface({ input })) return line;
      return '';
    } finally {
      // An open terminal would keep the process alive.
      input.destroy();
    }
  };
  let report: CommandReport;
  try {
    const input = {
      ...parse(command.takes, typed, 'label'),
      ...parse(command.options, typed, 'flag'),
    };
    report = await command.run({ config: loadConfig(), printProgress, readLine }, input);
  } catch (error) {
    const reason = toFailureReason(error);
    err.write(`${json ? JSON.stringify({ error: reason }) : `Nothing was done: ${reason}`}\n`);
    return 1;
  }
  out.write(`${json ? JSON.stringify(report) : report.message}\n`);
  return report.status ?? 0;
}

/**
 * Parses the fields of the schema among what was typed.
 *
 * @param naming how an error names a field
 */
function parse(
  schema: z.ZodObject,
  typed: Record<string, unknown>,
  naming: 'label' | 'flag',
): object {
  const fields = listFields(schema);
  // An unset variable of a shell script must not act as a missing argument, or clear a list.
  const emptyField = fields.find(
    ({ name, type }) => typed[name] === '' && (naming === 'label' || type !== 'string'),
  );
  if (emptyField) throw new Error(`${emptyField[naming]} is empty.`);
  const parsed = schema.safeParse(
    Object.fromEntries(fields.map((field) => [field.name, toValue(field, typed[field.name])])),
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = fields.find(({ name }) => name === issue?.path[0]);
  if (field && /^\s*$/.test(String(typed[field.name]))) {
    throw new Error(`${field[naming]} is empty.`);
  }
  throw new Error(
    field?.choices && issue?.code === 'invalid_value'
      ? `${field[naming]} is one of ${field.choices.join(', ')}.`
      : issue?.message,
  );
}

/** @returns the value that the field would have in JSON */
function toValue({ type, choices }: Field, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' || type === 'number') {
    // `Number` would also read '0x7EA'.
    return /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
  }
  if (choices === null) return value;
  const toChoice = (word: string) =>
    choices.find((choice) => choice.toLowerCase() === word.toLowerCase()) ?? word;
  if (type !== 'array') return toChoice(value);
  return value === 'none'
    ? []
    : value
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(toChoice);
}
