// The calls of a lecture.
import type { KeyObject } from 'node:crypto';
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import { endLectureEarly, holdQuestions, startLecture } from './lecture.ts';
import { getLectureSheet } from './lecture-questions.ts';
import { setPresentedPoll } from './presented-poll.ts';
import { commitAsStaff } from './staff-commits.ts';
import { createPresenterLink, Presentations } from './presenter-links.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
}

export function registerLectureRoutes(route: Route, dependencies: Dependencies): void {
  const { db, roles } = dependencies;
  const presentations = new Presentations(db);

  route('startLecture', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params, body } = incoming;
    await commitAsStaff(roles, incoming, (unitOfWork, staffName) =>
      startLecture(unitOfWork, params.classId, body, staffName),
    );
    return {};
  });

  route('endLecture', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    await commitAsStaff(roles, incoming, (unitOfWork, staffName) =>
      endLectureEarly(unitOfWork, params.classId, staffName),
    );
    return {};
  });

  route('presentPoll', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params, body } = incoming;
    await commitAsStaff(roles, incoming, (unitOfWork) =>
      setPresentedPoll(unitOfWork, params.classId, body.messageId),
    );
    return {};
  });

  route('holdQuestions', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params, body } = incoming;
    await commitAsStaff(roles, incoming, (unitOfWork, staffName) =>
      holdQuestions(unitOfWork, params.classId, body.held, staffName),
    );
    return {};
  });

  route('createPresenterLink', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    const presenterToken = await commitAsStaff(roles, incoming, (unitOfWork) =>
      createPresenterLink(unitOfWork, params.classId),
    );
    return { presenterToken };
  });

  route('revokePresenterLinks', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { params } = incoming;
    await commitAsStaff(roles, incoming, ({ db: transaction }) =>
      deletePresenterLinks(transaction, params.classId),
    );
    return {};
  });

  route('readPresentation', 'public', ({ request: { headers } }) =>
    presentations.respond(headers.get('presenter-token'), headers.get('if-none-match')),
  );

  route(
    'listLectureQuestions',
    { access: 'signedIn', rate: 'historyPages', count: 6 },
    async ({ account, params: { classId } }) => {
      await checkMayRead(dependencies, account, classId);
      const { lecture } = await findSettings(db, classId);
      return getLectureSheet(db, classId, lecture);
    },
  );
}
