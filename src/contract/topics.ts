// The topics of a class. Their schema is in entities.ts, because they are a part of its settings.
import { z } from 'zod';
import { classParams, createLineSchema, emptySchema } from './call-fields.ts';
import { classSettingsSchema, messageId, randomId, topicSchema } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';

/** How names are compared. */
const toTopicKey = ({ name }: { name: string }) => name.trim().toLowerCase();

const topics = z
  .array(
    topicSchema.extend({
      /** Absent for a new topic. */
      topicId: randomId.optional(),
      name: createLineSchema('A topic', limits.topicName),
    }),
  )
  .max(limits.topics, 'TOO_MANY_TOPICS' satisfies ErrorReason)
  .refine(
    (list) => list.every((topic) => toTopicKey(topic) !== ''),
    'TOPIC_EMPTY' satisfies ErrorReason,
  )
  .refine(
    (list) => new Set(list.map(toTopicKey)).size === list.length,
    'TOPIC_TWICE' satisfies ErrorReason,
  );

export const topicCalls = {
  /** Replaces the list. A topic that exists can be renamed, moved and archived, but not left out. */
  changeTopics: {
    route: 'PUT /api/classes/:classId/topics',
    who: 'staff',
    limit: 'edits',
    params: classParams,
    body: z.strictObject({
      /** The version of the settings that the change starts from. */
      version: z.int().min(0),
      topics,
    }),
    reply: z.strictObject({ settings: classSettingsSchema }),
  },
  /** For the author of the message, and for staff. Null takes it out of its topic. */
  moveMessage: {
    route: 'PUT /api/classes/:classId/messages/:messageId/topic',
    who: 'member',
    limit: 'edits',
    params: z.strictObject({ classId: randomId, messageId }),
    body: z.strictObject({ topicId: randomId.nullable() }),
    reply: emptySchema,
  },
} as const;
