import * as argon2 from '@node-rs/argon2';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { password } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

vi.mock('@node-rs/argon2', async (importOriginal) => {
  const original = await importOriginal<typeof argon2>();
  return {
    ...original,
    hash: vi.fn<typeof original.hash>(original.hash),
    verify: vi.fn<typeof original.verify>(original.verify),
  };
});

const app = setUpApp({ EMAIL_VERIFICATION: 'required' });
let knownEmail: string;
beforeAll(async () => {
  const ada = app.visitor();
  await ada.signUp();
  const token = /token=(\S+)/.exec(await app.waitForNextMailTo(ada))?.[1] ?? '';
  await ada.call('verifyEmail', { body: { token, password } });
  knownEmail = ada.email;
});
beforeEach(() => vi.clearAllMocks());

let unknowns = 0;
const createUnknownEmail = () => `nobody${++unknowns}@university.edu`;

async function countRows(): Promise<number> {
  const tables = await app.database.tables();
  const countIn = (name: string) => tables[name]!.length;
  return countIn('accounts') + countIn('sessions');
}

/** The number of password hashes and of new rows. */
async function measureWork(call: () => Promise<unknown>) {
  vi.clearAllMocks();
  const rowsBefore = await countRows();
  const answer = await call().catch((error: unknown) => error);
  const hashes =
    vi.mocked(argon2.hash).mock.calls.length + vi.mocked(argon2.verify).mock.calls.length;
  const newRows = (await countRows()) - rowsBefore;
  return { answer: JSON.stringify(answer), hashes, newRows };
}

test.each([
  { wrongPassword: 'not the right one', hashes: 1 },
  // Tried in its normal form and as it was typed.
  { wrongPassword: 'not the ｒｉｇｈｔ one', hashes: 2 },
])(
  'sign-in with $wrongPassword does the same work for a known and an unknown address [AUTH-11]',
  async ({ wrongPassword, hashes }) => {
    const signIn = (email: string) =>
      measureWork(() => app.visitor().call('signIn', { body: { email, password: wrongPassword } }));
    const knownWork = await signIn(knownEmail);
    const [storedHash] = vi.mocked(argon2.verify).mock.calls[0]!;

    const unknownWork = await signIn(createUnknownEmail());
    expect(knownWork).toMatchObject({ hashes, newRows: 0 });
    expect(unknownWork).toEqual(knownWork);

    // The hash parameters must be the same too, because a cheaper hash answers sooner.
    const [, cost] = vi.mocked(argon2.hash).mock.calls[0]!;
    const { memoryCost, timeCost, parallelism } = cost!;
    expect(storedHash).toContain(`m=${memoryCost},t=${timeCost},p=${parallelism}$`);
  },
);

test('a reset does the same work for a known and an unknown address [AUTH-11, AUTH-42]', async () => {
  const reset = (email: string) =>
    measureWork(() => app.visitor().call('requestPasswordReset', { body: { email } }));
  const mailsBefore = app.mails().length;
  await reset(createUnknownEmail());
  const knownWork = await reset(knownEmail);

  const unknownWork = await reset(createUnknownEmail());

  expect(knownWork).toEqual({ answer: '{}', hashes: 0, newRows: 0 });
  expect(unknownWork).toEqual(knownWork);
  await expect.poll(() => app.mails().length).toBe(mailsBefore + 3);
});

test('sign-up does the same work for a taken and a new address [AUTH-11, AUTH-42]', async () => {
  const signUp = (email: string) =>
    measureWork(() =>
      app.visitor().call('signUp', { body: { email, password: 'chosen well enough' } }),
    );
  const mailsBefore = app.mails().length;
  const freshEmail = createUnknownEmail();
  const allWork = [await signUp(knownEmail), await signUp(freshEmail), await signUp(freshEmail)];

  expect(allWork[0]).toEqual({ answer: '{"verify":true}', hashes: 1, newRows: 0 });
  expect(allWork[1]).toEqual(allWork[0]);
  expect(allWork[2]).toEqual(allWork[0]);
  await expect.poll(() => app.mails().length).toBe(mailsBefore + 3);
});
