// What operators see on /admin: the state of the server, and numbers too coarse to tell one person's act.
import { z } from 'zod';

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const coarse = z.int().min(0);

export const serverParts = ['disk', 'database', 'mail', 'pictures', 'search'] as const;
export type ServerPart = (typeof serverParts)[number];

export const overviewSchema = z.strictObject({
  version: z.string(),
  parts: z.array(
    z.strictObject({
      part: z.enum(serverParts),
      health: z.enum(['good', 'warning', 'failed']),
      /** A fixed sentence, without any name, address or text. */
      explanation: z.string(),
    }),
  ),
  /** Null until it is known. */
  sizes: z.strictObject({
    database: coarse.nullable(),
    pictures: coarse.nullable(),
    free: coarse.nullable(),
  }),
  sockets: coarse,
  /** The last complete days (UTC), oldest first. */
  daily: z.array(z.strictObject({ day, messageTotal: coarse, signUpTotal: coarse })),
  /** Newest first. */
  warnings: z.array(
    z.strictObject({
      event: z.string(),
      day,
      /** Null for an event that no person's act causes. */
      times: coarse.nullable(),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;
