// `npm run admin` runs the operator's commands, whether the server runs or not.
import { createInterface } from 'node:readline';
import { Command, CommanderError } from 'commander';
import { toFailureReason } from '#server/base/startup-failure.ts';
import type { AdminCommand, CommandReport } from '#server/commands/admin-command.ts';
import { addressCommands } from '#server/endings/address-commands.ts';
import { deleteAccountCommand } from '#server/endings/delete-account-command.ts';
import { newKeyCommand } from '#server/endings/new-key-command.ts';
import { accountCommands } from '#server/features/account-support/commands.ts';
import { announcementCommands } from '#server/features/announcements/commands.ts';
import { classCommands } from '#server/features/class-admin/commands.ts';
import { csvCommands } from '#server/features/class-admin/csv-commands.ts';
import { mergeCommand } from '#server/features/class-admin/merge-command.ts';
import { keyCopyCommands } from '#server/features/health/key-copy.ts';
import { overviewCommand } from '#server/features/health/overview-command.ts';
import { settingsCommand } from '#server/features/health/settings-command.ts';
import { testMailCommand } from '#server/features/health/test-mail-command.ts';
import { roleCommands } from '#server/features/roles/commands.ts';
import type { CommandCall } from './command-call.ts';

/** The commands, in the order of the help. */
const commands: readonly AdminCommand[] = [
  ...classCommands,
  ...csvCommands,
  mergeCommand,
  ...announcementCommands,
  ...roleCommands,
  ...accountCommands,
  deleteAccountCommand,
  ...addressCommands,
  overviewCommand,
  settingsCommand,
  testMailCommand,
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
  const program = new Command('npm run admin --');
  return program
    .description('Commands, with the settings that the server has (DATA_DIR or DATABASE_URL).')
    .helpOption('--help', 'explain the commands, or after a command explain that one')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => `npm run admin -- ${command.name()} ${formatArguments(command)}`,
      // The description gets its own lines, because the commands are long.
      formatItem: (term, _width, description, helper) =>
        `  ${term.trim()}\n${helper.boxWrap(description, 94).replace(/^/gm, '      ')}`,
    })
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      // A wrong call shows all commands.
      outputError: (message, write) => write(`${message}\n${program.helpInformation()}`),
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

function addCommand(
  program: Command,
  { name, description, takes, options = [] }: AdminCommand,
): Command {
  const command = program
    .command(name)
    .description(description)
    // Random ids may start with a dash. By default, Commander would reject such an id as an unknown option.
    .allowUnknownOption()
    .option('--json', 'print the result, or the error, as one JSON object');
  for (const argument of takes) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  return command;
}

/** @param givenArguments what Commander gives to an action: the arguments, the options and the command */
async function runCommand(
  call: CommandCall,
  command: AdminCommand,
  givenArguments: readonly unknown[],
): Promise<number> {
  const { loadConfig, out, err } = call;
  const values = givenArguments.slice(0, -2).map((value) => (value as string | undefined) ?? '');
  const { json, ...options } = givenArguments.at(-2) as { json?: true };
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
    const context = { config: loadConfig(), options, printProgress, readLine };
    report = await command.run(context, ...values);
  } catch (error) {
    const reason = toFailureReason(error);
    err.write(`${json ? JSON.stringify({ error: reason }) : `Nothing was done: ${reason}`}\n`);
    return 1;
  }
  out.write(`${json ? JSON.stringify(report) : report.message}\n`);
  return report.status ?? 0;
}
