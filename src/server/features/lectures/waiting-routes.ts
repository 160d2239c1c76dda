// The calls about questions that wait for release: of staff, and of the members who asked them.
import type { KeyObject } from 'node:crypto';
import { checkRight } from '#server/chat/staff/rights.ts';
import type { Roles } from '#server/chat/staff/roles.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import { commitAsStaff } from './staff-commits.ts';
import {
  listOwnWaiting,
  listReleasable,
  releaseQuestion,
  returnQuestion,
  sendWaiting,
  withdrawWaiting,
} from './waiting-questions.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  roles: Roles;
}

export function registerWaitingRoutes(route: Route, { db, personaKey, roles }: Dependencies): void {
  route(
    'listWaitingQuestions',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) => {
      await checkRight(db, roles, account, classId, 'holdLecture');
      return listReleasable(db, classId);
    },
  );

  route('releaseQuestion', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { classId, messageId } = incoming.params;
    const released = await commitAsStaff(roles, incoming, (unitOfWork) =>
      releaseQuestion(unitOfWork, personaKey, classId, messageId, incoming.body.text),
    );
    return { released };
  });

  route('returnQuestion', { access: 'signedIn', rate: 'edits' }, async (incoming) => {
    const { classId, messageId } = incoming.params;
    await commitAsStaff(roles, incoming, (unitOfWork) =>
      returnQuestion(unitOfWork, classId, messageId),
    );
    return {};
  });

  route(
    'listOwnWaiting',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId } }) =>
      listOwnWaiting(db, { personaKey, accountId: account.id, classId }),
  );

  route(
    'sendWaiting',
    { access: 'signedIn', rate: 'posts' },
    async ({ account, commits, params: { classId, messageId } }) => {
      const actor = { personaKey, accountId: account.id, classId };
      await commits.write((unitOfWork) => sendWaiting(unitOfWork, actor, messageId), { classId });
      return {};
    },
  );

  route(
    'withdrawWaiting',
    { access: 'signedIn', rate: 'edits' },
    async ({ account, commits, params: { classId, messageId } }) => {
      const actor = { personaKey, accountId: account.id, classId };
      await commits.write((unitOfWork) => withdrawWaiting(unitOfWork, actor, messageId), {
        classId,
      });
      return {};
    },
  );
}
