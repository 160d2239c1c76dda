// `npm run admin` runs the operator's commands, whether the server runs or not.
import { Argument, Command, InvalidArgumentError } from 'commander';
import { csvColumns } from '#contract/class-csv.ts';
import { failureReason } from '#server/base/startup-failure.ts';
import {
  endSessionsOf,
  findOne,
  resendVerificationTo,
  sendResetLinkTo,
} from '#server/features/account-support/commands.ts';
import {
  announceText,
  listAll,
  withdrawOne,
  type AnnounceOptions,
} from '#server/features/announcements/commands.ts';
import { correctOne, renameAll } from '#server/endings/address-commands.ts';
import { deleteOneAccount } from '#server/endings/delete-account-command.ts';
import {
  deleteOne,
  endForGood,
  editOne,
  endMany,
  endOne,
  reopenOne,
  listMany,
  restoreOne,
  type ClassFilter,
  type FieldOptions,
} from '#server/features/class-admin/commands.ts';
import {
  exportMany,
  importMany,
  type ImportOptions,
} from '#server/features/class-admin/csv-commands.ts';
import type { CommandReport } from '#server/commands/command-report.ts';
import { mergeTwo } from '#server/features/class-admin/merge-command.ts';
import { grant, grantSpeaking, revoke, verify } from '#server/features/roles/commands.ts';
import { reportOverview } from '#server/features/health/overview-command.ts';
import { reportSettings } from '#server/features/health/settings-command.ts';
import { newKey } from '#server/endings/new-key-command.ts';
import { testMail } from './test-mail.ts';

const program = new Command('npm run admin --')
  .description('Commands, with the settings that the server has (DATA_DIR or DATABASE_URL).')
  .helpOption('--help', 'explain the commands, or after a command explain that one')
  .helpCommand(false)
  .configureHelp({
    subcommandTerm: (command) => `npm run admin -- ${command.name()} ${argumentsOf(command)}`,
    // The description gets its own lines, because the commands are long.
    formatItem: (term, _width, description, helper) =>
      `  ${term.trim()}\n${helper.boxWrap(description, 94).replace(/^/gm, '      ')}`,
  })
  .configureOutput({
    // A wrong call shows all commands.
    outputError: (message, write) => write(`${message}\n${program.helpInformation()}`),
  });

const classId = required('ID', 'the end of the link of the class, /home/ID');
const roleClassId = required('CLASSID', 'the end of the link of the class, /home/CLASSID');
const email = required('EMAIL', 'the address of an account');

add('delete-class', 'removes a class from everyone, and erases it after 30 days', [classId]).action(
  act(deleteOne),
);

add('restore-class', 'restores a class that was deleted within the last 30 days', [classId]).action(
  act(restoreOne),
);

add(
  'end-class',
  'makes a class read-only; it can be reopened for REOPEN_DAYS days, until its links to accounts are removed',
  [classId],
).action(act(endOne));

add('reopen-class', 'undoes the end of a class, until its links to accounts are removed', [
  classId,
]).action(act(reopenOne));

add(
  'end-term',
  'makes a class read-only, and permanently removes the links from its personas to accounts at once, also of a class that has ended',
  [classId],
).action(act(endForGood));

add('list-classes', 'lists classes, also deleted ones that can be restored', [
  optional('WORDS', 'words of the name or the code; quote several'),
])
  .option('--status <STATUS>', 'active, ended or deleted')
  .option('--season <SEASON>', 'Spring, Summer, Fall or Winter')
  .option('--year <YEAR>', 'the year of the term')
  .action(async (words: string | undefined, options: Options & ClassFilter) => {
    const { json: _, ...filter } = options;
    await report(options, () => listMany(words ?? '', filter));
  });

add('edit-class', 'changes fields of a class; the others stay', [classId])
  .option('--course-name <NAME>')
  .option('--subject <SUBJECT>', 'the subject abbreviation')
  .option('--number <NUMBER>', 'the course number')
  .option('--section <SECTION>', 'the section number')
  .option('--season <SEASON>', 'Spring, Summer, Fall or Winter')
  .option('--year <YEAR>', 'the year of the term')
  .option('--days <DAYS>', 'such as Monday,Wednesday')
  .option('--begin <HH:MM>', 'the begin time, 24 hours')
  .option('--end <HH:MM>', 'the end time, 24 hours')
  .action(async (id: string, options: Options & FieldOptions) =>
    report(options, () => editOne(id, options)),
  );

add('export-classes', 'prints all classes as CSV', [])
  .option('--status <STATUS>', 'active, ended or deleted')
  .option('--season <SEASON>', 'Spring, Summer, Fall or Winter')
  .option('--year <YEAR>', 'the year of the term')
  .action(async ({ json, ...filter }: Options & ClassFilter) =>
    report(json ? { json } : {}, () => exportMany(filter)),
  );

add(
  'import-classes',
  "creates and changes classes from a registrar's CSV file with a header line",
  [required('FILE', 'the CSV file')],
)
  .option(
    '--column <NAME=HEADER>',
    `the column of a field, if its header is not recognized; repeat it for others. NAME is one of ${csvColumns.map(({ title }) => title).join(', ')}`,
    (one: string, others: string[] | undefined) => [...(others ?? []), one],
  )
  .option('--season <SEASON>', 'the season of all lines, for a file without a column for it')
  .option('--year <YEAR>', 'the year of all lines, for a file without a column for it')
  .option('--yes', 'import; without this, the command only says what would change')
  .action(async (file: string, options: Options & ImportOptions) =>
    report(options, () => importMany(file, options)),
  );

add(
  'end-classes',
  'ends all classes of a term: makes them read-only; they can be reopened for REOPEN_DAYS days, until their links to accounts are removed',
  [required('SEASON', 'Spring, Summer, Fall or Winter'), required('YEAR', 'the year of the term')],
)
  .option('--yes', 'end them; without this, the command only says how many would end')
  .action(async (season: string, year: string, options: Options & { yes?: true }) =>
    report(options, () => endMany(season, year, options.yes === true)),
  );

add('announce', 'shows a banner to everyone who is signed in, or to the members of one class', [
  required('TEXT', 'plain text of at most 500 characters; quote it'),
])
  .requiredOption(
    '--end <TIME>',
    'when it ends: 2026-12-01T18:00 on the clock of TIME_ZONE, or how long: 90m, 12h, 3d',
    requireText,
  )
  .option('--class <ID>', 'only for the class at the end of the link /home/ID', requireText)
  .action(async (text: string, options: Options & AnnounceOptions) =>
    report(options, () => announceText(text, options)),
  );

add(
  'list-announcements',
  'lists the announcements, also those that ended in the last 30 days',
  [],
).action(act(listAll));

add('withdraw-announcement', 'ends an announcement early', [
  required('ID', 'as announce and list-announcements print it'),
]).action(act(withdrawOne));

add(
  'merge-classes',
  'enrols the members of a duplicate in the class that stays, and ends the duplicate; its messages stay there, read-only',
  [
    required('DUPLICATE', 'the id of the class that ends'),
    required('KEPT', 'the id of the class that stays'),
  ],
)
  .option('--yes', 'merge them; without this, the command only says what would happen')
  .action(async (duplicateId: string, keptId: string, options: Options & { yes?: true }) =>
    report(options, () => mergeTwo({ duplicateId, keptId }, options.yes === true)),
  );

add(
  'grant-operator',
  'lets an account moderate all classes and read the audit log, which shows NAME',
  [email, required('NAME', 'quote a name with spaces')],
).action(act((address, name) => grant(address, null, name)));

add('grant-moderator', 'lets an account moderate one class; the audit log shows NAME', [
  email,
  roleClassId,
  required('NAME', 'quote a name with spaces'),
]).action(act(grant));

add(
  'grant-staff',
  "lets an instructor or assistant speak in a class as NAME, with the badge 'Staff'",
  [email, roleClassId, required('NAME', 'what the class sees; quote a name with spaces')],
).action(act(grantSpeaking));

add('revoke-role', 'takes back the role of an operator, or the roles of an account in the class', [
  email,
  optional('CLASSID', 'the class; without it, the role of an operator'),
]).action(act((address, id) => revoke(address, id || null)));

add(
  'overview',
  'says the version, sizes, and how many messages and sign-ups the last days had, in coarse numbers',
  [],
).action(act(reportOverview));

add(
  'settings',
  'says each setting that a server would start with, and where it comes from; secrets are left out',
  [],
).action(act(reportSettings));

add(
  'find-account',
  'says whether the account is verified, since when it exists, and its devices; never its classes',
  [email],
).action(act(findOne));

add('end-sessions', 'signs the account out on all devices; its password stays', [email]).action(
  act(endSessionsOf),
);

add(
  'resend-verification',
  'mails an account that is not verified a new link, which takes the password of its sign-up',
  [email],
).action(act(resendVerificationTo));

add('send-reset-link', 'mails an account a link to set a password', [email]).action(
  act(sendResetLinkTo),
);

add(
  'delete-account',
  'deletes an account whose owner asks for it; its messages stay in their classes',
  [email],
)
  .option('--yes', 'delete it; without this, the command only shows it')
  .action(async (address: string, options: Options & { yes?: true }) =>
    report(options, () => deleteOneAccount(address, options.yes === true)),
  );

add(
  'correct-address',
  'gives the account with the address OLD the address NEW, signs its devices out, and tells both addresses',
  [required('OLD', 'the address of an account'), required('NEW', 'its new address')],
).action(act(correctOne));

add('rename-domain', 'moves all addresses of the domain OLD to the domain NEW', [
  required('OLD', 'such as old.university.edu'),
  required('NEW', 'a domain of EMAIL_DOMAIN'),
])
  .option('--yes', 'move them; without this, the command only says what would happen')
  .action(async (from: string, to: string, options: Options & { yes?: true }) =>
    report(options, () => renameAll(from, to, { confirmed: options.yes === true })),
  );

add('verify-audit', 'checks that no entry of the audit log was changed or removed', [
  optional('HASH', 'a hash that you noted: checks that the last entries are there, too'),
]).action(act(verify));

add('test-mail', 'sends a mail to the address and says what the mail server answered', [
  required('ADDRESS', 'where to send it'),
]).action(act(testMail));

add(
  'new-key',
  'replaces the server key, while the server is stopped: keeps personas if the old key is here, and works without it if it is lost',
  [],
)
  .option('--yes', 'replace it; without this, the command only says what would happen')
  .action(async (options: Options & { yes?: true }) =>
    report(options, () => newKey(options.yes === true)),
  );

// Only this user may read the files that SQLite creates. The server uses the same umask.
process.umask(0o077);
if (process.argv.length === 2) program.outputHelp();
else await program.parseAsync();

interface Options {
  json?: true;
}

function add(name: string, description: string, takes: readonly Argument[]): Command {
  const command = program
    .command(name)
    .description(description)
    // Random ids may start with a dash. Without this, they would be unknown options.
    .allowUnknownOption()
    .option('--json', 'print the result, or the error, as one JSON object');
  for (const argument of takes) command.addArgument(argument);
  return command;
}

function required(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser(requireText);
}

function optional(name: string, description: string): Argument {
  return new Argument(`[${name}]`, description).argParser(requireText);
}

/** An unset variable of a shell script must not act as a missing argument. */
function requireText(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

/** What the command takes, without --json, which each command takes. */
function argumentsOf(command: Command): string {
  return [
    ...command.registeredArguments.map((one) => (one.required ? one.name() : `[${one.name()}]`)),
    ...command.options.filter(({ long }) => long !== '--json').map(({ long }) => `[${long}]`),
  ].join(' ');
}

/** @param run gets '' for a missing optional argument */
function act(run: (first: string, second: string, third: string) => Promise<CommandReport>) {
  return async (...given: unknown[]) => {
    // Commander adds the options and the command to the arguments.
    const [first = '', second = '', third = ''] = given.slice(0, -2) as (string | undefined)[];
    await report(given.at(-2) as Options, () => run(first, second, third));
  };
}

async function report({ json }: Options, run: () => Promise<CommandReport>): Promise<void> {
  try {
    const done = await run();
    console.log(json ? JSON.stringify(done) : done.message);
  } catch (error) {
    const reason = failureReason(error);
    console.error(json ? JSON.stringify({ error: reason }) : `Nothing was done: ${reason}`);
    process.exitCode = 1;
  }
}
