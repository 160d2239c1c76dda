// Questions: members vote for a question without a name, and see which replies answer it. This feature lists the questions of a
// class, and publishes the numbers of votes, those of polls too, and what is new in private questions, at random moments (decision
// 97). The rules of votes and marks are in the chat (chat/votes/votes.ts, chat/questions/questions.ts), because a commit checks and
// writes them.
import type { Feature, Server } from '#server/feature.ts';
import { DelayedPublisher } from './delayed-publisher.ts';
import { registerQuestionRoutes } from './routes.ts';

export function createQuestions(
  server: Pick<Server, 'db' | 'site' | 'commits' | 'lease' | 'log' | 'nodes'>,
): Feature {
  const { nodes } = server;
  const publisher = new DelayedPublisher(server);
  nodes?.notices.onNotice((notice) => {
    if (notice.kind !== 'unpublished') return;
    publisher.onUnpublishedElsewhere(notice.classId, notice.messageId);
  });
  // The votes of a node that was killed wait for a search.
  nodes?.notices.onGap(() => publisher.searchAgain());
  return {
    load: () => publisher.searchAgain(),
    routes: (route) => registerQuestionRoutes(route, server),
    onUnpublished(classId, messageId) {
      publisher.schedule(classId, messageId);
      nodes?.notices.send({ kind: 'unpublished', classId, messageId });
    },
    start: () => publisher.start(),
    stop: () => publisher.stop(),
  };
}
