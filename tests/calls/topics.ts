// The calls of topics.
import { limits } from '#contract/limits.ts';
import type { topicCalls as contract } from '#contract/topics.ts';
import { addTopic } from '#tests/support/topics.ts';
import type { FactsOf } from './facts.ts';

export const topicCalls = {
  changeTopics: {
    in: { ended: 'CLASS_ENDED' },
    ownScene: 'forPerson',
    body: ({ topicId }) => ({ version: 0, topics: [{ topicId, name: 'Exam', archived: true }] }),
    prepare: ({ app, classId }) => addTopic(app, classId),
    largest: {
      async prepare({ operator, classId }) {
        const { settings } = await operator.call('readClassSettings', { params: { classId } });
        const topics = Array.from({ length: limits.topics }, (_, n) => ({
          topicId: settings.topics?.[n]?.topicId,
          name: String(n).padEnd(limits.topicName, '長'),
        }));
        return { version: settings.version, topics };
      },
    },
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 30, kilobytesSent: 100, frames: 5 },
  },
  moveMessage: {
    outcome: 'NOT_ALLOWED',
    but: { author: 'ok' },
    in: { ended: { author: 'CLASS_ENDED' }, quiet: { author: 'READ_ONLY' } },
    ownScene: 'forCall',
    body: ({ topicId }) => ({ topicId }),
    // An added topic has no entry of the log, so what the server shows would differ after a restart.
    async prepare({ otto, classId }) {
      const params = { classId };
      const { settings } = await otto.call('readClassSettings', { params });
      const body = { version: settings.version, topics: [{ name: 'Homework' }] };
      const changed = await otto.call('changeTopics', { params, body });
      return { topicId: changed.settings.topics![0]!.topicId };
    },
    largest: {
      prepare: (data) => addTopic(data, data.classId),
      values: ({ messageIds }) => ({ messageId: messageIds }),
    },
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 8, kilobytesSent: 6, frames: 5 },
  },
} satisfies FactsOf<typeof contract>;
