// What the page of a course does: it leads to the class, and an instructor links or creates the class. An instructor who is not its
// staff asks to be, because a platform knows who teaches a course, but not who teaches a class.
import { isDeepStrictEqual } from 'node:util';
import { toClassLabel } from '#contract/class-label.ts';
import { AppError } from '#contract/errors.ts';
import { coursePath } from '#contract/lti.ts';
import { getText } from '#server/base/get-text.ts';
import { checkMayCreate, createClass } from '#server/chat/classes/classes.ts';
import { delayJoins, findClass, toClass } from '#server/chat/classes/classes-queries.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { listMembers } from '#server/chat/members/memberships.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { checkRight, findReach, findRoleWith } from '#server/chat/staff/rights.ts';
import { checkStaffName, endRoles, grantStaff, listOperatorIds } from '#server/chat/staff/roles.ts';
import { listProposedRoles, listSpeakers, saveRole } from '#server/chat/staff/stored-roles.ts';
import type { Server } from '#server/feature.ts';
import type { Account } from '#server/http/caller.ts';
import type { Route } from '#server/http/route.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { toRecipient } from '#server/mail/recipient.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { ProposedRole } from '#server/store/registers.ts';
import type { Reader } from '#server/store/site.ts';
import { findCourse, findLinkedClass, getTaughtCourse, toCourseId, type Course } from './course.ts';
import { listPlatforms, saveCourseLink, type CourseKey } from './lti-queries.ts';

type CourseServer = Pick<Server, 'config' | 'keys' | 'db' | 'site' | 'memberships'>;

export function registerCourseCalls(route: Route, server: CourseServer): void {
  const { config, memberships } = server;

  route('readCourse', async ({ account, request }) => {
    const course = findCourse(server, request.headers);
    const platform = course && (await findPlatform(server, course.key));
    if (!course || !platform) return { course: null };
    const linkedClass = await findLinkedClass(server, course.key);
    const { title, label, isInstructor, picking } = course;
    return {
      course: {
        courseId: toCourseId(server, course.key),
        courseTitle: title,
        courseLabel: label,
        isInstructor,
        picking,
        isCopy: course.saysLinked && linkedClass === null,
        grantsStaff: platform.grantsStaff === 1,
        linkedClass: linkedClass && toClass(linkedClass),
        staffState: await findStaffState(server, account, course.key, linkedClass?.classId ?? null),
      },
    };
  });

  route(
    'linkCourse',
    async ({ account, commits, request, params, body: { classId, staffName } }) => {
      const course = getTaughtCourse(server, request.headers, params.courseId);
      await commits.write(async (unitOfWork) => {
        if (await findRoleWith(unitOfWork, account, classId, 'confirmStaff')) {
          await checkMayLink(unitOfWork, course.key);
          await linkClass(unitOfWork, course.key, classId);
        } else {
          const grant = { accountId: account.id, classId, staffName };
          await proposeStaff(unitOfWork, course, grant, config);
        }
      }, 'everything');
      return {};
    },
  );

  route('createCourseClass', async ({ account, commits, request, params, body }) => {
    const course = getTaughtCourse(server, request.headers, params.courseId);
    const created = await commits.write(
      async (unitOfWork) => {
        await checkMayCreate(unitOfWork, account, config);
        await checkMayLink(unitOfWork, course.key);
        const createdClass = await createClass(unitOfWork, memberships, account.id, body);
        await linkClass(unitOfWork, course.key, createdClass.classId);
        return createdClass;
      },
      { accountId: account.id },
    );
    return { class: created };
  });

  route('listProposals', async ({ account }) => ({
    proposals: (await listProposals(server, account)).map(
      ({ roleId, label, staffName, courseTitle }) => {
        return { roleId, label, staffName, courseTitle };
      },
    ),
  }));

  route('decideProposal', async ({ account, commits, params: { roleId }, body: { accept } }) => {
    await commits.write(async (unitOfWork) => {
      const proposals = await listProposals(unitOfWork, account);
      const proposal = proposals.find((candidate) => candidate.roleId === roleId);
      if (!proposal) throw new AppError('NOT_FOUND');
      const { roleId: _, label: __, ...stored } = proposal;
      if (!accept) {
        await saveRole(unitOfWork, { ...stored, isRejected: true });
        return;
      }
      await confirmProposal(unitOfWork, account, stored);
    }, 'everything');
    return {};
  });
}

/** Grants the proposed role, and links the course if it has no class. */
async function confirmProposal(
  unitOfWork: UnitOfWork,
  account: Account,
  { accountId, classId, staffName, course }: ProposedRole & { accountId: string },
): Promise<void> {
  const operatorName = await checkRight(unitOfWork, account, classId, 'confirmStaff');
  await endRoles(
    unitOfWork,
    (role) => role.role === 'proposed' && role.accountId === accountId && role.classId === classId,
  );
  await grantStaff(unitOfWork, { accountId, classId, staffName, operatorName });
  const problem = await findLinkProblem(unitOfWork, course);
  if (!problem) await linkClass(unitOfWork, course, classId);
}

async function findPlatform({ db }: Pick<Reader, 'db'>, course: CourseKey) {
  const platforms = await listPlatforms(db);
  return platforms.find(({ platformId }) => platformId === course.platformId);
}

/** Why the course cannot get a class: its platform is gone, or another instructor was faster. */
async function findLinkProblem(reader: Reader, course: CourseKey) {
  if (!(await findPlatform(reader, course))) return 'COURSE_NOT_OPENED';
  return (await findLinkedClass(reader, course))?.status === 'active' ? 'COURSE_LINKED' : null;
}

async function checkMayLink(reader: Reader, course: CourseKey): Promise<void> {
  const problem = await findLinkProblem(reader, course);
  if (problem) throw new AppError(problem);
}

/** From now on, the platform can know who opened a course just before a member count grows. */
async function linkClass({ db }: UnitOfWork, course: CourseKey, classId: string): Promise<void> {
  await saveCourseLink(db, course, classId);
  await delayJoins(db, classId);
}

async function findStaffState(
  reader: Reader,
  account: Account,
  course: CourseKey,
  classId: string | null,
): Promise<'none' | 'proposed' | 'rejected' | 'staff'> {
  if (classId && (await findRoleWith(reader, account, classId, 'confirmStaff'))) return 'staff';
  const ownProposals = (await listProposedRoles(reader)).filter(
    (proposal) => proposal.accountId === account.id && isDeepStrictEqual(proposal.course, course),
  );
  if (ownProposals.some(({ isRejected }) => !isRejected)) return 'proposed';
  return ownProposals.length > 0 ? 'rejected' : 'none';
}

/** Gives the role if the operator set this rule for the class of the course. Otherwise someone must confirm it. */
async function proposeStaff(
  unitOfWork: UnitOfWork,
  { key: course, title, label }: Course,
  grant: { accountId: string; classId: string; staffName: string },
  config: Server['config'],
): Promise<void> {
  const { accountId, classId } = grant;
  const platform = await findPlatform(unitOfWork, course);
  if (!platform) throw new AppError('COURSE_NOT_OPENED');
  const linkedClass = await findLinkedClass(unitOfWork, course);
  if (linkedClass?.classId === classId && platform.grantsStaff === 1) {
    return grantStaff(unitOfWork, { ...grant, operatorName: administratorName });
  }
  // Only members may learn which names are taken. The confirmation checks it again.
  const isMember = (await listMembers(unitOfWork, classId)).has(accountId);
  const staffName = await checkStaffName(unitOfWork, grant, isMember);
  // Asking again, also after a rejection, causes no further mails.
  const isNew = !(await listProposedRoles(unitOfWork)).some(
    (other) => other.accountId === accountId && other.classId === classId,
  );
  const proposal = { course, courseTitle: title || label, role: 'proposed' } as const;
  await saveRole(unitOfWork, { accountId, classId, staffName, ...proposal });
  if (isNew) await mailProposal(unitOfWork, config, classId, staffName);
}

/** Mails those who can confirm the proposal. */
async function mailProposal(
  unitOfWork: UnitOfWork,
  config: Server['config'],
  classId: string,
  name: string,
): Promise<void> {
  const { db, site } = unitOfWork;
  const staffIds = await listSpeakers(unitOfWork, classId);
  const ids = [...new Set([...staffIds, ...(await listOperatorIds(unitOfWork))])];
  const proposedClass = await findClass(db, classId);
  const className = proposedClass ? toClassLabel(proposedClass) : '';
  const { appName, publicUrl } = config;
  const url = `${publicUrl.origin}${coursePath}`;
  for (const account of await site.accountRecords.listById(db, ids)) {
    const recipient = toRecipient(account.email, account, config);
    const { language } = recipient;
    const subject = getText(language, 'mail.work.subject', { appName });
    const text = getText(language, 'mail.proposal.text', { appName, className, name, url });
    await insertMail(db, site.keys.mails, { ...recipient, subject, text });
  }
}

/** The proposals that the account can confirm: those in its classes, or an operator's in all. */
async function listProposals(reader: Reader, account: Account) {
  const reach = await findReach(reader, account, 'confirmStaff');
  const { roles: key } = deriveModerationKeys(reader.site.keys.personas);
  const proposals = [];
  for (const proposal of await listProposedRoles(reader)) {
    const { accountId, classId, isRejected } = proposal;
    const isInReach = !isRejected && (reach === 'all' || reach.has(classId));
    const foundClass = isInReach ? await findClass(reader.db, classId) : null;
    if (!foundClass) continue;
    const roleId = computeId(key, `${classId} proposed`, accountId);
    proposals.push({ ...proposal, roleId, label: toClassLabel(foundClass) });
  }
  // An order that says nothing of the accounts.
  return proposals.toSorted((first, second) => (first.roleId < second.roleId ? -1 : 1));
}
