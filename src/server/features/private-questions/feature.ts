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
      route('askPrivately', (call) => write(call, askPrivately));
      route('addPrivateTurn', (call) => write(call, addPrivateTurn));
      route('decidePublication', (call) => write(call, decidePublication));
      route('withdrawPrivate', (call) => write(call, withdrawPrivate));
      route('setPrivateState', (call) => write(call, setPrivateState));

      route('listOwnPrivate', async ({ account, params: { classId } }) =>
        listOwnPrivate(server, { accountId: account.id, classId }),
      );

      route('listPrivateQuestions', async ({ params: { classId } }) =>
        listPrivateQuestions(db, classId),
      );
    },
  };
}

interface WritingCall<Params, Body> {
  params: Params;
  body: Body;
  account: { id: string };
  commits: CallCommits;
}

/** Like a vote, what an asker does shares no transaction with a message or a persona. */
async function write<Params extends { classId: string }, Body extends object | undefined>(
  { params, body, account, commits }: WritingCall<Params, Body>,
  change: (unitOfWork: UnitOfWork, input: Params & Body, accountId: string) => Promise<void>,
): Promise<Record<string, never>> {
  const { classId } = params;
  await commits.write(
    (unitOfWork) => change(unitOfWork, { ...params, ...body }, account.id),
    { classId },
    delayedGroup,
  );
  return {};
}
