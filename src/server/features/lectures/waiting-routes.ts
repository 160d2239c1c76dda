// The calls about questions that wait for release: of staff, and of the members who asked them.
import type { KeyObject } from 'node:crypto';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listOwnWaiting,
  listReleasable,
  releaseQuestion,
  returnQuestion,
  sendWaiting,
  withdrawWaiting,
} from './waiting-questions.ts';

export function registerWaitingRoutes(route: Route, db: Database, personaKey: KeyObject): void {
  route('listWaitingQuestions', ({ params: { classId } }) => listReleasable(db, classId));

  route('releaseQuestion', async ({ commits, params: { classId, messageId }, body }) => {
    const released = await commits.write(
      (unitOfWork) => releaseQuestion(unitOfWork, personaKey, classId, messageId, body.text),
      { classId },
    );
    return { released };
  });

  route('returnQuestion', async ({ commits, params: { classId, messageId } }) => {
    await commits.write((unitOfWork) => returnQuestion(unitOfWork, classId, messageId), {
      classId,
    });
    return {};
  });

  route('listOwnWaiting', async ({ account, params: { classId } }) =>
    listOwnWaiting(db, { personaKey, accountId: account.id, classId }),
  );

  route('sendWaiting', async ({ account, commits, params: { classId, messageId } }) => {
    const actor = { personaKey, accountId: account.id, classId };
    await commits.write((unitOfWork) => sendWaiting(unitOfWork, actor, messageId), { classId });
    return {};
  });

  route('withdrawWaiting', async ({ account, commits, params: { classId, messageId } }) => {
    const actor = { personaKey, accountId: account.id, classId };
    await commits.write((unitOfWork) => withdrawWaiting(unitOfWork, actor, messageId), {
      classId,
    });
    return {};
  });
}
