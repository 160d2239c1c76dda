// The commands of `npm run admin` for classes.
import { Option } from 'commander';
import { classListQuery, termYear, type ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons, weekdays, type Weekday } from '#contract/class-fields.ts';
import { formatClassStatus } from '#contract/class-csv.ts';
import { formatTerm, toClassLabel } from '#contract/class-label.ts';
import { newClassSchema } from '#contract/classes.ts';
import { limits } from '#contract/limits.ts';
import {
  editClass,
  endSomeOfTerm,
  listAllClasses,
  listEndedTerms,
  reopenSomeOfTerm,
  getListedClass,
} from './class-administration.ts';
import type { Config } from '#server/config/config-types.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { toDate, formatDay } from '#server/base/days.ts';
import { deleteClass } from '#server/chat/classes/classes.ts';
import { restorableDays, restoreClass } from './deleted-classes.ts';
import { endClass, reopenClass } from './ended-classes.ts';
import {
  createConfirmationOption,
  createOptionalArgument,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
  type Confirmation,
} from '#server/commands/admin-command.ts';
import { runOnDatabase, writeChange } from '#server/commands/write-change.ts';

const classIdArgument = createRequiredArgument('ID', 'the end of the link of the class, /home/ID');

/** The options that choose which classes a command lists. */
export const filterOptions = [
  new Option('--status <STATUS>', 'active, ended or deleted'),
  new Option('--season <SEASON>', 'Spring, Summer, Fall or Winter'),
  new Option('--year <YEAR>', 'the year of the term'),
];

export const classCommands: readonly AdminCommand[] = [
  {
    name: 'delete-class',
    description: 'removes a class from everyone, and erases it after 30 days',
    takes: [classIdArgument],
    run: deleteOne,
  },
  {
    name: 'restore-class',
    description: 'restores a class that was deleted within the last 30 days',
    takes: [classIdArgument],
    run: restoreOne,
  },
  {
    name: 'end-class',
    description:
      'makes a class read-only; it can be reopened for REOPEN_DAYS days, until its links to accounts are removed',
    takes: [classIdArgument],
    run: (context, classId) => end(context, classId, context.config.reopenDays),
  },
  {
    name: 'reopen-class',
    description: 'undoes the end of a class, until its links to accounts are removed',
    takes: [classIdArgument],
    run: reopenOne,
  },
  {
    name: 'archive-class',
    description:
      'makes a class read-only, if it has not ended yet, and immediately and permanently removes the links from its personas to accounts',
    takes: [classIdArgument],
    run: (context, classId) => end(context, classId, 0),
  },
  {
    name: 'list-classes',
    description: 'lists classes, also deleted ones that can be restored',
    takes: [createOptionalArgument('WORDS', 'words of the name or the code; quote several')],
    options: filterOptions,
    run: listMany,
  },
  {
    name: 'edit-class',
    description: 'changes fields of a class; the others stay',
    takes: [classIdArgument],
    options: [
      new Option('--course-name <NAME>'),
      new Option('--subject <SUBJECT>', 'the subject abbreviation'),
      new Option('--number <NUMBER>', 'the course number'),
      new Option('--section <SECTION>', 'the section number'),
      new Option('--season <SEASON>', 'Spring, Summer, Fall or Winter'),
      new Option('--year <YEAR>', 'the year of the term'),
      new Option('--days <DAYS>', 'such as Monday,Wednesday, or none'),
      new Option('--begin <HH:MM>', 'the begin time, 24 hours'),
      new Option('--end <HH:MM>', 'the end time, 24 hours'),
    ],
    run: editOne,
  },
  {
    name: 'end-term',
    description:
      'ends all classes of a term: makes them read-only; they can be reopened for REOPEN_DAYS days, until their links to accounts are removed',
    takes: [
      createRequiredArgument('SEASON', 'Spring, Summer, Fall or Winter'),
      createOptionalArgument('YEAR', 'the year of the term'),
    ],
    options: [createConfirmationOption('end them', 'says how many would end')],
    run: endMany,
  },
  {
    name: 'reopen-term',
    description:
      'undoes end-term: reopens the classes of a term that ended on the last day on which one of them ended, until their links to accounts are removed',
    takes: [
      createRequiredArgument('SEASON', 'Spring, Summer, Fall or Winter'),
      createRequiredArgument('YEAR', 'the year of the term'),
    ],
    options: [createConfirmationOption('reopen them', 'says how many would be open again')],
    run: reopenMany,
  },
  {
    name: 'end-classes',
    description: 'is called end-term now',
    takes: [
      createOptionalArgument('SEASON', 'Spring, Summer, Fall or Winter'),
      createOptionalArgument('YEAR', 'of the term'),
    ],
    options: [createConfirmationOption('end them')],
    async run() {
      throw new Error('This command is called end-term now, with the same season and year.');
    },
  },
];

async function deleteOne({ config }: CommandContext, classId: string): Promise<CommandReport> {
  const deletedClass = await writeChange(
    config.database,
    (change) => deleteClass(change, classId, administratorName),
    { NOT_FOUND: `There is no class with the id ${classId}.` },
  );
  const label = toClassLabel(deletedClass);
  return {
    message: `The class ${label} is deleted. Its messages and pictures are kept for ${restorableDays} days, then erased. Until then: npm run admin -- restore-class ${classId}`,
    classId,
    label,
    restorableDays,
  };
}

async function restoreOne({ config }: CommandContext, classId: string): Promise<CommandReport> {
  const restored = await writeChange(
    config.database,
    (change) => restoreClass(change, classId, administratorName),
    {
      NOT_FOUND: `There is no deleted class with the id ${classId}, or it was deleted more than ${restorableDays} days ago.`,
    },
  );
  const label = toClassLabel(restored);
  return {
    message: `The class ${label} is back, with its members, personas and messages.`,
    classId,
    label,
    ended: restored.ended,
  };
}

/**
 * @param reopenDays if 0, the links to accounts are removed immediately. This also works for a class that has ended
 */
async function end(
  { config }: CommandContext,
  classId: string,
  reopenDays: number,
): Promise<CommandReport> {
  const endedClass = await writeChange(
    config.database,
    (change) => endClass(change, classId, administratorName, reopenDays),
    { NOT_FOUND: `There is no class with the id ${classId}.` },
  );
  const { isChanged } = endedClass;
  const label = toClassLabel(endedClass.class);
  const lastDay =
    endedClass.reopenableUntil === null ? null : formatDay(toDate(endedClass.reopenableUntil));
  const consequence =
    lastDay === null
      ? 'No one can link its messages to accounts any more. Older backups still contain the link: delete them.'
      : `You can reopen it until ${lastDay}: npm run admin -- reopen-class ${classId}. Then the links from its personas to accounts are removed.`;
  return {
    message: isChanged
      ? `The class ${label} has ended. Members can still read it. ${consequence}`
      : `The class ${label} had ended already. Nothing was changed. ${consequence}`,
    classId,
    label,
    isChanged,
    reopenableUntil: lastDay,
  };
}

async function reopenOne({ config }: CommandContext, classId: string): Promise<CommandReport> {
  const reopened = await writeChange(
    config.database,
    (change) => reopenClass(change, classId, administratorName),
    { NOT_FOUND: `There is no class with the id ${classId}.` },
  );
  const label = toClassLabel(reopened);
  return {
    message: `The class ${label} is open, with its members, personas and messages.`,
    classId,
    label,
  };
}

export interface ClassFilter {
  status?: string;
  season?: string;
  year?: string;
}

async function listMany(
  { config, options }: CommandContext<ClassFilter>,
  query: string,
): Promise<CommandReport> {
  const { classes, total } = await listMatchingClasses(config.database, query, options);
  const rows = classes.map((listedClass) => [
    listedClass.classId,
    toClassLabel(listedClass),
    listedClass.sectionNumber ?? '',
    formatTerm(listedClass),
    formatClassStatus(listedClass),
    String(listedClass.memberCount),
    listedClass.courseName ?? '',
  ]);
  const header = ['ID', 'Class', 'Section', 'Term', 'Status', 'Members', 'Name'];
  const table = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return { message: total === 0 ? 'No classes.' : lines.join('\n'), total, classes };
}

/** Lists the classes of all pages. */
export async function listMatchingClasses(
  database: Config['database'],
  query: string,
  filter: ClassFilter,
) {
  const parsed = classListQuery.safeParse({ ...filter, ...(query ? { query } : {}) });
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'The filter is wrong.');
  return runOnDatabase(database, async ({ db }) => {
    const classes: ListedClass[] = [];
    for (let page = 0; ; page++) {
      const result = await listAllClasses(db, { ...parsed.data, page });
      classes.push(...result.classes);
      if (result.classes.length < limits.listedClasses) return { classes, total: classes.length };
    }
  });
}

/** The fields of a class as options of the command. */
interface FieldOptions {
  courseName?: string;
  subject?: string;
  number?: string;
  section?: string;
  season?: string;
  year?: string;
  days?: string;
  begin?: string;
  end?: string;
}

async function editOne(
  { config, options }: CommandContext<FieldOptions>,
  classId: string,
): Promise<CommandReport> {
  const edited = await writeChange(
    config.database,
    async (change) => {
      const old = await getListedClass(change.db, classId);
      const parsed = newClassSchema.extend({ year: termYear }).safeParse({
        courseName: options.courseName ?? old.courseName ?? '',
        subjectAbbreviation: options.subject ?? old.subjectAbbreviation ?? '',
        courseNumber: options.number ?? old.courseNumber ?? '',
        sectionNumber: options.section ?? old.sectionNumber ?? '',
        semesterSeason: options.season ?? old.semesterSeason ?? '',
        classSchedule: options.days ? parseDays(options.days) : (old.classSchedule ?? []),
        beginClassTime: options.begin ?? old.beginClassTime ?? '',
        endClassTime: options.end ?? old.endClassTime ?? '',
        year: options.year === undefined ? old.year : Number(options.year),
      });
      if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'Wrong fields.');
      return editClass(change, classId, parsed.data, administratorName);
    },
    { NOT_FOUND: `There is no class with the id ${classId}.` },
  );
  const label = toClassLabel(edited);
  return { message: `The class ${label} is saved.`, label, class: edited };
}

function parseDays(text: string): Weekday[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '' && word !== 'none');
  const unknownWord = words.find((word) => !weekdays.some((weekday) => weekday === word));
  if (unknownWord !== undefined) {
    throw new Error(`${unknownWord} is no day: use names such as Monday,Wednesday, or none.`);
  }
  return weekdays.filter((weekday) => words.includes(weekday));
}

async function endMany(
  { config, options, printProgress }: CommandContext<Confirmation>,
  typedSeason: string,
  typedYear: string,
): Promise<CommandReport> {
  if (!typedYear) {
    throw new Error(
      'This command ends the classes of a term: name its season and year. To end one class for good: npm run admin -- archive-class ID',
    );
  }
  const { reopenDays } = config;
  const delayText =
    reopenDays > 0 ? ` after ${formatCount(reopenDays, 'day')}, in which they can be reopened` : '';
  const { semesterSeason, year } = parseTerm(typedSeason, typedYear);
  const filter = { status: 'active', season: semesterSeason, year: typedYear };
  const { total } = await listMatchingClasses(config.database, '', filter);
  if (total === 0) {
    const message = `No class of ${semesterSeason} ${year} is active.`;
    return { message, total, endedTotal: 0 };
  }
  if (!options.yes) {
    return {
      message: `${formatClassCount(total)} of ${semesterSeason} ${year} would end: they become read-only, and the links from their personas to accounts are permanently removed${delayText}. To end them, add --yes. To see them: npm run admin -- list-classes --status active --season ${semesterSeason} --year ${year}`,
      total,
      endedTotal: 0,
    };
  }
  const backupText =
    reopenDays > 0
      ? `They can be reopened for ${formatCount(reopenDays, 'day')}: npm run admin -- reopen-term ${semesterSeason} ${year}. Older backups contain the links from their personas to accounts for longer: delete them then.`
      : 'Older backups still contain the links from their personas to accounts: delete them.';
  let endedCount = 0;
  await runOnDatabase(config.database, async ({ db, commits }) => {
    let remainingCount = total;
    while (remainingCount > 0) {
      const batch = await endSomeOfTerm(
        commits,
        db,
        { semesterSeason, year },
        reopenDays,
        async () => administratorName,
      );
      endedCount += batch.endedTotal;
      remainingCount = batch.remaining;
      printProgress(`${endedCount} of ${endedCount + remainingCount}`);
    }
  });
  return {
    message: `${formatClassCount(endedCount)} of ${semesterSeason} ${year} ended. ${backupText}`,
    total,
    endedTotal: endedCount,
  };
}

async function reopenMany(
  { config, options, printProgress }: CommandContext<Confirmation>,
  typedSeason: string,
  typedYear: string,
): Promise<CommandReport> {
  const { semesterSeason, year } = parseTerm(typedSeason, typedYear);
  const termText = `${semesterSeason} ${year}`;
  return runOnDatabase(config.database, async ({ db, commits }) => {
    const endedTerm = (await listEndedTerms(db)).find(
      (term) => term.semesterSeason === semesterSeason && term.year === year,
    );
    if (!endedTerm) {
      const message = `No ended class of ${termText} can be reopened. To see its classes: npm run admin -- list-classes --season ${semesterSeason} --year ${year}`;
      return { message, total: 0, reopenedTotal: 0 };
    }
    const { endedTotal: total, reopenableUntil } = endedTerm;
    const classesText = `${formatClassCount(total)} of ${termText}`;
    if (!options.yes) {
      const message = `${classesText}, which ended on the same day and can be reopened until ${reopenableUntil}, would be open again. To reopen them, add --yes.`;
      return { message, total, reopenedTotal: 0 };
    }
    let reopenedTotal = 0;
    for (let remaining = total; remaining > 0;) {
      const batch = await reopenSomeOfTerm(commits, db, endedTerm, async () => administratorName);
      reopenedTotal += batch.reopenedTotal;
      remaining = batch.remaining;
      printProgress(`${reopenedTotal} of ${reopenedTotal + remaining}`);
    }
    return { message: `${classesText} are open again.`, total, reopenedTotal };
  });
}

const formatClassCount = (count: number) => (count === 1 ? '1 class' : `${count} classes`);
const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function parseTerm(typedSeason: string, typedYear: string) {
  const semesterSeason = semesterSeasons.find(
    (name) => name.toLowerCase() === typedSeason.toLowerCase(),
  );
  if (!semesterSeason) throw new Error(`The season is one of ${semesterSeasons.join(', ')}.`);
  const year = Number(typedYear);
  if (!termYear.safeParse(year).success) throw new Error('The year is a number such as 2026.');
  return { semesterSeason, year };
}
