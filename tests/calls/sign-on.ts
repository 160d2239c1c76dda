// The calls of the sign-in at the university. The servers of the tests have no provider, except that of the largest data.
import type { signOnCalls as contract } from '#contract/sign-on.ts';
import type { FactsOf } from './facts.ts';

export const signOnCalls = {
  // This server has no provider.
  startSignOn: {
    outcome: 'NOT_FOUND',
    body: () => ({ again: false }),
    changesNothing: 'It stores nothing.',
    cost: { statements: 12, rowsRead: 8 },
  },
  finishSignOn: {
    outcome: 'NOT_FOUND',
    body: () => ({ response: '?code=none' }),
    changesNothing: 'This server has no provider.',
    oncePerPerson: true,
    largest: { prepare: ({ signOn, createAddress }) => signOn(createAddress()) },
    cost: { statements: 20, rowsRead: 45, rowsWritten: 80, kilobytesWritten: 100 },
  },
  // The mails go to the mailbox of the account that the person joins.
  mailSignOnLink: {
    outcome: 'NOT_FOUND',
    changesNothing: 'This server has no provider.',
    largest: { prepare: async ({ signOnToJoin }) => ({ client: (await signOnToJoin()).client }) },
    countedRate: 'mails',
    cost: { statements: 8, rowsRead: 8, rowsWritten: 4, kilobytesWritten: 8, mails: 1 },
    inADay: { rows: 800, megabytes: 5, mails: 800 },
  },
  joinSignOn: {
    outcome: 'NOT_FOUND',
    body: ({ password }) => ({ password }),
    changesNothing: 'This server has no provider.',
    largest: {
      async prepare({ signOnToJoin, findMailedToken }, body) {
        const { account, client } = await signOnToJoin();
        if (!Object.hasOwn(body as object, 'token')) return { client, password: account.password };
        await client.call('mailSignOnLink', {});
        return { client, token: await findMailedToken(account, /sign-on#link=(\S+)/) };
      },
    },
    countedRate: 'rightPasswords',
    cost: { rowsRead: 140, rowsWritten: 150, kilobytesWritten: 120 },
    inADay: { megabytes: 2 },
  },
} satisfies FactsOf<typeof contract>;
