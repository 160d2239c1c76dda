// What somebody gets to see of their own account, and nobody else.
import { z } from 'zod';
import { emojiSchema, messageSchema, personaSchema, randomId } from './entities.ts';

/** Of one sign-in: ends with it. */
export const deviceId = z.string().regex(/^[\w-]{16,64}$/);

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

export const deviceSchema = z.strictObject({
  deviceId,
  /** Such as 'Chrome on Windows': nothing else is kept of the browser. */
  name: z.string(),
  signedInDay: day,
  /** The device that asks. */
  current: z.boolean(),
});
export type Device = z.infer<typeof deviceSchema>;

/** One's own message, with nothing of what others did with it. */
export const exportedMessageSchema = messageSchema.pick({
  id: true,
  text: true,
  createdAt: true,
  editedAt: true,
  replyTo: true,
});

export const exportedReactionSchema = z.strictObject({ messageId: z.string(), emoji: emojiSchema });

/** A class that one is in, or wrote in before leaving it. */
export const exportedClassSchema = z.strictObject({
  classId: randomId,
  label: z.string(),
  /** Null after leaving. */
  joinedDay: day.nullable(),
  /** Null before the first message or reaction. */
  persona: personaSchema.nullable(),
});

export const exportedAccountSchema = z.strictObject({
  email: z.string(),
  createdDay: day,
  devices: z.array(deviceSchema.pick({ name: true, signedInDay: true })),
});

/** The whole of the file. */
export const accountExportSchema = exportedAccountSchema.extend({
  classes: z.array(
    exportedClassSchema.extend({
      messages: z.array(exportedMessageSchema),
      reactions: z.array(exportedReactionSchema),
    }),
  ),
});
