// The calls of a lecture.
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import { endLectureEarly, holdQuestions, startLecture } from './lecture.ts';
import { getLectureSheet } from './lecture-questions.ts';
import { setPresentedPoll } from './presented-poll.ts';
import { createPresenterLink, Presentations } from './presenter-links.ts';

export function registerLectureRoutes(route: Route, server: Pick<Server, 'db' | 'site'>): void {
  const { db } = server;
  const presentations = new Presentations(db);

  route('startLecture', async ({ commits, params: { classId }, body }) => {
    await commits.write(
      (unitOfWork, staffName) => startLecture(unitOfWork, classId, body, staffName),
      { classId },
    );
    return {};
  });

  route('endLecture', async ({ commits, params: { classId } }) => {
    await commits.write(
      (unitOfWork, staffName) => endLectureEarly(unitOfWork, classId, staffName),
      { classId },
    );
    return {};
  });

  route('presentPoll', async ({ commits, params: { classId }, body }) => {
    await commits.write((unitOfWork) => setPresentedPoll(unitOfWork, classId, body.messageId), {
      classId,
    });
    return {};
  });

  route('holdQuestions', async ({ commits, params: { classId }, body }) => {
    await commits.write(
      (unitOfWork, staffName) => holdQuestions(unitOfWork, classId, body.held, staffName),
      { classId },
    );
    return {};
  });

  route('createPresenterLink', async ({ commits, params: { classId } }) => {
    const presenterToken = await commits.write(
      (unitOfWork) => createPresenterLink(unitOfWork, classId),
      { classId },
    );
    return { presenterToken };
  });

  route('revokePresenterLinks', async ({ commits, params: { classId } }) => {
    await commits.write(({ db: transaction }) => deletePresenterLinks(transaction, classId), {
      classId,
    });
    return {};
  });

  route('readPresentation', ({ request: { headers } }) =>
    presentations.respond(headers.get('presenter-token'), headers.get('if-none-match')),
  );

  route('listLectureQuestions', async ({ account, params: { classId } }) => {
    await checkMayRead(server, account, classId);
    const { lecture } = await findSettings(db, classId);
    return getLectureSheet(db, classId, lecture);
  });
}
