// Roles that moderators and operators grant.
import { z } from 'zod';
import { email, line, nothing } from './call-fields.ts';
import { randomId } from './entities.ts';
import { limits } from './limits.ts';
import { grantedRoleSchema } from './moderation.ts';

export const roleCalls = {
  /** Of classes, by class and name. */
  listGrantedRoles: { reply: z.strictObject({ roles: z.array(grantedRoleSchema) }) },
  grantRole: {
    body: z.strictObject({
      email,
      classId: z
        .string('A class is required.')
        .regex(/^[\w-]{16}$/, 'This is not the link of a class.'),
      role: z.enum(['moderator', 'staff'], 'Please choose a role from the list.'),
      staffName: line('The name', 4 * limits.staffName),
    }),
    reply: nothing,
  },
  revokeRole: { params: z.strictObject({ roleId: randomId }), reply: nothing },
} as const;
