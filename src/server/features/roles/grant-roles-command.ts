// The command that grants the roles of a file, for example of all instructors of a term. It runs again each night: a role that
// exists stays, and a role that a named list granted goes when the list's file no longer has it. No line is printed with its
// address, because the output of a nightly run is a log.
import { z } from 'zod';
import {
  guessColumns,
  hasContent,
  listMissingColumns,
  parseLine,
  toCsvTable,
  type DatedFields,
} from '#contract/class-csv.ts';
import { parseTypedEmail } from '#contract/email-address.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { oneRosterRoleFiles, toTeacherRows } from '#contract/one-roster.ts';
import { tidyPersonaName } from '#contract/persona.ts';
import { findClass, listSameClasses } from '#server/chat/classes/classes-queries.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { checkStaffName, listGrantedRoles, revokeRole } from '#server/chat/staff/roles.ts';
import {
  createConfirmation,
  defineDatabaseCommand,
  incompleteStatus,
  someText,
  type DatabaseContext,
} from '#server/commands/admin-command.ts';
import { isFolder, loadCsv, loadFolder } from '#server/commands/load-csv.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { grantInClasses, toGrantMessages, type Grant } from './commands.ts';
import { maxClassesOfMail } from './role-mail.ts';

type HeldRole = Awaited<ReturnType<typeof listGrantedRoles>>[number];

/** A line of the file. */
interface RoleLine {
  line: number;
  email: string;
  role: string;
  /** Empty if the file has no names. */
  staffName: string;
  /** The id of the class, or its code and term, or what is wrong with those. */
  classRef: string | DatedFields | { problem: string };
}

interface PlannedGrant extends Grant {
  line: number;
  accountId: string;
  role: 'staff' | 'moderator';
}

interface Plan {
  grants: PlannedGrant[];
  sameCount: number;
  withoutAccountCount: number;
  /** The roles of the list that the file no longer has. */
  revoked: HeldRole[];
  /** The roles that the list has granted so far. */
  listedCount: number;
  problems: string[];
}

export const grantRolesCommand = defineDatabaseCommand({
  name: 'grant-roles',
  description:
    'grants the roles of a CSV file with the columns email, class (its id or link), role (staff or moderator) and name, or makes the teachers of a OneRoster export staff',
  takes: {
    file: someText.describe(`the file, or the folder with ${oneRosterRoleFiles.join(', ')}`),
  },
  options: {
    list: someText
      .max(60)
      .optional()
      .describe(
        'a name for what this file has all roles of: those that this list granted before and the file no longer has are taken back',
      ),
    force: z
      .boolean()
      .default(false)
      .describe('takes back more than a third of the roles of a list'),
    yes: createConfirmation('grant and take back'),
  },
  async run(context, { file, list, force, yes: isApplied }) {
    const { db, loadKeys, printProgress } = context;
    const { site } = await loadKeys();
    const lines = await loadLines(file);
    const { grants, revoked, listedCount, problems, ...counts } = await planRoles(
      context,
      lines,
      list,
    );
    const isBlocked = revoked.length * 3 > listedCount && !force;
    const warning = `The file lacks ${revoked.length} of the ${listedCount} roles that this list granted. If the file is whole, add --force.`;
    if (isApplied && isBlocked) throw new Error(warning);
    // A role is taken back first, because its name may go to someone else.
    for (const heldRole of isApplied ? revoked : []) await takeBack(context, heldRole);
    let newCount = 0;
    const mails = [...groupByMail(grants, 'moderator'), ...groupByMail(grants, 'staff')];
    for (const [index, { role, group }] of mails.entries()) {
      const errors = isApplied
        ? await grantInClasses(context, group, role)
        : await Promise.all(group.map((grant) => findNameError({ db, site }, grant)));
      for (const [n, grant] of group.entries()) {
        if (errors[n]) problems.push(`Line ${grant.line}: ${toSentence(errors[n], grant)}`);
        else newCount += 1;
      }
      if (isApplied && (index + 1) % 100 === 0) printProgress(`${newCount} of ${grants.length}`);
    }
    const totals = {
      new: newCount,
      same: counts.sameCount,
      takenBack: revoked.length,
      withoutAccount: counts.withoutAccountCount,
      wrong: problems.length,
    };
    const revokedTexts = revoked.map(
      ({ staffName, role, label }) => `Taken back: ${staffName}, ${role} of ${label}`,
    );
    const summary = `${totals.new} new, ${totals.same} the same, ${totals.takenBack} taken back, ${totals.withoutAccount} without an account yet, ${totals.wrong} wrong.`;
    const statusText = isApplied ? 'Done.' : 'Nothing is done yet: add --yes.';
    const closing = isBlocked ? [summary, statusText, warning] : [summary, statusText];
    return {
      message: [...problems, ...revokedTexts, ...closing].join('\n'),
      ...(problems.length > 0 && { status: incompleteStatus }),
      isApplied,
      ...totals,
      problems,
    };
  },
});

/** @throws if the header lacks a column */
async function loadLines(path: string): Promise<RoleLine[]> {
  const { headers, cells, headerLine } = toCsvTable(
    (await isFolder(path))
      ? toTeacherRows(await loadFolder(path, oneRosterRoleFiles))
      : await loadCsv(path),
  );
  const names = headers.map((header) => header.toLowerCase().replaceAll(/[^a-z]/g, ''));
  const findColumn = (...titles: string[]) => names.findIndex((name) => titles.includes(name));
  const emailColumn = findColumn('email', 'address', 'emailaddress', 'mail');
  const classColumn = findColumn('class', 'classid');
  const roleColumn = findColumn('role');
  const nameColumn = findColumn('name', 'staffname');
  // A file without ids has the columns of a file of classes. Its column 'name' is no course's.
  const codeColumns = guessColumns(headers.map((header, n) => (n === nameColumn ? '' : header)));
  const term = { season: '', year: null } as const;
  const unneeded = { classSchedule: null, beginClassTime: null, endClassTime: null };
  const columns = { ...codeColumns, ...unneeded, courseName: codeColumns.courseNumber };
  const missing = [
    ...(emailColumn < 0 ? ['email'] : []),
    ...(classColumn < 0 && listMissingColumns(columns, term).length > 0 ? ['class'] : []),
    ...(roleColumn < 0 ? ['role'] : []),
  ];
  if (missing.length > 0) {
    throw new Error(
      `The first line must name the columns email, class, role and name: ${missing.join(', ')} is missing.`,
    );
  }
  return cells.flatMap((row, index) => {
    const getCell = (column: number) => (row[column] ?? '').trim();
    const role = getCell(roleColumn).toLowerCase();
    // Students join by themselves.
    if (!hasContent(row) || role === 'student') return [];
    const line = headerLine + 1 + index;
    const readClass = parseLine(line, row, columns, term);
    const hasCode = getCell(columns.courseNumber ?? -1) !== '';
    const problem = (hasCode && readClass.problem) || 'The class is missing.';
    // People copy the link of a class.
    const classId = getCell(classColumn).replace(/^.*\/home\//, '');
    return {
      line,
      email: parseTypedEmail(getCell(emailColumn)).toLowerCase(),
      role,
      staffName: tidyPersonaName(getCell(nameColumn)),
      classRef: classColumn < 0 ? (readClass.fields ?? { problem }) : classId,
    };
  });
}

async function planRoles(
  { db, loadKeys }: DatabaseContext,
  lines: readonly RoleLine[],
  list: string | undefined,
): Promise<Plan> {
  const { site, accountRecords } = await loadKeys();
  const heldRoles = await listGrantedRoles({ db, site });
  const held = new Map(heldRoles.map((heldRole) => [toKey(heldRole), heldRole]));
  const names = new Set(heldRoles.map(({ classId, staffName }) => `${classId} ${staffName}`));
  const wantedKeys = new Set<string>();
  const grants: PlannedGrant[] = [];
  const problems: string[] = [];
  let sameCount = 0;
  let withoutAccountCount = 0;
  for (const roleLine of lines) {
    const { line, email, role } = roleLine;
    const reject = (problem: string) => problems.push(`Line ${line}: ${problem}`);
    const found = await findClassId(db, roleLine.classRef);
    if (role !== 'staff' && role !== 'moderator') {
      reject("The role is neither 'staff' nor 'moderator'.");
    } else if (email === '') reject('The address is missing.');
    else if ('problem' in found) reject(found.problem);
    else {
      const { classId } = found;
      const accountId = await accountRecords.findId(db, email);
      if (accountId === null) {
        withoutAccountCount += 1;
        continue;
      }
      const key = toKey({ accountId, classId, role });
      const heldRole = held.get(key);
      const staffName =
        roleLine.staffName || heldRole?.staffName || chooseName(names, classId, role);
      // What an operator or another list granted keeps its name.
      const isKept = list !== undefined && heldRole && heldRole.list !== list;
      if (wantedKeys.has(key) || isKept || heldRole?.staffName === staffName) {
        sameCount += 1;
      } else {
        grants.push({ line, email, classId, role, staffName, list, accountId });
      }
      wantedKeys.add(key);
      names.add(`${classId} ${staffName}`);
    }
  }
  const listedRoles = heldRoles.filter((heldRole) => list !== undefined && heldRole.list === list);
  const revoked = listedRoles.filter((heldRole) => !wantedKeys.has(toKey(heldRole)));
  const listedCount = listedRoles.length;
  return { grants, sameCount, withoutAccountCount, revoked, listedCount, problems };
}

const toKey = ({ accountId, classId, role }: Pick<HeldRole, 'accountId' | 'classId' | 'role'>) =>
  [accountId, classId, role].join(' ');

async function findClassId(
  db: Database,
  classRef: RoleLine['classRef'],
): Promise<{ classId: string } | { problem: string }> {
  if (typeof classRef !== 'string' && 'problem' in classRef) return classRef;
  const classIds =
    typeof classRef === 'string'
      ? [(await findClass(db, classRef))?.classId]
      : await listSameClasses(db, classRef);
  const [classId, otherClassId] = classIds;
  if (classId === undefined) return { problem: 'There is no such class.' };
  return otherClassId === undefined ? { classId } : { problem: 'It fits several classes.' };
}

/** Takes a role back, unless an operator has granted it by hand in the meantime. */
async function takeBack(
  { write }: DatabaseContext,
  { accountId, classId, role, list }: HeldRole,
): Promise<void> {
  const operatorName = administratorName;
  await write((change) => revokeRole(change, { accountId, classId, role, list, operatorName }));
}

/** Groups the grants that share a mail: those of one account and role, up to the classes that a mail has room for. */
function groupByMail(grants: readonly PlannedGrant[], role: 'staff' | 'moderator') {
  const grantsOfRole = grants.filter((grant) => grant.role === role);
  const byPerson = Map.groupBy(grantsOfRole, ({ accountId }) => accountId);
  return [...byPerson.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxClassesOfMail) }, (_, n) => ({
      role,
      group: group.slice(n * maxClassesOfMail, (n + 1) * maxClassesOfMail),
    })),
  );
}

/** Finds what a preview can know to be wrong. */
async function findNameError(reader: Reader, grant: PlannedGrant): Promise<AppError | undefined> {
  if (grant.role !== 'staff') return undefined;
  try {
    await checkStaffName(reader, grant);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Chooses a name for a line without one. */
function chooseName(names: ReadonlySet<string>, classId: string, role: 'staff' | 'moderator') {
  const name = role === 'staff' ? 'Instructor' : 'Moderator';
  let staffName = name;
  for (let n = 2; names.has(`${classId} ${staffName}`); n++) staffName = `${name} ${n}`;
  return staffName;
}

function toSentence(error: AppError, grant: Grant): string {
  // That of the other commands has the address.
  if (error.code === 'NO_SUCH_ACCOUNT') return error.message;
  const messages: Partial<Record<ErrorCode, string>> = toGrantMessages(grant);
  return messages[error.code] ?? error.message;
}
