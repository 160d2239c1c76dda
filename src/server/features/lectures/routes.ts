// The calls of a lecture.
import { findSettings } from '#server/chat/classes/class-settings-queries.ts';
import { deletePresenterLinks } from '#server/chat/classes/presenter-links-queries.ts';
import { checkMayRead } from '#server/chat/staff/class-readers.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import type { ClassLetters } from './class-letters.ts';
import type { HallCodes } from './hall-codes.ts';
import { endLectureEarly, holdQuestions, startLecture } from './lecture.ts';
import { getLectureSheet } from './lecture-questions.ts';
import { setPresentedPoll } from './presented-poll.ts';
import { createPresenterLink, Presentations } from './presenter-links.ts';

export function registerLectureRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site'>,
  { hallCodes, letters }: { hallCodes: HallCodes; letters: ClassLetters },
): void {
  const { db } = server;
  const presentations = new Presentations(db, letters);

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
      (unitOfWork) => createPresenterLink(unitOfWork, letters, classId),
      { classId },
    );
    return { presenterToken };
  });

  route('createHallCode', ({ commits, params: { classId } }) =>
    commits.write((unitOfWork) => hallCodes.create(unitOfWork, classId), { classId }),
  );

  route('exchangeHallCode', async ({ caller, body }) => ({
    presenterToken: await hallCodes.exchange(body.hallCode, caller),
  }));

  route('revokePresenterLinks', async ({ commits, params: { classId } }) => {
    await commits.write(({ db: transaction }) => deletePresenterLinks(transaction, classId), {
      classId,
    });
    return {};
  });

  route('readPresentation', ({ request: { headers } }) =>
    presentations.respond(headers.get('presenter-token'), headers.get('if-none-match')),
  );

  route('findLetteredClass', async ({ params: { classLetters } }) => ({
    classId: await letters.getClassId(classLetters),
  }));

  route('listLectureQuestions', async ({ account, params: { classId } }) => {
    await checkMayRead(server, account, classId);
    const { lecture } = await findSettings(db, classId);
    return getLectureSheet(db, classId, lecture);
  });
}
