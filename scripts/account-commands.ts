// The commands of `npm run admin` that help the owner of one account.
import { endAllSessions, findForSupport } from '#server/accounts/account-support.ts';
import { readConfig } from '#server/config.ts';
import { keysOf } from './address-commands.ts';
import { administrator, type CommandReport } from './command-report.ts';
import { writeChange } from './write-change.ts';

export async function findOne(email: string): Promise<CommandReport> {
  const keys = keysOf(readConfig());
  const account = await writeChange(async (unitOfWork) => {
    await keys.check(unitOfWork.db);
    return findForSupport(unitOfWork, keys.addressOf(email), administrator);
  });
  // After the commit, so that the audit log has a search without a result, too.
  if (!account) throw new Error(noSuchAccount(email));
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

export async function endSessionsOf(email: string): Promise<CommandReport> {
  const keys = keysOf(readConfig());
  const ended = await writeChange(
    async (unitOfWork) => {
      await keys.check(unitOfWork.db);
      return endAllSessions(unitOfWork, keys.addressOf(email), administrator);
    },
    { NO_SUCH_ACCOUNT: noSuchAccount(email) },
  );
  return {
    message: `All devices of ${ended} are signed out. Its password stays: if a stranger knows it, ask the owner to reset it.`,
    email: ended,
  };
}

const noSuchAccount = (email: string) => `There is no account with the address ${email}.`;
