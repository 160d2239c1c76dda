// The commands of `npm run admin` that change the addresses of accounts.
import { isUniversityEmail } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import { createNewAddressMail, createOldAddressMail } from '#server/accounts/account-mails.ts';
import { administratorName } from '#server/chat/staff/audit-log.ts';
import { checkNewAddress } from '#server/accounts/check-new-address.ts';
import { correctAddress, planDomainRename, renameDomain } from './change-address.ts';
import {
  createConfirmationOption,
  createEmailArgument,
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
  type Confirmation,
} from '#server/commands/admin-command.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { runOnDatabase, writeChange } from '#server/commands/write-change.ts';

const shownAddresses = 20;

export const addressCommands: readonly AdminCommand[] = [
  {
    name: 'correct-address',
    description:
      'gives the account with the address OLD the address NEW, signs its devices out, and tells both addresses',
    takes: [
      createEmailArgument('OLD', 'the address of an account'),
      createEmailArgument('NEW', 'its new address'),
    ],
    run: correctOne,
  },
  {
    name: 'rename-domain',
    description: 'moves all addresses of the domain OLD to the domain NEW',
    takes: [
      createRequiredArgument('OLD', 'such as old.university.edu'),
      createRequiredArgument('NEW', 'a domain of EMAIL_DOMAIN'),
    ],
    options: [createConfirmationOption('move them')],
    run: renameAll,
  },
];

/** Both addresses get a mail. */
async function correctOne(
  { config }: CommandContext,
  from: string,
  to: string,
): Promise<CommandReport> {
  const { appName, publicUrl, supportContact, operators } = config;
  checkNewAddress(to, config.emailDomains);
  const old = from.toLowerCase();
  const next = to.toLowerCase();
  if (old === next) throw new AppError('INVALID', 'the two addresses are equal.');
  const keys = loadCommandKeys(config);
  await writeChange(
    config.database,
    async (unitOfWork) => {
      await keys.check(unitOfWork.db);
      await keys.blockedAddresses.check(unitOfWork.db, next);
      await correctAddress(
        unitOfWork,
        keys,
        { from: old, to: next },
        [
          createOldAddressMail(old, appName, supportContact),
          createNewAddressMail(next, appName, publicUrl.origin),
        ],
        administratorName,
      );
    },
    {
      NO_SUCH_ACCOUNT: `There is no account with the address ${old}.`,
      ADDRESS_BLOCKED: `The address ${next} is blocked. The command unblock-address takes the block back.`,
      EMAIL_TAKEN: `Another account has the address ${next}, or one of the same mailbox. Its owner can delete it on the profile page.`,
    },
  );
  const named = [old, next].find((email) => operators.includes(email));
  const sentences = [
    `${old} is now ${next}. Its devices are signed out, its password stays, and both addresses get a mail.`,
    ...(named ? [`OPERATORS names ${named}: check whether that is still right.`] : []),
  ];
  return { message: sentences.join(' ') };
}

async function renameAll(
  { config, options }: CommandContext<Confirmation>,
  from: string,
  to: string,
): Promise<CommandReport> {
  const isConfirmed = options.yes === true;
  const rename = { from: parseDomain(from), to: parseDomain(to) };
  if (rename.from === rename.to) throw new AppError('INVALID', 'the two domains are equal.');
  if (!config.emailDomains.some((domain) => domain.toLowerCase() === rename.to)) {
    throw new AppError(
      'INVALID',
      `EMAIL_DOMAIN does not name ${rename.to}, so these accounts could not sign in. Add it, restart the server, and try again.`,
    );
  }
  const keys = loadCommandKeys(config);
  const { moves, taken } = isConfirmed
    ? await writeChange(config.database, async (unitOfWork) => {
        await keys.check(unitOfWork.db);
        return renameDomain(unitOfWork, keys, rename);
      })
    : await runOnDatabase(config.database, async ({ db }) => {
        await keys.check(db);
        return planDomainRename(db, keys, rename);
      });
  const count = `${moves.length} ${moves.length === 1 ? 'account' : 'accounts'}`;
  const sentences = isConfirmed
    ? [
        `${count} moved from @${rename.from} to @${rename.to}. No one is signed out or gets a mail. Blocks of addresses @${rename.from} do not move: block the new addresses.`,
      ]
    : [
        `${count} would move from @${rename.from} to @${rename.to}. Nothing has changed: add --yes to move them. Do so only if each name belongs to the same person in both domains.`,
      ];
  if (taken.length > 0) sentences.push(toTakenSentence(taken));
  const named = config.operators.filter((email) => email.endsWith(`@${rename.from}`));
  if (named.length > 0) {
    sentences.push(`Then change these addresses in OPERATORS: ${named.join(', ')}.`);
  }
  return { message: sentences.join('\n'), moved: isConfirmed ? moves.length : 0, taken };
}

function toTakenSentence(takenAddresses: readonly string[]): string {
  const addressList = takenAddresses.slice(0, shownAddresses).join(', ');
  const remainder =
    takenAddresses.length > shownAddresses
      ? ` and ${takenAddresses.length - shownAddresses} more`
      : '';
  return `These stay, because another account has the new address: ${addressList}${remainder}. Each of these people can delete one of the two accounts.`;
}

function parseDomain(input: string): string {
  const domain = input.toLowerCase().replace(/^@/, '');
  if (isUniversityEmail(`a@${domain}`, [domain])) return domain;
  throw new AppError('INVALID', `${input} is not a domain, such as university.edu.`);
}
