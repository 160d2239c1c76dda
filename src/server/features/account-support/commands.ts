// The commands of `npm run admin` that help the owner of one account.
import { AccountSupport } from './account-support.ts';
import { createResetLinks } from '#server/accounts/reset-links.ts';
import { createSignUpLinks } from '#server/accounts/sign-up-links.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import { createRoles } from '#server/chat/staff/roles.ts';
import { blockAddress } from './delete-for-support.ts';
import type { Config } from '#server/config/config-types.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import {
  accountEmail,
  createEmailArgument,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
} from '#server/commands/admin-command.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import { runOnDatabase, writeChange } from '#server/commands/write-change.ts';

export const accountCommands: readonly AdminCommand[] = [
  {
    name: 'find-account',
    description:
      'says whether the account is verified, since when it exists, and its devices; never its classes',
    takes: [accountEmail],
    run: findOne,
  },
  {
    name: 'end-sessions',
    description: 'signs the account out on all devices; its password stays',
    takes: [accountEmail],
    run: endSessions,
  },
  {
    name: 'resend-verification',
    description:
      'mails an account that is not verified a new link, which takes the password of its sign-up',
    takes: [accountEmail],
    run: resendVerificationTo,
  },
  {
    name: 'send-reset-link',
    description: 'mails an account a link to set a password',
    takes: [accountEmail],
    run: sendResetLinkTo,
  },
  {
    name: 'block-address',
    description:
      'signs the account of the address out; no one can sign up or sign in with it, and it gets no mail',
    takes: [
      createEmailArgument('EMAIL', 'the address'),
      createRequiredArgument('REASON', 'quote it; do not write the address'),
    ],
    run: addBlock,
  },
  {
    name: 'unblock-address',
    description: 'takes a block back',
    takes: [createEmailArgument('EMAIL', 'the address')],
    run: removeBlock,
  },
  {
    name: 'list-blocked-addresses',
    description: 'lists the day and the reason of each block; the addresses are not stored',
    takes: [],
    run: listMany,
  },
];

export async function findOne({ config }: CommandContext, email: string): Promise<CommandReport> {
  const account = await runSupport(config, email, (support, unitOfWork) =>
    support.find(unitOfWork, email, administratorName),
  );
  // After the commit, so that the audit log has a search without a result, too.
  if (!account) throw new Error(describeMissingAccount(email));
  const { verified, createdDay, signsInWith, devices } = account;
  const ways = signsInWith.map((way) => (way === 'password' ? 'a password' : 'the provider'));
  const lines = [
    `${account.email} joined on ${createdDay} and is ${verified ? '' : 'not '}verified.`,
    `It signs in with ${ways.join(' and ') || 'neither a password nor the provider yet'}.`,
    devices.length === 0 ? 'It is signed in on no device.' : 'It is signed in on:',
    ...devices.map(({ name, signedInDay }) => `  ${name}, since ${signedInDay}`),
  ];
  return { message: lines.join('\n'), ...account };
}

async function endSessions({ config }: CommandContext, email: string): Promise<CommandReport> {
  const address = await runSupport(config, email, (support, unitOfWork) =>
    support.endSessions(unitOfWork, email, administratorName),
  );
  return {
    message: `All devices of ${address} are signed out. Its password stays: if a stranger knows it, ask the owner to reset it.`,
    email: address,
  };
}

async function resendVerificationTo(
  { config }: CommandContext,
  email: string,
): Promise<CommandReport> {
  const to = await runSupport(config, email, (support, unitOfWork) =>
    support.resendVerification(unitOfWork, email, administratorName),
  );
  return {
    message: `${to} gets a link by mail, which is valid for a day. It takes the password of the sign-up.`,
    email: to,
  };
}

async function sendResetLinkTo({ config }: CommandContext, email: string): Promise<CommandReport> {
  const to = await runSupport(config, email, (support, unitOfWork) =>
    support.sendResetLink(unitOfWork, email, administratorName),
  );
  return {
    message: `${to} gets a link by mail to set a password, which is valid for at least an hour.`,
    email: to,
  };
}

async function addBlock(
  { config }: CommandContext,
  email: string,
  reason: string,
): Promise<CommandReport> {
  const { blockedAddresses, accountRecords, check, server } = loadCommandKeys(config);
  const roles = createRoles(config.operators, accountRecords, server.personas);
  await writeChange(config.database, async (unitOfWork) => {
    await check(unitOfWork.db);
    const dependencies = { blockedAddresses, roles, staffName: administratorName };
    await blockAddress(unitOfWork, dependencies, { email, reason });
  });
  return {
    message: `${email} is blocked: no one can sign up or sign in with it, and it gets no mail. The address is not stored.`,
  };
}

async function removeBlock({ config }: CommandContext, email: string): Promise<CommandReport> {
  const { blockedAddresses, check } = loadCommandKeys(config);
  await writeChange(
    config.database,
    async (unitOfWork) => {
      await check(unitOfWork.db);
      await blockedAddresses.unblock(unitOfWork, { email });
      const staffName = administratorName;
      await appendAudit(unitOfWork, { staffName, act: 'unblock-address', reason: '' });
    },
    { NOT_FOUND: `${email} is not blocked.` },
  );
  return { message: `${email} is no longer blocked.` };
}

async function listMany({ config }: CommandContext): Promise<CommandReport> {
  const { blockedAddresses, check } = loadCommandKeys(config);
  const blocks = await runOnDatabase(config.database, async ({ db }) => {
    await check(db);
    return blockedAddresses.list(db);
  });
  return {
    message:
      blocks.map(({ day, reason }) => `${day}\t${reason}`).join('\n') || 'No address is blocked.',
    blocks,
  };
}

/** Acts in one commit, with the keys of the server. */
function runSupport<Result>(
  config: Config,
  email: string,
  change: (support: AccountSupport, unitOfWork: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const keys = loadCommandKeys(config);
  const { appName, publicUrl, emailDomains, supportContact, passwordSignIn } = config;
  const createSupport = (epoch: string) =>
    new AccountSupport({
      accountRecords: keys.accountRecords,
      sessionRecords: keys.sessionRecords,
      resetLinks: createResetLinks(keys.server.resetLinks, epoch),
      mailKey: keys.mailKey,
      links: createSignUpLinks(keys.server),
      blockedAddresses: keys.blockedAddresses,
      settings: {
        appName,
        origin: publicUrl.origin,
        emailDomains,
        contact: supportContact,
        passwordSignIn,
      },
    });
  return writeChange(
    config.database,
    async (unitOfWork) => {
      await keys.check(unitOfWork.db);
      const epoch = (await findMetadata(unitOfWork.db, 'epoch')) ?? '';
      return change(createSupport(epoch), unitOfWork);
    },
    { NO_SUCH_ACCOUNT: describeMissingAccount(email) },
  );
}

export const describeMissingAccount = (email: string) =>
  `There is no account with the address ${email}.`;
