// The commands of `npm run admin` for roles and the audit log.
import { AppError } from '#contract/errors.ts';
import { administratorName, verifyAudit } from '#server/chat/staff/audit-log.ts';
import {
  createRoles,
  grantRole,
  grantStaff,
  listGrantedRoles,
  revokeOperator,
  revokeRole,
} from '#server/chat/staff/roles.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassRow } from '#server/chat/messages/authored-content-queries.ts';
import { sendModeratorMail } from './role-mail.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import {
  accountEmail,
  createOptionalArgument,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
} from '#server/commands/admin-command.ts';
import { runOnDatabase, writeChange } from '#server/commands/write-change.ts';

const roleClassId = createRequiredArgument(
  'CLASSID',
  'the end of the link of the class, /home/CLASSID',
);

export const roleCommands: readonly AdminCommand[] = [
  {
    name: 'grant-operator',
    description: 'lets an account moderate all classes and read the audit log, which shows NAME',
    takes: [accountEmail, createRequiredArgument('NAME', 'quote a name with spaces')],
    run: (context, email, name) => grant(context, email, null, name),
  },
  {
    name: 'grant-moderator',
    description: 'lets an account moderate one class; the audit log shows NAME',
    takes: [accountEmail, roleClassId, createRequiredArgument('NAME', 'quote a name with spaces')],
    run: grant,
  },
  {
    name: 'grant-staff',
    description: "lets an instructor or assistant speak in a class as NAME, with the badge 'Staff'",
    takes: [
      accountEmail,
      roleClassId,
      createRequiredArgument('NAME', 'what the class sees; quote a name with spaces'),
    ],
    run: grantStaffRole,
  },
  {
    name: 'revoke-role',
    description: 'takes back the role of an operator, or the roles of an account in the class',
    takes: [
      accountEmail,
      createOptionalArgument('CLASSID', 'the class; without it, the role of an operator'),
    ],
    run: (context, email, classId) => revoke(context, email, classId || null),
  },
  {
    name: 'list-roles',
    description: 'lists operators, moderators and staff, with their addresses',
    takes: [],
    run: listMany,
  },
  {
    name: 'verify-audit',
    description: 'checks that no entry of the audit log was changed or removed',
    takes: [
      createOptionalArgument(
        'HASH',
        'a hash that you noted: checks that the last entries are there, too',
      ),
    ],
    run: verify,
  },
];

const wrongStaffName =
  "The class sees the name. It has 1 to 30 letters, digits, spaces and signs (. , ' - _ ! ? & # +), and is no email address.";

async function grantStaffRole(
  { config }: CommandContext,
  email: string,
  classId: string,
  name: string,
): Promise<CommandReport> {
  const keys = loadCommandKeys(config);
  await writeChange(
    config.database,
    async (unitOfWork) => {
      const accountId = await findAccountId(unitOfWork.db, keys, email);
      await getClass(unitOfWork.db, classId);
      await grantStaff(unitOfWork, {
        personaKey: keys.server.personas,
        accountId,
        classId,
        staffName: name,
        operatorName: administratorName,
      });
    },
    {
      NAME_EMPTY: wrongStaffName,
      NAME_TOO_LONG: wrongStaffName,
      NAME_CHARACTERS: wrongStaffName,
      NAME_TAKEN:
        'Someone in this class already has this name, or one that looks like it. Choose another one, such as the full name.',
    },
  );
  return {
    message: `${email} can now speak as ${name} in ${classId}, with the badge 'Staff'. The messages under the anonymous name of this person stay anonymous.`,
    role: 'staff',
  };
}

async function grant(
  { config }: CommandContext,
  email: string,
  classId: string | null,
  staffName: string,
): Promise<CommandReport> {
  const keys = loadCommandKeys(config);
  await writeChange(config.database, async (unitOfWork) => {
    const accountId = await findAccountId(unitOfWork.db, keys, email);
    const grantedClass = classId === null ? null : await getClass(unitOfWork.db, classId);
    const personaKey = keys.server.personas;
    const operatorName = administratorName;
    await grantRole(unitOfWork, { personaKey, accountId, classId, staffName, operatorName });
    if (!grantedClass) return;
    const settings = { appName: config.appName, origin: config.publicUrl.origin };
    await sendModeratorMail(unitOfWork.db, keys.mailKey, email, grantedClass, settings);
  });
  const roleText = classId === null ? 'an operator of all classes' : `a moderator of ${classId}`;
  return {
    message: `${email} is now ${roleText}. Other members cannot see this. The audit log shows the name ${staffName}.`,
    role: classId === null ? 'operator' : 'moderator',
  };
}

async function revoke(
  { config }: CommandContext,
  email: string,
  classId: string | null,
): Promise<CommandReport> {
  const keys = loadCommandKeys(config);
  const personaKey = keys.server.personas;
  await writeChange(
    config.database,
    async (unitOfWork) => {
      const accountId = await findAccountId(unitOfWork.db, keys, email);
      if (classId === null) {
        const roles = createRoles(config.operators, keys.accountRecords, personaKey);
        return revokeOperator(unitOfWork, roles, { personaKey, accountId });
      }
      await revokeRole(unitOfWork, {
        personaKey,
        accountId,
        classId,
        role: null,
        operatorName: administratorName,
      });
    },
    {
      NOT_FOUND:
        classId === null
          ? `${email} is no operator by grant-operator. If OPERATORS names the address, remove it there. For a moderator, add the id of the class.`
          : `${email} has no role in ${classId}.`,
    },
  );
  return { message: `${email} no longer has this role.` };
}

interface ListedRole {
  role: 'operator' | 'moderator' | 'staff';
  name: string;
  email: string;
  classId: string | null;
  /** The label of the class. */
  label: string;
}

async function listMany({ config }: CommandContext): Promise<CommandReport> {
  const { accountRecords, server, check } = loadCommandKeys(config);
  return runOnDatabase(config.database, async ({ db }) => {
    await check(db);
    const roles = createRoles(config.operators, accountRecords, server.personas);
    const listedRoles: ListedRole[] = [];
    for (const operator of await roles.operators(db)) {
      const label = operator.isConfigured ? 'all classes, by OPERATORS' : 'all classes';
      const { staffName: name, email } = operator;
      listedRoles.push({ role: 'operator', name, email, classId: null, label });
    }
    const grantedRoles = await listGrantedRoles(db, server.personas);
    const accountIds = grantedRoles.map(({ accountId }) => accountId);
    const accounts = await accountRecords.listById(db, accountIds);
    const emails = new Map(accounts.map(({ id, email }) => [id, email]));
    for (const { role, staffName: name, accountId, classId, label } of grantedRoles) {
      const email = emails.get(accountId) ?? '';
      listedRoles.push({ role, name, email, classId, label });
    }
    const rows = listedRoles.map(({ role, name, email, label, classId }) =>
      [role, name, email, label, classId ?? ''].join('\t').trimEnd(),
    );
    return {
      message: rows.length === 0 ? 'No one has a role.' : rows.join('\n'),
      roles: listedRoles,
    };
  });
}

/** Another key would find no account. */
async function findAccountId(
  db: Database,
  { check, accountRecords }: ReturnType<typeof loadCommandKeys>,
  email: string,
): Promise<string> {
  await check(db);
  const [row] = await accountRecords.listIds(db, [email.toLowerCase()]);
  if (row) return row.accountId;
  throw new AppError('NO_SUCH_ACCOUNT', `There is no account with the address ${email}.`);
}

async function getClass(db: Database, classId: string): Promise<ClassRow> {
  const row = await findClass(db, classId);
  if (row) return row;
  throw new AppError('NOT_FOUND', `There is no class with the id ${classId}.`);
}

/**
 * Verifies the hash chain of the audit log.
 *
 * @param notedHash the last hash of an earlier check, or ''
 * @throws {AppError} if the chain is broken, or if the entry with the noted hash is missing
 */
async function verify({ config }: CommandContext, notedHash: string): Promise<CommandReport> {
  const { database, secretKey, keyDir } = config;
  return runOnDatabase(database, async ({ db }) => {
    // Only a noted hash needs the key.
    const key = notedHash === '' ? null : loadServerKeys(secretKey, keyDir).personas;
    const { entries, lastHash, brokenAt, hasNoted } = await verifyAudit(db, notedHash, key);
    if (brokenAt !== null) {
      throw new AppError(
        'INTERNAL',
        `the audit log is broken: entry ${brokenAt} was changed, or one before it is missing.`,
      );
    }
    if (!hasNoted) {
      throw new AppError(
        'INTERNAL',
        'the audit log has no entry with the noted hash: its last entries were removed, it was replaced, or the server key changed since.',
      );
    }
    if (entries === 0) return { message: 'The audit log is empty.', entries, lastHash };
    return {
      message: `The audit log is whole: ${entries} ${entries === 1 ? 'entry' : 'entries'}, the last with the hash ${lastHash}. Note the hash elsewhere: 'npm run admin -- verify-audit HASH' later shows whether entries up to it were replaced or removed.`,
      entries,
      lastHash,
    };
  });
}
