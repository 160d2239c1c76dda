// The commands of `npm run admin` for classes.
import {
  classAdminCalls,
  classListQuery,
  termYear,
  type ListedClass,
  type Term,
} from '#contract/class-admin.ts';
import { formatClassStatus } from '#contract/class-csv.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { formatDay, toDate } from '#server/base/days.ts';
import { deleteClass } from '#server/chat/classes/classes.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import {
  classId,
  createConfirmation,
  defineDatabaseCommand,
  toMissingClass,
  type CommandReport,
  type DatabaseContext,
} from '#server/commands/admin-command.ts';
import type { Database } from '#server/store/tables.ts';
import {
  editClass,
  endSomeOfTerm,
  getListedClass,
  listAllClasses,
  listEndedTerms,
  reopenSomeOfTerm,
} from './class-administration.ts';
import { restorableDays, restoreClass } from './deleted-classes.ts';
import { endClass, reopenClass } from './ended-classes.ts';

const year = termYear.describe('the year of the term');
const { query, status, season } = classListQuery.shape;

/** The options that choose which classes a command lists. */
export const filterOptions = { status, season, year: year.optional() };

const termArguments = { season: classAdminCalls.endTerm.body.shape.semesterSeason, year };

const edited = classAdminCalls.editClass.body.partial().shape;

export const classCommands = [
  defineDatabaseCommand({
    name: 'delete-class',
    description: 'removes a class from everyone, and erases it after 30 days',
    takes: { classId },
    toMessages: toMissingClass,
    async run({ write }, input) {
      const deletedClass = await write((change) =>
        deleteClass(change, input.classId, administratorName),
      );
      const label = toClassLabel(deletedClass);
      return {
        message: `The class ${label} is deleted. Its messages and pictures are kept for ${restorableDays} days, then erased. Until then: npm run admin -- restore-class ${input.classId}`,
        classId: input.classId,
        label,
        restorableDays,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'restore-class',
    description: 'restores a class that was deleted within the last 30 days',
    takes: { classId },
    toMessages: (input) => ({
      NOT_FOUND: `There is no deleted class with the id ${input.classId}, or it was deleted more than ${restorableDays} days ago.`,
    }),
    async run({ write }, input) {
      const restored = await write((change) =>
        restoreClass(change, input.classId, administratorName),
      );
      const label = toClassLabel(restored);
      return {
        message: `The class ${label} is back, with its members, personas and messages.`,
        classId: input.classId,
        label,
        ended: restored.ended,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'end-class',
    description:
      'makes a class read-only; it can be reopened for REOPEN_DAYS days, until its links to accounts are removed',
    takes: { classId },
    toMessages: toMissingClass,
    run: (context, input) => endOne(context, input.classId, context.config.reopenDays),
  }),
  defineDatabaseCommand({
    name: 'reopen-class',
    description: 'undoes the end of a class, until its links to accounts are removed',
    takes: { classId },
    toMessages: toMissingClass,
    async run({ write }, input) {
      const reopened = await write((change) =>
        reopenClass(change, input.classId, administratorName),
      );
      const label = toClassLabel(reopened);
      return {
        message: `The class ${label} is open, with its members, personas and messages.`,
        classId: input.classId,
        label,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'archive-class',
    description:
      'makes a class read-only, if it has not ended yet, and immediately and permanently removes the links from its personas to accounts',
    takes: { classId },
    toMessages: toMissingClass,
    run: (context, input) => endOne(context, input.classId, 0),
  }),
  defineDatabaseCommand({
    name: 'list-classes',
    description: 'lists classes, also deleted ones that can be restored',
    takes: { words: query.describe('words of the name or the code; quote several') },
    options: filterOptions,
    async run({ db }, { words, ...filter }) {
      const classes = await listMatchingClasses(db, { ...filter, query: words });
      const rows = classes.map((listedClass) => [
        listedClass.classId,
        toClassLabel(listedClass),
        listedClass.sectionNumber ?? '',
        [listedClass.semesterSeason, listedClass.year].filter(Boolean).join(' '),
        formatClassStatus(listedClass),
        String(listedClass.memberCount),
        listedClass.courseName ?? '',
      ]);
      const header = ['ID', 'Class', 'Section', 'Term', 'Status', 'Members', 'Name'];
      const message = rows.length === 0 ? 'No classes.' : formatTable([header, ...rows]);
      return { message, total: classes.length, classes };
    },
  }),
  defineDatabaseCommand({
    name: 'edit-class',
    description: 'changes fields of a class; the others stay',
    takes: { classId },
    options: {
      courseName: edited.courseName.describe('the course name'),
      subject: edited.subjectAbbreviation.describe('the subject abbreviation'),
      number: edited.courseNumber.describe('the course number'),
      section: edited.sectionNumber.describe('the section number'),
      season: edited.semesterSeason,
      year: year.optional(),
      days: edited.classSchedule.describe('separated by commas, or none'),
      begin: edited.beginClassTime.describe('the begin time as HH:MM, 24 hours'),
      end: edited.endClassTime.describe('the end time as HH:MM, 24 hours'),
    },
    toMessages: toMissingClass,
    async run({ write }, { classId: editedId, ...fields }) {
      const editedClass = await write(async (change) => {
        const old = await getListedClass(change.db, editedId);
        const newFields = classAdminCalls.editClass.body.safeParse({
          courseName: fields.courseName ?? old.courseName ?? '',
          subjectAbbreviation: fields.subject ?? old.subjectAbbreviation ?? '',
          courseNumber: fields.number ?? old.courseNumber ?? '',
          sectionNumber: fields.section ?? old.sectionNumber ?? '',
          semesterSeason: fields.season ?? old.semesterSeason ?? '',
          classSchedule: fields.days ?? old.classSchedule ?? [],
          beginClassTime: fields.begin ?? old.beginClassTime ?? '',
          endClassTime: fields.end ?? old.endClassTime ?? '',
          year: fields.year ?? old.year,
        });
        if (!newFields.success) throw new Error(newFields.error.issues[0]?.message);
        return editClass(change, editedId, newFields.data, administratorName);
      });
      const label = toClassLabel(editedClass);
      return { message: `The class ${label} is saved.`, label, class: editedClass };
    },
  }),
  defineDatabaseCommand({
    name: 'end-term',
    description:
      'ends all classes of a term: makes them read-only; they can be reopened for REOPEN_DAYS days, until their links to accounts are removed',
    takes: termArguments,
    options: { yes: createConfirmation('end them', 'says how many would end') },
    run: endTerm,
  }),
  defineDatabaseCommand({
    name: 'reopen-term',
    description:
      'undoes end-term: reopens the classes of a term that ended on the last day on which one of them ended, until their links to accounts are removed',
    takes: termArguments,
    options: { yes: createConfirmation('reopen them', 'says how many would be open again') },
    run: reopenTerm,
  }),
];

/**
 * @param reopenDays if 0, the links to accounts are removed immediately. This also works for a class that has ended
 */
async function endOne(
  { write }: DatabaseContext,
  endedId: string,
  reopenDays: number,
): Promise<CommandReport> {
  const endedClass = await write((change) =>
    endClass(change, endedId, administratorName, reopenDays),
  );
  const { isChanged } = endedClass;
  const label = toClassLabel(endedClass.class);
  const lastDay =
    endedClass.reopenableUntil === null ? null : formatDay(toDate(endedClass.reopenableUntil));
  const consequence =
    lastDay === null
      ? 'No one can link its messages to accounts any more. Older backups still contain the link: delete them.'
      : `You can reopen it until ${lastDay}: npm run admin -- reopen-class ${endedId}. Then the links from its personas to accounts are removed.`;
  return {
    message: isChanged
      ? `The class ${label} has ended. Members can still read it. ${consequence}`
      : `The class ${label} had ended already. Nothing was changed. ${consequence}`,
    classId: endedId,
    label,
    isChanged,
    reopenableUntil: lastDay,
  };
}

/** Lists the classes of all pages. */
export async function listMatchingClasses(
  db: Database,
  filter: Parameters<typeof classListQuery.parse>[0],
): Promise<ListedClass[]> {
  const listQuery = classListQuery.parse(filter);
  const classes: ListedClass[] = [];
  for (let page = 0; ; page++) {
    const result = await listAllClasses(db, { ...listQuery, page });
    classes.push(...result.classes);
    if (result.classes.length < limits.listedClasses) return classes;
  }
}

function formatTable(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n');
}

interface ConfirmedTerm {
  season: Term['semesterSeason'];
  year: number;
  yes: boolean;
}

async function endTerm(
  { config, db, commits, printProgress }: DatabaseContext,
  { yes, ...term }: ConfirmedTerm,
): Promise<CommandReport> {
  const { reopenDays } = config;
  const termText = `${term.season} ${term.year}`;
  const total = (await listMatchingClasses(db, { ...term, status: 'active' })).length;
  if (total === 0) return { message: `No class of ${termText} is active.`, total, endedTotal: 0 };
  const daysText = reopenDays === 1 ? '1 day' : `${reopenDays} days`;
  if (!yes) {
    const delayText = reopenDays > 0 ? ` after ${daysText}, in which they can be reopened` : '';
    return {
      message: `${formatClassCount(total)} of ${termText} would end: they become read-only, and the links from their personas to accounts are permanently removed${delayText}. To end them, add --yes. To see them: npm run admin -- list-classes --status active --season ${term.season} --year ${term.year}`,
      total,
      endedTotal: 0,
    };
  }
  let endedTotal = 0;
  for (let remaining = total; remaining > 0;) {
    const batch = await endSomeOfTerm(
      commits,
      db,
      { semesterSeason: term.season, year: term.year },
      reopenDays,
    );
    endedTotal += batch.endedTotal;
    remaining = batch.remaining;
    printProgress(`${endedTotal} of ${endedTotal + remaining}`);
  }
  const backupText =
    reopenDays > 0
      ? `They can be reopened for ${daysText}: npm run admin -- reopen-term ${termText}. Older backups contain the links from their personas to accounts for longer: delete them then.`
      : 'Older backups still contain the links from their personas to accounts: delete them.';
  return {
    message: `${formatClassCount(endedTotal)} of ${termText} ended. ${backupText}`,
    total,
    endedTotal,
  };
}

async function reopenTerm(
  { db, commits, printProgress }: DatabaseContext,
  term: ConfirmedTerm,
): Promise<CommandReport> {
  const termText = `${term.season} ${term.year}`;
  const endedTerm = (await listEndedTerms(db)).find(
    (listedTerm) => listedTerm.semesterSeason === term.season && listedTerm.year === term.year,
  );
  if (!endedTerm) {
    const message = `No ended class of ${termText} can be reopened. To see its classes: npm run admin -- list-classes --season ${term.season} --year ${term.year}`;
    return { message, total: 0, reopenedTotal: 0 };
  }
  const { endedTotal: total, reopenableUntil } = endedTerm;
  const classesText = `${formatClassCount(total)} of ${termText}`;
  if (!term.yes) {
    const message = `${classesText}, which ended on the same day and can be reopened until ${reopenableUntil}, would be open again. To reopen them, add --yes.`;
    return { message, total, reopenedTotal: 0 };
  }
  let reopenedTotal = 0;
  for (let remaining = total; remaining > 0;) {
    const batch = await reopenSomeOfTerm(commits, db, endedTerm);
    reopenedTotal += batch.reopenedTotal;
    remaining = batch.remaining;
    printProgress(`${reopenedTotal} of ${reopenedTotal + remaining}`);
  }
  return { message: `${classesText} are open again.`, total, reopenedTotal };
}

const formatClassCount = (count: number) => (count === 1 ? '1 class' : `${count} classes`);
