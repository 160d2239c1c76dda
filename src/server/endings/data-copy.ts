// Gives people who lost both mailbox and password a copy of their data. An operator who has checked who asks mails a link to another
// mailbox of theirs: the operator sees neither the link nor the data, and the link opens nothing else. Only a command can do it,
// because it must not help operators without the server key to learn whose a persona is.
import type { KeyObject } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { AccountRecord } from '#server/accounts/account-records.ts';
import { createDataCopyMail, createDataCopyNotice } from '#server/accounts/account-mails.ts';
import { toAccountState } from '#server/accounts/reset-links.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';
import {
  accountEmail,
  defineDatabaseCommand,
  email,
  toMissingAccount,
} from '#server/commands/admin-command.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import { toRecipient } from '#server/mail/recipient.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import { spendToken } from '#server/store/used-tokens-queries.ts';
import { createExportReply } from './account-export-route.ts';

interface DataCopyLink {
  accountId: string;
  /** A new password or address ends the link. */
  state: string;
  validFrom: number;
}

/** A day in which the owner of the account, who gets a mail, can stop a stranger. */
const waitMs = 86_400_000;
const validMs = 7 * waitMs;

/** @param epoch a link that was used after a backup does not work a second time after its restore */
export function createDataCopyLinks(key: KeyObject, epoch: string) {
  const context = `data copy ${epoch}`;
  return {
    create(
      account: AccountRecord,
      validFrom = Date.now() + waitMs,
    ): { token: string; expiresAt: number } {
      const content: DataCopyLink = {
        accountId: account.id,
        state: toAccountState(account),
        validFrom,
      };
      return {
        token: seal(key, JSON.stringify(content), { context }),
        expiresAt: validFrom + validMs,
      };
    },
    /** @throws {AppError} INVALID_LINK */
    open(token: string): DataCopyLink {
      let content: DataCopyLink;
      try {
        content = JSON.parse(unseal(key, token, context)) as DataCopyLink;
      } catch {
        throw new AppError('INVALID_LINK');
      }
      const now = Date.now();
      if (now < content.validFrom) throw new AppError('LINK_TOO_EARLY');
      if (now > content.validFrom + validMs) throw new AppError('INVALID_LINK');
      return content;
    },
  };
}

export const dataCopyCommand = defineDatabaseCommand({
  name: 'mail-data-copy',
  description:
    'mails a person who lost mailbox and password a link to a copy of their data, which works once, after a day; the account gets a mail, too',
  takes: { email: accountEmail, to: email.describe('another mailbox of this person') },
  toMessages: toMissingAccount,
  async run({ config, loadKeys, write }, { email: address, to }) {
    const { accountRecords, mailKey, server } = await loadKeys();
    await write(async (unitOfWork) => {
      const account = await accountRecords.find(unitOfWork.db, address);
      if (!account) throw new AppError('NO_SUCH_ACCOUNT');
      const epoch = (await findMetadata(unitOfWork.db, 'epoch')) ?? '';
      const links = createDataCopyLinks(server.resetLinks, epoch);
      const { token, expiresAt } = links.create(account);
      const link = createDataCopyMail(toRecipient(to, account, config), config, token);
      const notice = createDataCopyNotice(toRecipient(account.email, account, config), config);
      await insertMail(unitOfWork.db, mailKey, link, expiresAt);
      await insertMail(unitOfWork.db, mailKey, notice);
      const staffName = administratorName;
      await appendAudit(unitOfWork, { staffName, act: 'mail-data-copy', reason: '' });
    });
    return {
      message: `${to} gets a link to a copy of the data of ${address}. It works once, from tomorrow on for a week. ${address} gets a mail, too: a new password ends the link.`,
    };
  },
});

export function registerDataCopyRoute(route: Route, server: Server): void {
  const { commits, accountRecords, keys, epoch } = server;
  const links = createDataCopyLinks(keys.resetLinks, epoch);
  route('takeDataCopy', async ({ body: { token } }) => {
    const { accountId, state } = links.open(token);
    const account = await commits.write(
      async (unitOfWork) => {
        const found = await accountRecords.findById(unitOfWork.db, accountId);
        if (!found || toAccountState(found) !== state) throw new AppError('INVALID_LINK');
        if (!(await spendToken(unitOfWork.db, token, validMs))) throw new AppError('INVALID_LINK');
        const staffName = administratorName;
        await appendAudit(unitOfWork, { staffName, act: 'take-data-copy', reason: '' });
        return found;
      },
      { accountId },
    );
    return createExportReply(server, { ...account, sessionId: '' });
  });
}
