// Topics: staff keep a short list in the settings of the class, a message has at most one, and its author or staff move it. The
// log stays one log with one read position. What a post takes over is in the chat (chat/messages/messages.ts), because its commit
// writes it.
import type { Feature } from '#server/feature.ts';
import { changeTopics, moveMessage } from './topics.ts';

export function createTopics(): Feature {
  return {
    routes(route) {
      route('changeTopics', async ({ commits, params: { classId }, body }) => {
        const settings = await commits.write(
          (unitOfWork, staffName) => changeTopics(unitOfWork, classId, body, staffName),
          { classId },
        );
        return { settings };
      });

      route('moveMessage', async ({ commits, account, params, body }) => {
        const { classId, messageId } = params;
        const actor = { accountId: account.id, classId, email: account.email };
        await commits.write(
          (unitOfWork) => moveMessage(unitOfWork, actor, { messageId, topicId: body.topicId }),
          { classId },
        );
        return {};
      });
    },
  };
}
