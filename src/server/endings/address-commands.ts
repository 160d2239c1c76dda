// The commands of `npm run admin` that change the addresses of accounts.
import { z } from 'zod';
import { isUniversityEmail } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import { createNewAddressMail, createOldAddressMail } from '#server/accounts/account-mails.ts';
import { checkNewAddress } from '#server/accounts/check-new-address.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import {
  createConfirmation,
  defineDatabaseCommand,
  email,
} from '#server/commands/admin-command.ts';
import { correctAddress, planDomainRename, renameDomain } from './change-address.ts';
import { toRecipient } from '#server/mail/recipient.ts';

const shownAddresses = 20;

const lowerCaseEmail = email.overwrite((address) => address.toLowerCase());

const domain = z
  .string()
  .overwrite((text) => text.toLowerCase().replace(/^@/, ''))
  .refine((text) => isUniversityEmail(`a@${text}`, [text]), {
    error: ({ input }) => `${String(input)} is not a domain, such as university.edu.`,
  });

export const addressCommands = [
  defineDatabaseCommand({
    name: 'correct-address',
    description:
      'gives the account with the address OLD the address NEW, signs its devices out, and tells both addresses',
    takes: {
      old: lowerCaseEmail.describe('the address of an account'),
      new: lowerCaseEmail.describe('its new address'),
    },
    toMessages: ({ old, new: next }) => ({
      NO_SUCH_ACCOUNT: `There is no account with the address ${old}.`,
      ADDRESS_BLOCKED: `The address ${next} is blocked. The command unblock-address takes the block back.`,
      EMAIL_TAKEN: `Another account has the address ${next}, or one of the same mailbox. Its owner can delete it on the profile page.`,
    }),
    async run({ config, loadKeys, write }, { old, new: next }) {
      const { appName, publicUrl, supportContact, operators } = config;
      checkNewAddress(next, config.emailDomains);
      if (old === next) throw new AppError('INVALID', 'the two addresses are equal.');
      const keys = await loadKeys();
      await write(async (unitOfWork) => {
        await keys.blockedAddresses.check(unitOfWork.db, next);
        const account = await keys.accountRecords.find(unitOfWork.db, old);
        const mails = [
          createOldAddressMail(toRecipient(old, account, config), appName, supportContact),
          createNewAddressMail(toRecipient(next, account, config), appName, publicUrl.origin),
        ];
        await correctAddress(unitOfWork, keys, { from: old, to: next }, mails, administratorName);
      });
      const named = [old, next].find((address) => operators.includes(address));
      const operatorText = named
        ? ` OPERATORS names ${named}: check whether that is still right.`
        : '';
      return {
        message: `${old} is now ${next}. Its devices are signed out, its password stays, and both addresses get a mail.${operatorText}`,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'rename-domain',
    description: 'moves all addresses of the domain OLD to the domain NEW',
    takes: {
      old: domain.describe('such as old.university.edu'),
      new: domain.describe('a domain of EMAIL_DOMAIN'),
    },
    options: { yes: createConfirmation('move them') },
    async run({ config, db, loadKeys, write }, { old: from, new: to, yes }) {
      if (from === to) throw new AppError('INVALID', 'the two domains are equal.');
      if (!config.emailDomains.some((allowedDomain) => allowedDomain.toLowerCase() === to)) {
        throw new AppError(
          'INVALID',
          `EMAIL_DOMAIN does not name ${to}, so these accounts could not sign in. Add it, restart the server, and try again.`,
        );
      }
      const keys = await loadKeys();
      const { moves, taken } = yes
        ? await write((unitOfWork) => renameDomain(unitOfWork, keys, { from, to }))
        : await planDomainRename(db, keys, { from, to });
      const count = `${moves.length} ${moves.length === 1 ? 'account' : 'accounts'}`;
      const sentences = [
        yes
          ? `${count} moved from @${from} to @${to}. No one is signed out or gets a mail. Blocks of addresses @${from} do not move: block the new addresses.`
          : `${count} would move from @${from} to @${to}. Nothing has changed: add --yes to move them. Do so only if each name belongs to the same person in both domains.`,
      ];
      if (taken.length > 0) sentences.push(toTakenSentence(taken));
      const named = config.operators.filter((address) => address.endsWith(`@${from}`));
      if (named.length > 0) {
        sentences.push(`Then change these addresses in OPERATORS: ${named.join(', ')}.`);
      }
      return { message: sentences.join('\n'), moved: yes ? moves.length : 0, taken };
    },
  }),
];

function toTakenSentence(takenAddresses: readonly string[]): string {
  const addressList = takenAddresses.slice(0, shownAddresses).join(', ');
  const remainder =
    takenAddresses.length > shownAddresses
      ? ` and ${takenAddresses.length - shownAddresses} more`
      : '';
  return `These stay, because another account has the new address: ${addressList}${remainder}. Each of these people can delete one of the two accounts.`;
}
