// The search in the messages of a class.
import { z } from 'zod';
import { createLineSchema, classParams } from './call-fields.ts';
import { messageSchema, personaSchema, randomId } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';

const messageSearch = z.strictObject({
  query: createLineSchema('A search', limits.messageQuery).min(
    1,
    'QUERY_EMPTY' satisfies ErrorReason,
  ),
  /** Selects messages with a smaller seq: `nextBefore` of the previous page. */
  before: z.coerce.number().int().min(1).optional(),
  /** Selects only messages of this topic. */
  topicId: randomId.optional(),
  limit: z.coerce.number().int().min(1).max(limits.messageHits).default(limits.messageHitsDefault),
});

/** Offsets of a matched part of the text: from the first, up to and without the second. */
const mark = z.tuple([z.int().min(0), z.int().min(1)]);

export const messageSearchCalls = {
  searchMessages: {
    route: 'GET /api/classes/:classId/messages/search',
    who: 'member',
    limit: 'messageSearches',
    params: classParams,
    query: messageSearch,
    reply: z.strictObject({
      /** Newest first. A page can be short, or empty, and still have a next page. */
      hits: z.array(
        z.strictObject({ message: messageSchema, marks: z.array(mark).max(limits.marksPerHit) }),
      ),
      personas: z.array(personaSchema),
      /** The `before` of the next page; null if there are no more messages. */
      nextBefore: z.int().min(1).nullable(),
    }),
  },
} as const;
