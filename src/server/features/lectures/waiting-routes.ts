// The calls about questions that wait for release: of staff, and of the members who asked them.
import type { Route } from '#server/http/route.ts';
import type { Reader } from '#server/store/site.ts';
import {
  listOwnWaiting,
  listReleasable,
  releaseQuestion,
  returnQuestion,
  sendWaiting,
  withdrawWaiting,
} from './waiting-questions.ts';

export function registerWaitingRoutes(route: Route, reader: Reader): void {
  route('listWaitingQuestions', ({ params: { classId } }) => listReleasable(reader.db, classId));

  route('releaseQuestion', async ({ commits, params: { classId, messageId }, body }) => {
    const released = await commits.write(
      (unitOfWork) => releaseQuestion(unitOfWork, classId, messageId, body.text),
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
    listOwnWaiting(reader, { accountId: account.id, classId }),
  );

  route('sendWaiting', async ({ account, commits, params: { classId, messageId } }) => {
    const actor = { accountId: account.id, classId };
    await commits.write((unitOfWork) => sendWaiting(unitOfWork, actor, messageId), { classId });
    return {};
  });

  route('withdrawWaiting', async ({ account, commits, params: { classId, messageId } }) => {
    const actor = { accountId: account.id, classId };
    await commits.write((unitOfWork) => withdrawWaiting(unitOfWork, actor, messageId), {
      classId,
    });
    return {};
  });
}
