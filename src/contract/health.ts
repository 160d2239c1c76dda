// The state of the server for operators, in numbers too coarse to tell one person's action, and its settings.
import { z } from 'zod';
import { day } from './call-fields.ts';

const coarseCount = z.int().min(0);

export const serverParts = [
  'disk',
  'database',
  'mail',
  'pictures',
  'search',
  'backups',
  'server key',
] as const;
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
    database: coarseCount.nullable(),
    pictures: coarseCount.nullable(),
    free: coarseCount.nullable(),
  }),
  sockets: coarseCount,
  /** The last complete days (UTC), oldest first. */
  daily: z.array(z.strictObject({ day, messageTotal: coarseCount, signUpTotal: coarseCount })),
  /** Newest first. */
  warnings: z.array(
    z.strictObject({
      event: z.string(),
      day,
      /** Null for an event that no person's action causes. */
      times: coarseCount.nullable(),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;

/** A setting as the server started with it. A secret has no value here, only whether it is set. */
export const settingInForceSchema = z.strictObject({
  setting: z.string(),
  settingValue: z.string(),
  source: z.enum(['default', 'environment', 'file']),
});
export type SettingInForce = z.infer<typeof settingInForceSchema>;

export const healthCalls = {
  readOverview: {
    route: 'GET /api/admin/overview',
    who: 'operator',
    reply: overviewSchema,
  },
  readSettingsInForce: {
    route: 'GET /api/admin/settings',
    who: 'operator',
    reply: z.strictObject({ inForce: z.array(settingInForceSchema) }),
  },
} as const;
