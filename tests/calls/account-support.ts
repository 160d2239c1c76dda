// The calls by which operators help an account.
import type { LargestData } from '#tests/worst-cases/largest-data.ts';
import type { accountSupportCalls as contract } from '#contract/account-support.ts';
import type { FactsOf } from './facts.ts';

/** An account with as many sessions as there can be. */
const ofSupported = {
  values: ({ supported: { email } }: LargestData) => ({ email: [email], repeatedEmail: [email] }),
};

export const accountSupportCalls = {
  // The body names an account that does not exist.
  findAccount: {
    body: ({ supportedEmail }) => ({ email: supportedEmail }),
    largest: ofSupported,
    cost: { statements: 20, rowsRead: 70 },
  },
  resendVerification: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({ email: supportedEmail }),
    largest: ofSupported,
    cost: { statements: 18, rowsRead: 12, rowsWritten: 7, kilobytesWritten: 8, mails: 1 },
  },
  sendResetLink: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({ email: supportedEmail }),
    largest: ofSupported,
    cost: { statements: 19, rowsRead: 12, rowsWritten: 8, kilobytesWritten: 8, mails: 1 },
  },
  correctAddress: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({
      email: supportedEmail,
      newEmail: `new.${supportedEmail}`,
    }),
    order: 'late',
    largest: ofSupported,
    cost: { statements: 19, rowsRead: 12, rowsWritten: 7, kilobytesWritten: 8, mails: 1 },
  },
  endAccountSessions: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({ email: supportedEmail }),
    order: 'late',
    largest: ofSupported,
    cost: { statements: 40, rowsRead: 100, rowsWritten: 70, kilobytesWritten: 8, mails: 1 },
  },
  exportFoundAccount: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({ email: supportedEmail }),
    largest: ofSupported,
    cost: { statements: 20, rowsRead: 70 },
  },
  deleteFoundAccount: {
    outcome: 'NO_SUCH_ACCOUNT',
    body: ({ supportedEmail }) => ({
      email: supportedEmail,
      repeatedEmail: supportedEmail,
      blockReason: 'Left the university',
    }),
    order: 'last',
    largest: ofSupported,
    cost: { statements: 1000, rowsRead: 1300, rowsWritten: 11, kilobytesWritten: 130, mails: 1 },
  },
  listBlockedAddresses: { cost: { rowsRead: 20, kilobytesSent: 20 } },
  blockAddress: {
    body: ({ supportedEmail }) => ({ email: supportedEmail, blockReason: 'Left the university' }),
    largest: { prepare: async ({ createAccount }) => ({ email: (await createAccount()).email }) },
    cost: { statements: 40, rowsRead: 1300, rowsWritten: 70, kilobytesWritten: 20 },
  },
  // There is no such block, and no such announcement.
  unblockAddress: {
    outcome: 'NOT_FOUND',
    largest: {
      async prepare({ operator, reason }) {
        const body = { email: 'blocked@university.edu', blockReason: reason };
        await operator.call('blockAddress', { body });
        const { blocks } = await operator.call('listBlockedAddresses', {});
        return { blockId: blocks[0]!.blockId };
      },
    },
    async prepare({ otto, ada }) {
      const body = { email: `blocked.${ada.email}`, blockReason: 'Left' };
      await otto.call('blockAddress', { body });
      const { blocks } = await otto.call('listBlockedAddresses', {});
      return { blockId: blocks[0]!.blockId };
    },
    cost: { statements: 20, rowsRead: 20, rowsWritten: 10, kilobytesWritten: 10 },
  },
} satisfies FactsOf<typeof contract>;
