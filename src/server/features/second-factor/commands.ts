// The command of `npm run admin` for an operator or a moderator who lost all passkeys and recovery codes.
import { AppError } from '#contract/errors.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import {
  accountEmail,
  defineDatabaseCommand,
  toMissingAccount,
} from '#server/commands/admin-command.ts';
import { sendFactorMail } from './factor-mail.ts';
import { deleteFactor } from './stored-factors.ts';

export const secondFactorCommands = [
  defineDatabaseCommand({
    name: 'remove-passkeys',
    description:
      'removes all passkeys and recovery codes of an account whose owner lost them, and mails its owner',
    takes: { email: accountEmail },
    toMessages: (input) => ({
      ...toMissingAccount(input),
      NOT_FOUND: `${input.email} has no passkey.`,
    }),
    async run({ config, loadKeys, write }, { email }) {
      const { accountRecords } = await loadKeys();
      await write(async (unitOfWork) => {
        const accountId = await accountRecords.findId(unitOfWork.db, email);
        if (accountId === null) throw new AppError('NO_SUCH_ACCOUNT');
        if (!(await deleteFactor(unitOfWork, accountId))) throw new AppError('NOT_FOUND');
        const staffName = administratorName;
        await appendAudit(unitOfWork, { staffName, act: 'remove-passkeys', reason: '' });
        await sendFactorMail(unitOfWork, accountId, 'reset', config);
      });
      return { message: `The passkeys and recovery codes of ${email} are removed.` };
    },
  }),
];
