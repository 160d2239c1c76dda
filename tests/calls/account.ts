// The calls of accounts, sessions and devices.
import { randomUUID } from 'node:crypto';
import type { accountCalls as contract } from '#contract/account.ts';
import type { FactsOf } from './facts.ts';

export const accountCalls = {
  signUp: {
    body: ({ password }) => ({ email: `${randomUUID()}@university.edu`, password }),
    changedBy: 'newBrowser',
    largest: { by: 'visitor', values: ({ createAddress }) => ({ email: () => [createAddress()] }) },
    cost: { rowsRead: 45, rowsWritten: 80, kilobytesWritten: 100, cpuMs: 500 },
    inADay: { ofNetwork: true, rows: 900000, megabytes: 300 },
  },
  signIn: {
    but: {
      signedOut: 'WRONG_CREDENTIALS',
      presenter: 'WRONG_CREDENTIALS',
      unverified: 'EMAIL_NOT_VERIFIED',
    },
    body: ({ email, password }) => ({ email, password }),
    changedBy: 'newBrowser',
    largest: { by: 'leaving', values: ({ leaving }) => ({ email: [leaving.email] }) },
    countedRate: 'rightPasswords',
    cost: { statements: 16, rowsRead: 140, rowsWritten: 45, kilobytesWritten: 25, cpuMs: 500 },
  },
  signOut: {
    changedBy: 'adaElsewhere',
    order: 'last',
    largest: { by: 'leaving' },
    cost: { rowsRead: 12, rowsWritten: 7 },
  },
  requestPasswordReset: {
    body: ({ email }) => ({ email }),
    largest: { by: 'visitor' },
    cost: { rowsRead: 11, rowsWritten: 7, kilobytesWritten: 8, mails: 1 },
    inADay: { ofNetwork: true, rows: 145000, megabytes: 50, mails: 145000 },
  },
  saveLanguage: {
    body: () => ({ language: 'en' }),
    cost: { statements: 14, rowsRead: 10, kilobytesWritten: 8 },
  },
  // The link is invalid.
  resetPassword: {
    outcome: 'INVALID_LINK',
    body: ({ token }) => ({ token, newPassword: 'another good one' }),
    changedBy: 'newBrowser',
    largest: {
      by: 'visitor',
      async prepare({ visitor, createAccount, findMailedToken }) {
        const account = await createAccount();
        await visitor.call('requestPasswordReset', { body: { email: account.email } });
        return { token: await findMailedToken(account, /reset-password#token=(\S+)/) };
      },
    },
    async prepare({ app, ada }) {
      await ada.call('requestPasswordReset', { body: { email: ada.email } });
      const mail = await app.waitForNextMailTo(ada);
      return { token: /\/reset-password#token=(\S+)/.exec(mail)?.[1] ?? '' };
    },
    cost: { statements: 16, rowsRead: 70, rowsWritten: 70, kilobytesWritten: 8, cpuMs: 500 },
  },
  verifyEmail: {
    outcome: 'INVALID_LINK',
    body: ({ token, password }) => ({ token, password }),
    changesNothing: 'This server verifies no addresses.',
    largest: {
      by: 'visitor',
      prepare: async ({ createAccount, sealSignUpLink }) => ({
        token: await sealSignUpLink(await createAccount()),
      }),
    },
    cost: { statements: 20, rowsRead: 100, rowsWritten: 115, kilobytesWritten: 60, cpuMs: 500 },
  },
  me: { cost: { statements: 16, rowsRead: 14 } },
  listDevices: { cost: { statements: 14, rowsRead: 130, kilobytesSent: 9 } },
  signOutOtherDevices: {
    order: 'late',
    largest: { by: 'leaving' },
    cost: { statements: 16, rowsRead: 110, rowsWritten: 65 },
  },
  // A member can end only their own devices. To end an unknown device changes nothing.
  signOutDevice: {
    order: 'late',
    largest: { by: 'leaving' },
    async prepare({ caller }) {
      const { devices } = await caller.call('listDevices', {});
      return { deviceId: devices.find(({ current }) => !current)!.deviceId };
    },
    cost: { statements: 16, rowsRead: 11, rowsWritten: 4 },
  },
  changePassword: {
    outcome: 'WRONG_PASSWORD',
    body: ({ password }) => ({
      currentPassword: password,
      newPassword: 'another good one',
    }),
    order: 'late',
    largest: { by: 'leaving' },
    countedRate: 'rightPasswords',
    cost: { statements: 16, rowsRead: 10, kilobytesWritten: 8, cpuMs: 500 },
  },
  exportAccount: {
    sizeVaries: 'It is a file of everything that the account has.',
    cost: {
      statements: 1900,
      rowsRead: 3600,
      rowsWritten: 6,
      kilobytesWritten: 3,
      kilobytesSent: 10800,
      cpuMs: 1000,
    },
  },
  // The link is invalid.
  takeDataCopy: {
    outcome: 'INVALID_LINK',
    body: ({ token }) => ({ token }),
    changesNothing: 'Its link works a day after an operator mailed it.',
    order: 'late',
    largest: {
      by: 'visitor',
      prepare: async ({ student, sealDataCopyLink }) => ({
        token: await sealDataCopyLink(student),
      }),
    },
    inADay: { ofNetwork: true, rows: 1500000, megabytes: 170 },
    cost: {
      statements: 1900,
      rowsRead: 3600,
      rowsWritten: 10,
      kilobytesWritten: 10,
      kilobytesSent: 10800,
      cpuMs: 1000,
    },
  },
  deleteAccount: {
    outcome: 'WRONG_PASSWORD',
    body: ({ password }) => ({ password, messages: 'delete' }),
    order: 'last',
    countedRate: 'rightPasswords',
    cost: {
      statements: 2000,
      rowsRead: 1300,
      rowsWritten: 520,
      kilobytesWritten: 11000,
      frames: 6,
      cpuMs: 500,
    },
  },
} satisfies FactsOf<typeof contract>;
