// Lists, edits and imports classes, and ends the classes of a term. Only operators can do this.
import type {
  ClassListQuery,
  EndedTerm,
  ImportedLine,
  ListedClass,
  Term,
} from '#contract/class-admin.ts';
import { findListedFieldsError, weekdays, type ClassFields } from '#contract/class-fields.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { formatDay, getToday, toDate, toDay } from '#server/base/days.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listActiveOfTerm,
  listActiveTerms,
  listClassPage,
  listReopenableOfTerm,
  listReopenableTerms,
  updateClassFields,
  type ClassFieldsRow,
} from './class-administration-queries.ts';
import { findClass, listSameClasses, toClass } from '#server/chat/classes/classes-queries.ts';
import { appendToLog } from '#server/chat/messages/log-queries.ts';
import { appendChangeEvent } from '#server/store/change-events-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { addClass, toFieldsRow } from '#server/chat/classes/classes.ts';
import { getLastErasedDay, restorableDays } from './deleted-classes.ts';
import { endClass, isReopenable, reopenClass } from './ended-classes.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';

interface ClassPage {
  classes: ListedClass[];
  total: number;
  terms: Term[];
  endedTerms: EndedTerm[];
}

export async function listAllClasses(db: Database, query: ClassListQuery): Promise<ClassPage> {
  const { rows, total } = await listClassPage(db, query, getLastErasedDay(), limits.listedClasses);
  return {
    classes: rows.map(toListed),
    total,
    terms: await listActiveTerms(db),
    endedTerms: await listEndedTerms(db),
  };
}

export async function listEndedTerms(db: Database): Promise<EndedTerm[]> {
  const terms = await listReopenableTerms(db, getToday());
  return terms.map(({ reopenableUntil, ...term }) => ({
    ...term,
    reopenableUntil: formatDay(toDate(reopenableUntil)),
  }));
}

type Row = Awaited<ReturnType<typeof listClassPage>>['rows'][number];

function toListed(row: Row): ListedClass {
  const { status, statusBefore, deletedDay, reopenableUntil, year } = row;
  const formatDayOrNull = (day: number | null) => (day === null ? null : formatDay(toDate(day)));
  return {
    ...toClass(row),
    ended: (status === 'deleted' ? statusBefore : status) === 'archived',
    year,
    restorableUntil: formatDayOrNull(deletedDay && deletedDay + restorableDays),
    reopenableUntil: formatDayOrNull(isReopenable(row) ? reopenableUntil : null),
  };
}

/** @throws {AppError} NOT_FOUND if the class is missing or deleted */
export async function getListedClass(db: Database, classId: string): Promise<ListedClass> {
  const row = await findClass(db, classId);
  if (!row) throw new AppError('NOT_FOUND');
  return toListed(row);
}

export interface EditedFields extends ClassFields {
  year: number;
}

/**
 * Changes the fields of a class, also of one that has ended. An edit that changes nothing has no entry in the audit log.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 * @throws {AppError} CLASS_INCOMPLETE, CLASS_TIMES, NOT_FOUND if the class is missing or deleted
 */
export async function editClass(
  unitOfWork: UnitOfWork,
  classId: string,
  fields: EditedFields,
  staffName: string,
): Promise<ListedClass> {
  const { edited, changedNames } = await saveFields(unitOfWork, classId, fields);
  if (changedNames.length > 0) {
    const reason = changedNames.join(', ');
    await appendAudit(unitOfWork, { staffName, act: 'edit-class', classId, reason });
  }
  return toListed(edited);
}

/** @throws {AppError} as `editClass` */
async function saveFields(unitOfWork: UnitOfWork, classId: string, fields: EditedFields) {
  const { db } = unitOfWork;
  const error = findListedFieldsError(fields);
  if (error) throw new AppError(error);
  const old = await findClass(db, classId);
  if (!old) throw new AppError('NOT_FOUND');
  const newRow = toRow(fields);
  const changedNames = listFieldNames(newRow).filter((name) => newRow[name] !== old[name]);
  if (changedNames.length === 0) return { edited: old, changedNames };
  await appendToLog(db, classId, 'class', '');
  await updateClassFields(db, classId, newRow);
  await appendChangeEvent(unitOfWork, 'class-changed', classId);
  const edited = { ...old, ...newRow };
  unitOfWork.classChanged(classId, toClass(edited));
  return { edited, changedNames };
}

const listFieldNames = (row: ClassFieldsRow) => Object.keys(row) as (keyof ClassFieldsRow)[];

function toRow(fields: EditedFields): ClassFieldsRow {
  return { ...toFieldsRow(fields), year: fields.year };
}

/** Finds what an import would do with the class of a line. */
async function planImport(
  db: Database,
  fields: EditedFields,
): Promise<{ classId: string | null } & Pick<ImportedLine, 'outcome' | 'changes'>> {
  const [classId, otherClassId] = await listSameClasses(db, fields);
  if (classId === undefined) return { classId: null, outcome: 'new', changes: [] };
  // Two classes of students can have the same code and term. An operator decides which one is meant.
  if (otherClassId !== undefined) return { classId: null, outcome: 'ambiguous', changes: [] };
  const old = await getListedClass(db, classId);
  const newRow = toRow(fields);
  const oldRow = toRow({
    courseName: old.courseName ?? '',
    subjectAbbreviation: old.subjectAbbreviation ?? '',
    courseNumber: old.courseNumber ?? '',
    sectionNumber: old.sectionNumber ?? '',
    semesterSeason: fields.semesterSeason,
    year: fields.year,
    classSchedule: weekdays.filter((day) => old.classSchedule?.includes(day)),
    beginClassTime: old.beginClassTime ?? '',
    endClassTime: old.endClassTime ?? '',
  });
  const changes = listFieldNames(newRow).flatMap((field) =>
    oldRow[field] === newRow[field]
      ? []
      : [{ field, before: formatValue(oldRow[field]), after: formatValue(newRow[field]) }],
  );
  return { classId, outcome: changes.length > 0 ? 'changed' : 'same', changes };
}

type WithOutcome<Line> = Line & Pick<ImportedLine, 'outcome' | 'changes'>;

/** Finds what an import would do with some lines. */
export async function planClasses<Line extends { fields: EditedFields }>(
  db: Database,
  lines: readonly Line[],
): Promise<WithOutcome<Line>[]> {
  const plannedLines: WithOutcome<Line>[] = [];
  for (const line of lines) {
    const { outcome, changes } = await planImport(db, line.fields);
    plannedLines.push({ ...line, outcome, changes });
  }
  return plannedLines;
}

/** Formats a stored value for operators. A list is stored as JSON. */
function formatValue(value: string | number | null): string {
  const text = String(value ?? '');
  return text.startsWith('[') ? text.replaceAll(/[[\]"]/g, '').replaceAll(',', ', ') : text;
}

/**
 * Creates or edits the classes of some lines. A second import of the same lines changes nothing, so an interrupted import
 * continues. The audit log has one entry with their numbers.
 *
 * @param staffName the operator's name in the audit log, or `administratorName`
 */
export async function importClasses<Line extends { fields: EditedFields }>(
  unitOfWork: UnitOfWork,
  lines: readonly Line[],
  staffName: string,
): Promise<WithOutcome<Line>[]> {
  const importedLines: WithOutcome<Line>[] = [];
  for (const line of lines) {
    const { classId, outcome, changes } = await planImport(unitOfWork.db, line.fields);
    if (outcome === 'new') await importNewClass(unitOfWork, line.fields);
    if (outcome === 'changed' && classId !== null) {
      await saveFields(unitOfWork, classId, line.fields);
    }
    importedLines.push({ ...line, outcome, changes });
  }
  const count = (outcome: ImportedLine['outcome']) =>
    importedLines.filter((line) => line.outcome === outcome).length;
  if (count('new') + count('changed') > 0) {
    const reason = `${count('new')} new, ${count('changed')} changed`;
    await appendAudit(unitOfWork, { staffName, act: 'import-classes', reason });
  }
  return importedLines;
}

async function importNewClass(unitOfWork: UnitOfWork, fields: EditedFields): Promise<void> {
  const newClass = await addClass(unitOfWork, fields, fields.year);
  // By this event, the search index of a running server learns that a command added the class.
  await appendChangeEvent(unitOfWork, 'class-changed', newClass.classId);
  unitOfWork.classChanged(newClass.classId, newClass);
}

/**
 * Ends some classes of a term, each in its own commit. An interrupted end of a term continues with the next call.
 *
 * @param reopenDays for how many days the classes can be reopened
 */
export async function endSomeOfTerm(
  commits: Commits,
  db: Database,
  term: Pick<Term, 'semesterSeason' | 'year'>,
  reopenDays: number,
): Promise<{ endedTotal: number; remaining: number }> {
  let endedTotal = 0;
  for (const classId of await listActiveOfTerm(db, term, limits.classBatch)) {
    endedTotal += await commits.write(
      async (unitOfWork, staffName = administratorName) => {
        // Another operator may have deleted the class.
        if (!(await findClass(unitOfWork.db, classId))) return 0;
        return (await endClass(unitOfWork, classId, staffName, reopenDays)).isChanged ? 1 : 0;
      },
      { classId },
    );
  }
  const remainingTerm = (await listActiveTerms(db)).find(
    ({ semesterSeason, year }) => semesterSeason === term.semesterSeason && year === term.year,
  );
  return { endedTotal, remaining: remainingTerm?.activeTotal ?? 0 };
}

/**
 * Undoes the end of a term: reopens some of its classes that ended on the same day, each in its own commit. An interrupted run
 * continues with the next call.
 */
export async function reopenSomeOfTerm(
  commits: Commits,
  db: Database,
  term: Pick<EndedTerm, 'semesterSeason' | 'year' | 'reopenableUntil'>,
): Promise<{ reopenedTotal: number; remaining: number }> {
  const classIds = await listReopenableOfTerm(db, {
    ...term,
    reopenableUntil: toDay(new Date(term.reopenableUntil)),
  });
  const batch = classIds.slice(0, limits.classBatch);
  let reopenedTotal = 0;
  for (const classId of batch) {
    reopenedTotal += await commits.write(
      async (unitOfWork, staffName = administratorName) => {
        // Another operator may have deleted the class.
        if (!(await findClass(unitOfWork.db, classId))) return 0;
        await reopenClass(unitOfWork, classId, staffName);
        return 1;
      },
      { classId },
    );
  }
  return { reopenedTotal, remaining: classIds.length - batch.length };
}
