// The calls of operators who grant and revoke roles in classes. No address of an account leaves the server.
import { AppError } from '#contract/errors.ts';
import type { CallInput } from '#contract/http.ts';
import { compareText } from '#contract/text-order.ts';
import {
  grantRole,
  grantStaff,
  listGrantedRoles,
  listOperators,
  revokeRole,
} from '#server/chat/staff/roles.ts';
import type { Reader } from '#server/store/site.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import { sendRoleMail } from './role-mail.ts';

export function registerRoleRoutes(
  route: Route,
  server: Pick<Server, 'config' | 'db' | 'site' | 'accountRecords'>,
): void {
  const { config, accountRecords } = server;

  route('listGrantedRoles', async () => {
    const grantedRoles = await listGrantedRoles(server);
    const operators = (await listOperators(server)).map(({ staffName, isConfigured }) => {
      return { staffName, isConfigured };
    });
    return {
      operators: operators.toSorted((a, b) => compareText(a.staffName, b.staffName)),
      roles: grantedRoles.map(({ roleId, classId, label, role, staffName }) => {
        return { roleId, classId, label, role, staffName };
      }),
    };
  });

  route('grantRole', async ({ commits, body }) => {
    const { classId, role, staffName } = body;
    await commits.write(async (unitOfWork, operatorName) => {
      const accountId = await getNamedAccountId(unitOfWork, accountRecords, body);
      const grantedClass = await findClass(unitOfWork.db, classId);
      if (!grantedClass) throw new AppError('NO_SUCH_CLASS');
      const grant = role === 'staff' ? grantStaff : grantRole;
      await grant(unitOfWork, { accountId, classId, staffName, operatorName });
      const granted = { role, grantedClasses: [grantedClass] };
      await sendRoleMail(unitOfWork, accountId, granted, config);
    }, 'everything');
    return {};
  });

  route('revokeRole', async ({ commits, params: { roleId } }) => {
    await commits.write(async (unitOfWork, operatorName) => {
      const grantedRoles = await listGrantedRoles(unitOfWork);
      const grantedRole = grantedRoles.find((candidate) => candidate.roleId === roleId);
      if (!grantedRole) throw new AppError('NOT_FOUND');
      const { accountId, classId, role } = grantedRole;
      await revokeRole(unitOfWork, { accountId, classId, role, operatorName });
    }, 'everything');
    return {};
  });
}

/** Finds the account that an operator names by its address, or by a role that it has: the operator sees no more of it. */
async function getNamedAccountId(
  reader: Reader,
  accountRecords: Server['accountRecords'],
  { email, roleId }: Pick<CallInput<'grantRole'>['body'], 'email' | 'roleId'>,
): Promise<string> {
  if (email !== undefined) {
    const accountId = await accountRecords.findId(reader.db, email.trim());
    if (accountId === null) throw new AppError('NO_SUCH_ACCOUNT');
    return accountId;
  }
  const grantedRoles = await listGrantedRoles(reader);
  const holder = grantedRoles.find((grantedRole) => grantedRole.roleId === roleId);
  const account = holder && (await accountRecords.findById(reader.db, holder.accountId));
  if (!account) throw new AppError('ROLE_ENDED');
  return account.id;
}
