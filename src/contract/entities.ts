import { z } from 'zod';
import { emojis } from './emojis.ts';

/** Made by the server: 12 random bytes, base64url. */
export const randomId = z.string().regex(/^[\w-]{16}$/);
/** Made by the browser: a version 4 UUID, which carries no clock. */
export const messageId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const seq = z.int().min(0);

export const emojiSchema = z.enum(emojis);

/** A class as everybody signed in may see it. Older data may lack any of the nullable fields. */
export const classSchema = z.strictObject({
  classId: randomId,
  name: z.string().nullable(),
  courseName: z.string().nullable(),
  subjectAbbreviation: z.string().nullable(),
  courseNumber: z.string().nullable(),
  sectionNumber: z.string().nullable(),
  semesterSeason: z.string().nullable(),
  classSchedule: z.array(z.string()).nullable(),
  beginClassTime: z.string().nullable(),
  endClassTime: z.string().nullable(),
  memberCount: z.int().min(0),
  /** Its term is over: it can be read, and nothing in it changes any more. */
  ended: z.boolean(),
});
export type Class = z.infer<typeof classSchema>;

/** Who somebody is in one class. `icon` seeds the drawing; both mean nothing outside that class. */
export const personaSchema = z.strictObject({
  memberId: randomId,
  anonymousName: z.string(),
  icon: z.string(),
});
export type Persona = z.infer<typeof personaSchema>;

/** Where the display picture is, for members of its class. Nothing under a name ever changes. */
export const imageUrl = z.string().regex(/^\/images\/[\w-]{16}\.webp$/);
export const storagePath = z.string().regex(/^images\/[\w-]{16}\.webp$/);

/** How a picture is shown. */
export const pictureSchema = z.strictObject({
  /** Of the display picture, in pixels, exactly. */
  width: z.int().min(1),
  height: z.int().min(1),
  /** A smaller one in the same proportions, which stands still even where the picture moves. */
  thumbUrl: z.string().regex(/^\/images\/[\w-]{16}\.small\.webp$/),
  /** A thumbhash, in base64: what is seen until one of them is loaded. */
  placeholder: z.base64(),
  animated: z.boolean(),
  /** What the sender says is to be seen; empty without. */
  alt: z.string(),
});
export type Picture = z.infer<typeof pictureSchema>;

/** Times in milliseconds since 1970; `seq` is its place in the class's log. */
export const messageSchema = z.strictObject({
  id: messageId,
  seq,
  memberId: randomId,
  text: z.string(),
  /** These three are null without a picture. */
  imageUrl: imageUrl.nullable(),
  storagePath: storagePath.nullable(),
  image: pictureSchema.nullable(),
  createdAt: z.int(),
  editedAt: z.int().nullable(),
  /** The message that this one answers; it may have been deleted since. */
  replyTo: messageId.nullable(),
  /** From memberId to the one emoji of that member. */
  reactions: z.record(randomId, emojiSchema),
});
export type Message = z.infer<typeof messageSchema>;

/** A school's style values, camelCase names; `logoUrl` is https or of this origin. */
export const schoolThemeSchema = z.record(z.string(), z.string());
export type SchoolTheme = z.infer<typeof schoolThemeSchema>;
