// Private questions: a member asks the staff of the class, who answer without learning which persona asked. Both sides read lists,
// and a frame that says nothing but the class tells all members to read them again. The rules that votes, cases and endings need
// are in chat/private-questions.
import type { Feature, Server } from '#server/feature.ts';
import { delayedGroup } from '#server/chat/votes/votes.ts';
import type { CallCommits } from '#server/http/call-commits.ts';
import { encodeFrame } from '#server/live/frames.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  addPrivateTurn,
  askPrivately,
  decidePublication,
  listOwnPrivate,
  listPrivateQuestions,
  setPrivateState,
  withdrawPrivate,
} from './private-questions.ts';

export function createPrivateQuestions(
  server: Pick<Server, 'db' | 'site' | 'hub' | 'nodes'>,
): Feature {
  const { db, hub, nodes } = server;
  const publish = (classId: string) =>
    hub.publishVolatile(classId, encodeFrame({ type: 'privateChanged', classId }));
  nodes?.notices.onNotice((notice) => {
    if (notice.kind === 'privateChanged') publish(notice.classId);
  });
  return {
    onPrivateQuestions({ classId }) {
      publish(classId);
      nodes?.notices.send({ kind: 'privateChanged', classId });
    },
    routes(route) {
      route('askPrivately', async ({ account, commits, params, body }) =>
        write(commits, params, (unitOfWork) =>
          askPrivately(unitOfWork, account.id, params, body.text),
        ),
      );

      route('addPrivateTurn', async ({ account, commits, params, body }) =>
        write(commits, params, (unitOfWork) =>
          addPrivateTurn(unitOfWork, account.id, { ...params, ...body }),
        ),
      );

      route('decidePublication', async ({ account, commits, params, body }) =>
        write(commits, params, (unitOfWork) =>
          decidePublication(unitOfWork, account.id, params, body.agreed),
        ),
      );

      route('withdrawPrivate', async ({ account, commits, params }) =>
        write(commits, params, (unitOfWork) => withdrawPrivate(unitOfWork, account.id, params)),
      );

      route('setPrivateState', async ({ commits, params, body }) =>
        write(commits, params, (unitOfWork) => setPrivateState(unitOfWork, params, body.state)),
      );

      route('listOwnPrivate', async ({ account, params: { classId } }) =>
        listOwnPrivate(server, { accountId: account.id, classId }),
      );

      route('listPrivateQuestions', async ({ params: { classId } }) =>
        listPrivateQuestions(db, classId),
      );
    },
  };
}

/** Like a vote, what an asker does shares no transaction with a message or a persona. */
async function write(
  commits: CallCommits,
  { classId }: { classId: string },
  change: (unitOfWork: UnitOfWork) => Promise<void>,
): Promise<Record<string, never>> {
  await commits.write(change, { classId }, delayedGroup);
  return {};
}
