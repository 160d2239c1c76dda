// What a member chose for themselves in one class. No one else learns of it.
import { z } from 'zod';
import { messageId, randomId } from './entities.ts';
import { limits } from './limits.ts';

const isUnique = (ids: readonly string[]) => new Set(ids).size === ids.length;

export const preferencesSchema = z.strictObject({
  /** The members whose messages are collapsed and do not count as unread. */
  ignored: z.array(randomId).refine(isUnique, 'Please name each member once.'),
  /** Collapsed messages, oldest choice first. */
  hidden: z
    .array(messageId)
    .max(limits.hiddenMessages)
    .refine(isUnique, 'Please name each message once.'),
  /** Unread messages of the class do not count, except mentions. */
  muted: z.boolean(),
  /** Unread messages of these topics do not count, except mentions. A browser that leaves them out does not change them. */
  mutedTopics: z
    .array(randomId)
    .max(limits.topics)
    .refine(isUnique, 'Please name each topic once.')
    .optional(),
});
export type Preferences = z.infer<typeof preferencesSchema>;

export const savedPreferencesSchema = preferencesSchema.extend({
  /** Counts the changes. 0: nothing was ever saved. */
  version: z.int().min(0),
});
export type SavedPreferences = z.infer<typeof savedPreferencesSchema>;
