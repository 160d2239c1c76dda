// The calls of roles.
import type { roleCalls as contract } from '#contract/roles.ts';
import type { FactsOf } from './facts.ts';

export const roleCalls = {
  listGrantedRoles: { cost: { rowsRead: 14 } },
  // There is no such account, and no such role.
  grantRole: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail, classId }) => ({
      email: supportedEmail,
      classId,
      role: 'staff',
      staffName: 'Prof. Lee',
    }),
    cost: { rowsRead: 26, rowsWritten: 10, kilobytesWritten: 24, mails: 1 },
  },
  revokeRole: {
    ownScene: 'forCall',
    outcome: 'NOT_FOUND',
    order: 'late',
    largest: {
      async prepare({ supported: { email }, classId, operator }) {
        const body = { email, classId, role: 'moderator', staffName: 'Prof. Reed' } as const;
        await operator.call('grantRole', { body });
        const { roles } = await operator.call('listGrantedRoles', {});
        return { roleId: roles.find(({ role }) => role === 'moderator')?.roleId };
      },
    },
    async prepare({ otto, ada: { email }, classId }) {
      const body = { email, classId, role: 'staff', staffName: 'Prof. Lee' } as const;
      await otto.call('grantRole', { body });
      const { roles } = await otto.call('listGrantedRoles', {});
      return { roleId: roles.find((role) => role.classId === classId)!.roleId };
    },
    cost: { statements: 30, rowsRead: 26, rowsWritten: 4, kilobytesWritten: 18 },
  },
} satisfies FactsOf<typeof contract>;
