// Roles that moderators and operators grant.
import { z } from 'zod';
import { email, createLineSchema, emptySchema } from './call-fields.ts';
import { randomId } from './entities.ts';
import type { ErrorReason } from './errors.ts';
import { limits } from './limits.ts';
import { grantedRoleSchema } from './moderation.ts';

export const roleCalls = {
  listGrantedRoles: {
    route: 'GET /api/moderation/roles',
    who: 'operator',
    reply: z.strictObject({
      /** The operators, by name. One that the setting names may have no account yet. */
      operators: z.array(z.strictObject({ staffName: z.string(), isConfigured: z.boolean() })),
      /** The roles in classes, by class and name. */
      roles: z.array(grantedRoleSchema),
    }),
  },
  grantRole: {
    route: 'POST /api/moderation/roles',
    who: 'operator',
    factor: 'duty',
    limit: 'grants',
    body: z
      .strictObject({
        /** The address of the account. */
        email: email.optional(),
        /** A role that the account already has. */
        roleId: randomId.optional(),
        classId: z
          .string('A class is required.')
          .regex(/^[\w-]{16}$/, 'CLASS_LINK' satisfies ErrorReason),
        role: z.enum(['moderator', 'staff'], 'Please choose a role from the list.'),
        staffName: createLineSchema('The name', 4 * limits.staffName),
      })
      .refine(
        (grant) => (grant.email === undefined) !== (grant.roleId === undefined),
        'Please name one person, by an address or by a role.',
      ),
    reply: emptySchema,
  },
  revokeRole: {
    route: 'DELETE /api/moderation/roles/:roleId',
    who: 'operator',
    factor: 'duty',
    params: z.strictObject({ roleId: randomId }),
    reply: emptySchema,
  },
} as const;
