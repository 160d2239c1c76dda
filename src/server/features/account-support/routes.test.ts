import { expect, test } from 'vitest';
import { registerAccountSupportRoutes } from './routes.ts';

test('A mail counts once against the limit of its address, also if its change runs twice [LIMIT-51]', async () => {
  const handlers = new Map<string, (call: unknown) => Promise<unknown>>();
  const countedKeys: string[] = [];
  const accountCommits = {
    // As the queue does if another change of the batch is rejected.
    async write(change: (unitOfWork: object) => Promise<unknown>) {
      await change({});
      return change({});
    },
  };
  registerAccountSupportRoutes(
    ((name: string, handle: never) => void handlers.set(name, handle)) as never,
    {
      config: {},
      addresses: { hashEmail: (email: string) => email },
      mailboxes: { toMailbox: (email: string) => email },
      limiter: {
        take() {},
        refund() {},
        countUnchecked: (_: string, key: string) => countedKeys.push(key),
      },
    } as never,
    { sendResetLink: async () => 'ada@university.edu' } as never,
  );

  await handlers.get('sendResetLink')?.({
    accountCommits,
    account: { id: 'kim' },
    body: { email: 'ada' },
  });

  expect(countedKeys).toEqual(['support ada@university.edu']);
});
