// The calls of a lecture.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import { checkRight } from '#server/chat/staff/rights.ts';
import type { Roles, StaffAccount } from '#server/chat/staff/roles.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import type { Route } from '#server/http/route.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Database } from '#server/store/tables.ts';
import { endLectureEarly, startLecture } from './lecture.ts';
import { getLectureSheet } from './lecture-questions.ts';
import { presentPoll } from './presented-poll.ts';
import { createPresenterLink, getPresentation } from './presenter-links.ts';
import { deletePresenterLinks } from './presenter-links-queries.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
}

/** What a call of staff gets from the route. */
interface StaffCall {
  commits: CallCommits;
  account: StaffAccount;
  params: { classId: string };
}

export function registerLectureRoutes(route: Route, dependencies: Dependencies): void {
  const { db, roles } = dependencies;

  /** @throws {AppError} NOT_ALLOWED, and those of the change */
  function commitAsStaff<Result>(
    { commits, account, params: { classId } }: StaffCall,
    change: (unitOfWork: UnitOfWork, staffName: string) => Promise<Result>,
  ): Promise<Result> {
    return commits.write(
      async (unitOfWork) => {
        const staffName = await checkRight(unitOfWork.db, roles, account, classId, 'holdLecture');
        return change(unitOfWork, staffName);
      },
      { classId },
    );
  }

  route('startLecture', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params, body } = incoming;
    await commitAsStaff(incoming, (unitOfWork, staffName) =>
      startLecture(unitOfWork, params.classId, body.hours, staffName),
    );
    return {};
  });

  route('endLecture', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    await commitAsStaff(incoming, (unitOfWork, staffName) =>
      endLectureEarly(unitOfWork, params.classId, staffName),
    );
    return {};
  });

  route('presentPoll', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params, body } = incoming;
    await commitAsStaff(incoming, (unitOfWork) =>
      presentPoll(unitOfWork, params.classId, body.messageId),
    );
    return {};
  });

  route('createPresenterLink', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    const presenterToken = await commitAsStaff(incoming, (unitOfWork) =>
      createPresenterLink(unitOfWork, params.classId),
    );
    return { presenterToken };
  });

  route('revokePresenterLinks', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    await commitAsStaff(incoming, ({ db: transaction }) =>
      deletePresenterLinks(transaction, params.classId),
    );
    return {};
  });

  route('readPresentation', 'public', async ({ request }) => {
    const token = request.headers.get('presenter-token');
    if (token === null) throw new AppError('NOT_FOUND');
    return getPresentation(db, token);
  });

  route(
    'listLectureQuestions',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) => {
      await checkMayRead(dependencies, account, classId);
      const { lecture } = await findSettings(db, classId);
      return getLectureSheet(db, classId, lecture);
    },
  );
}
