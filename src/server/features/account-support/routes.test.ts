import { expect, test } from 'vitest';
import { registerAccountSupportRoutes } from './routes.ts';

test('A mail counts once against the limit of its address, also if its change runs twice [LIMIT-51]', async () => {
  const handlers = new Map<string, (call: unknown) => Promise<unknown>>();
  const countedAddresses: string[] = [];
  const accountCommits = {
    // As the queue does if another change of the batch is rejected.
    async write(change: (unitOfWork: object) => Promise<unknown>) {
      await change({});
      return change({});
    },
  };
  registerAccountSupportRoutes(
    ((name: string, handle: never) => {
      handlers.set(name, handle);
    }) as never,
    {
      roles: {
        listHeld: async () => [{ role: 'operator', classId: null, staffName: 'Kim' }],
      } as never,
      support: { sendResetLink: async () => 'ada@university.edu' } as never,
      deletion: {} as never,
      blockedAddresses: {} as never,
      removeAccount: async () => {},
      checkMail() {},
      countMail: (email) => countedAddresses.push(email),
    },
  );

  await handlers.get('sendResetLink')?.({
    accountCommits,
    account: { id: 'kim' },
    body: { email: 'ada' },
  });

  expect(countedAddresses).toEqual(['ada@university.edu']);
});
