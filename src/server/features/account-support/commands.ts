// The commands of `npm run admin` that help the owner of one account.
import { createResetLinks } from '#server/accounts/reset-links.ts';
import { createSignUpLinks } from '#server/accounts/sign-up-links.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import {
  accountEmail,
  defineDatabaseCommand,
  email,
  someText,
  toMissingAccount,
  type CommandReport,
  type DatabaseContext,
} from '#server/commands/admin-command.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import { AccountSupport } from './account-support.ts';
import { blockAddress } from './delete-for-support.ts';

export const accountCommands = [
  defineDatabaseCommand({
    name: 'find-account',
    description:
      'says whether the account is verified, since when it exists, and its devices; never its classes',
    takes: { email: accountEmail },
    run: (context, input) => findAccount(context, input.email),
  }),
  defineDatabaseCommand({
    name: 'end-sessions',
    description: 'signs the account out on all devices; its password stays',
    takes: { email: accountEmail },
    toMessages: toMissingAccount,
    async run(context, input) {
      const address = await runSupport(context, (support, unitOfWork) =>
        support.endSessions(unitOfWork, input.email, administratorName),
      );
      return {
        message: `All devices of ${address} are signed out. Its password stays: if a stranger knows it, ask the owner to reset it.`,
        email: address,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'resend-verification',
    description:
      'mails an account that is not verified a new link, which takes the password of its sign-up',
    takes: { email: accountEmail },
    toMessages: toMissingAccount,
    async run(context, input) {
      const address = await runSupport(context, (support, unitOfWork) =>
        support.resendVerification(unitOfWork, input.email, administratorName),
      );
      return {
        message: `${address} gets a link by mail, which is valid for a day. It takes the password of the sign-up.`,
        email: address,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'send-reset-link',
    description: 'mails an account a link to set a password',
    takes: { email: accountEmail },
    toMessages: toMissingAccount,
    async run(context, input) {
      const address = await runSupport(context, (support, unitOfWork) =>
        support.sendResetLink(unitOfWork, input.email, administratorName),
      );
      return {
        message: `${address} gets a link by mail to set a password, which is valid for at least an hour.`,
        email: address,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'block-address',
    description:
      'signs the account of the address out; no one can sign up or sign in with it, and it gets no mail',
    takes: {
      email: email.describe('the address'),
      reason: someText.describe('quote it; do not write the address'),
    },
    async run({ loadKeys, write }, block) {
      const { blockedAddresses } = await loadKeys();
      const dependencies = { blockedAddresses, staffName: administratorName };
      await write((unitOfWork) => blockAddress(unitOfWork, dependencies, block));
      return {
        message: `${block.email} is blocked: no one can sign up or sign in with it, and it gets no mail. The address is not stored.`,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'unblock-address',
    description: 'takes a block back',
    takes: { email: email.describe('the address') },
    toMessages: (input) => ({ NOT_FOUND: `${input.email} is not blocked.` }),
    async run({ loadKeys, write }, block) {
      const { blockedAddresses } = await loadKeys();
      await write(async (unitOfWork) => {
        await blockedAddresses.unblock(unitOfWork, block);
        const staffName = administratorName;
        await appendAudit(unitOfWork, { staffName, act: 'unblock-address', reason: '' });
      });
      return { message: `${block.email} is no longer blocked.` };
    },
  }),
  defineDatabaseCommand({
    name: 'list-blocked-addresses',
    description: 'lists the day and the reason of each block; the addresses are not stored',
    async run({ db, loadKeys }) {
      const { blockedAddresses } = await loadKeys();
      const blocks = await blockedAddresses.list(db);
      const lines = blocks.map(({ day, reason }) => `${day}\t${reason}`);
      return { message: lines.join('\n') || 'No address is blocked.', blocks };
    },
  }),
];

export async function findAccount(
  context: DatabaseContext,
  address: string,
): Promise<CommandReport> {
  const account = await runSupport(context, (support, unitOfWork) =>
    support.find(unitOfWork, address, administratorName),
  );
  // After the commit, so that the audit log has a search without a result, too.
  if (!account) throw new Error(toMissingAccount({ email: address }).NO_SUCH_ACCOUNT);
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

/** Acts in one commit. */
async function runSupport<Result>(
  { config, db, loadKeys, write }: DatabaseContext,
  change: (support: AccountSupport, unitOfWork: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const keys = await loadKeys();
  const epoch = (await findMetadata(db, 'epoch')) ?? '';
  const support = new AccountSupport(
    { ...keys, config },
    createResetLinks(keys.server.resetLinks, epoch),
    createSignUpLinks(keys.server),
  );
  return write((unitOfWork) => change(support, unitOfWork));
}
