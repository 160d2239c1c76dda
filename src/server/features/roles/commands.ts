// The commands of `npm run admin` for roles and the audit log.
import { AppError } from '#contract/errors.ts';
import { administratorName, verifyAudit } from '#server/chat/staff/audit-log.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import {
  grantRole,
  grantStaff,
  listGrantedRoles,
  listOperators,
  revokeOperator,
  revokeRole,
} from '#server/chat/staff/roles.ts';
import {
  accountEmail,
  classId,
  defineDatabaseCommand,
  someText,
  toMissingAccount,
  toMissingClass,
  type DatabaseContext,
} from '#server/commands/admin-command.ts';
import type { CommandKeys } from '#server/commands/command-keys.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import type { Database } from '#server/store/tables.ts';
import { sendRoleMail } from './role-mail.ts';

const staffName = someText.describe('quote a name with spaces');

const wrongStaffName =
  "The class sees the name. It has 1 to 30 letters, digits, spaces and signs (. , ' - _ ! ? & # +), and is no email address.";

export interface Grant {
  email: string;
  classId: string;
  staffName: string;
  /** The list of `grant-roles` that grants it. */
  list?: string | undefined;
}

const toMissing = (grant: Pick<Grant, 'email' | 'classId'>) => ({
  ...toMissingAccount(grant),
  ...toMissingClass(grant),
});

export const toGrantMessages = (grant: Grant) => ({
  ...toMissing(grant),
  NAME_EMPTY: wrongStaffName,
  NAME_TOO_LONG: wrongStaffName,
  NAME_CHARACTERS: wrongStaffName,
  NAME_TAKEN:
    'Someone in this class already has this name, or one that looks like it. Choose another one, such as the full name.',
});

export const roleCommands = [
  defineDatabaseCommand({
    name: 'grant-operator',
    description: 'lets an account moderate all classes and read the audit log, which shows NAME',
    takes: { email: accountEmail, staffName },
    toMessages: toMissingAccount,
    async run({ loadKeys, write }, grant) {
      const keys = await loadKeys();
      await write(async (unitOfWork) => {
        const accountId = await getAccountId(unitOfWork.db, keys, grant.email);
        await grantRole(unitOfWork, {
          accountId,
          classId: null,
          staffName: grant.staffName,
          operatorName: administratorName,
        });
      });
      return describeGrant(grant, 'operator', 'an operator of all classes');
    },
  }),
  defineDatabaseCommand({
    name: 'grant-moderator',
    description: 'lets an account moderate one class; the audit log shows NAME',
    takes: { email: accountEmail, classId, staffName },
    toMessages: toMissing,
    async run(context, grant) {
      await grantInClass(context, grant, 'moderator');
      return describeGrant(grant, 'moderator', `a moderator of ${grant.classId}`);
    },
  }),
  defineDatabaseCommand({
    name: 'grant-staff',
    description: "lets an instructor or assistant speak in a class as NAME, with the badge 'Staff'",
    takes: {
      email: accountEmail,
      classId,
      staffName: someText.describe('what the class sees; quote a name with spaces'),
    },
    toMessages: toGrantMessages,
    async run(context, grant) {
      await grantInClass(context, grant, 'staff');
      return {
        message: `${grant.email} can now speak as ${grant.staffName} in ${grant.classId}, with the badge 'Staff'. The messages under the anonymous name of this person stay anonymous.`,
        role: 'staff',
      };
    },
  }),
  defineDatabaseCommand({
    name: 'revoke-role',
    description: 'takes back the role of an operator, or the roles of an account in the class',
    takes: {
      email: accountEmail,
      classId: someText.optional().describe('the class; without it, the role of an operator'),
    },
    toMessages: (input) => ({
      ...toMissingAccount(input),
      NOT_FOUND:
        input.classId === undefined
          ? `${input.email} is no operator by grant-operator. If OPERATORS names the address, remove it there. For a moderator, add the id of the class.`
          : `${input.email} has no role in ${input.classId}.`,
    }),
    async run({ loadKeys, write }, { email: address, classId: ofClass }) {
      const keys = await loadKeys();
      await write(async (unitOfWork) => {
        const accountId = await getAccountId(unitOfWork.db, keys, address);
        if (ofClass === undefined) {
          return revokeOperator(unitOfWork, accountId);
        }
        await revokeRole(unitOfWork, {
          accountId,
          classId: ofClass,
          role: null,
          operatorName: administratorName,
        });
      });
      return { message: `${address} no longer has this role.` };
    },
  }),
  defineDatabaseCommand({
    name: 'list-roles',
    description: 'lists operators, moderators and staff, with their addresses',
    async run({ db, loadKeys }) {
      const { accountRecords, site } = await loadKeys();
      const operators = await listOperators({ db, site });
      const grantedRoles = await listGrantedRoles({ db, site });
      const accountIds = grantedRoles.map(({ accountId }) => accountId);
      const accounts = await accountRecords.listById(db, accountIds);
      const emails = new Map(accounts.map((account) => [account.id, account.email]));
      const roles = [
        ...operators.map((operator) => ({
          role: 'operator',
          name: operator.staffName,
          email: operator.email,
          classId: null,
          label: operator.isConfigured ? 'all classes, by OPERATORS' : 'all classes',
          list: null,
        })),
        ...grantedRoles.map((granted) => ({
          role: granted.role,
          name: granted.staffName,
          email: emails.get(granted.accountId) ?? '',
          classId: granted.classId,
          label: granted.label,
          list: granted.list ?? null,
        })),
      ];
      const rows = roles.map((listed) =>
        [
          listed.role,
          listed.name,
          listed.email,
          listed.label,
          listed.classId ?? '',
          listed.list ?? '',
        ]
          .join('\t')
          .trimEnd(),
      );
      return { message: rows.join('\n') || 'No one has a role.', roles };
    },
  }),
  defineDatabaseCommand({
    name: 'verify-audit',
    description: 'checks that no entry of the audit log was changed or removed',
    takes: {
      hash: someText
        .optional()
        .describe('a hash that you noted: checks that the last entries are there, too'),
    },
    async run({ db, loadKeys }, { hash }) {
      // Only a noted hash needs the key.
      const key = hash === undefined ? null : (await loadKeys()).server.personas;
      const { entries, lastHash, brokenAt, hasNoted } = await verifyAudit(db, hash, key);
      if (brokenAt !== null) {
        throw new Error(
          `the audit log is broken: entry ${brokenAt} was changed, or one before it is missing.`,
        );
      }
      if (!hasNoted) {
        throw new Error(
          'the audit log has no entry with the noted hash: its last entries were removed, it was replaced, or the server key changed since.',
        );
      }
      if (entries === 0) return { message: 'The audit log is empty.', entries, lastHash };
      return {
        message: `The audit log is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}, the last with the hash ${lastHash}. Note the hash elsewhere: 'npm run admin -- verify-audit HASH' later shows whether entries up to it were replaced or removed.`,
        entries,
        lastHash,
      };
    },
  }),
];

async function grantInClass(
  context: DatabaseContext,
  grant: Grant,
  role: 'moderator' | 'staff',
): Promise<void> {
  const [error] = await grantInClasses(context, [grant], role);
  if (error) throw error;
}

/**
 * Grants an account the same role in classes, and queues one mail about them, in one commit.
 *
 * @returns for each grant, why the role was not granted
 */
export async function grantInClasses(
  { config, loadKeys, write }: DatabaseContext,
  grants: readonly Grant[],
  role: 'moderator' | 'staff',
): Promise<(AppError | undefined)[]> {
  const { accountRecords } = await loadKeys();
  return write(async (unitOfWork) => {
    const { db } = unitOfWork;
    const accountId = await accountRecords.findId(db, grants[0]?.email ?? '');
    if (accountId === null) return grants.map(() => new AppError('NO_SUCH_ACCOUNT'));
    const errors: (AppError | undefined)[] = [];
    const grantedClasses: ClassRow[] = [];
    for (const grant of grants) {
      try {
        const grantedClass = await findClass(db, grant.classId);
        if (!grantedClass) throw new AppError('NOT_FOUND');
        // Both check the grant before they write anything of it.
        const save = role === 'staff' ? grantStaff : grantRole;
        await save(unitOfWork, { ...grant, accountId, operatorName: administratorName });
        grantedClasses.push(grantedClass);
        errors.push(undefined);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        errors.push(error);
      }
    }
    if (grantedClasses.length > 0) {
      await sendRoleMail(unitOfWork, accountId, { role, grantedClasses }, config);
    }
    return errors;
  });
}

const describeGrant = (
  grant: Pick<Grant, 'email' | 'staffName'>,
  role: 'operator' | 'moderator',
  roleText: string,
) => ({
  message: `${grant.email} is now ${roleText}. Other members cannot see this. The audit log shows the name ${grant.staffName}.`,
  role,
});

async function getAccountId(
  db: Database,
  { accountRecords }: CommandKeys,
  address: string,
): Promise<string> {
  const accountId = await accountRecords.findId(db, address);
  if (accountId === null) throw new AppError('NO_SUCH_ACCOUNT');
  return accountId;
}
