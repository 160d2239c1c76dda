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
let known: string;
beforeAll(async () => {
  const ada = app.visitor();
  await ada.signUp();
  const token = /token=(\S+)/.exec(await app.waitForNextMailTo(ada))?.[1] ?? '';
  await ada.call('verifyEmail', { body: { token, password } });
  known = ada.email;
});
beforeEach(() => vi.clearAllMocks());

let unknowns = 0;
const unknown = () => `nobody${++unknowns}@university.edu`;

async function rows(): Promise<number> {
  const tables = await app.database.tables();
  const of = (name: string) => tables[name]!.length;
  return of('accounts') + of('credentials') + of('verifications') + of('sessions');
}

/** The number of password hashes and of new rows. */
async function measureWork(call: () => Promise<unknown>) {
  vi.clearAllMocks();
  const before = await rows();
  const answer = await call().catch((error: unknown) => error);
  const hashes =
    vi.mocked(argon2.hash).mock.calls.length + vi.mocked(argon2.verify).mock.calls.length;
  const written = (await rows()) - before;
  return { answer: JSON.stringify(answer), hashes, written };
}

test('sign-in does the same work for a known and an unknown address [AUTH-43, AUTH-11]', async () => {
  const signIn = (email: string) =>
    measureWork(() =>
      app.visitor().call('signIn', { body: { email, password: 'not the right one' } }),
    );
  const one = await signIn(known);
  const [stored] = vi.mocked(argon2.verify).mock.calls[0]!;
  const other = await signIn(unknown());
  expect(one).toMatchObject({ hashes: 1, written: 0 });
  expect(other).toEqual(one);
  // The hash parameters must be the same too, because a cheaper hash answers sooner.
  const [, cost] = vi.mocked(argon2.hash).mock.calls[0]!;
  const { memoryCost, timeCost, parallelism } = cost!;
  expect(stored).toContain(`m=${memoryCost},t=${timeCost},p=${parallelism}$`);
});

test('a reset does the same work for a known and an unknown address [AUTH-43, AUTH-14, AUTH-61]', async () => {
  const reset = (email: string) =>
    measureWork(() => app.visitor().call('requestPasswordReset', { body: { email } }));
  const mailsBefore = app.mails().length;
  await reset(unknown());
  const one = await reset(known);
  const other = await reset(unknown());
  expect(one).toEqual({ answer: '{}', hashes: 0, written: 1 });
  expect(other).toEqual(one);
  await expect.poll(() => app.mails().length).toBe(mailsBefore + 3);
});

test('sign-up does the same work for a taken and a new address [AUTH-43, AUTH-42]', async () => {
  const signUp = (email: string) =>
    measureWork(() =>
      app.visitor().call('signUp', { body: { email, password: 'chosen well enough' } }),
    );
  const mailsBefore = app.mails().length;
  const fresh = unknown();
  const works = [await signUp(known), await signUp(fresh), await signUp(fresh)];
  expect(works[0]).toEqual({ answer: '{"verify":true}', hashes: 1, written: 0 });
  expect(works[1]).toEqual(works[0]);
  expect(works[2]).toEqual(works[0]);
  await expect.poll(() => app.mails().length).toBe(mailsBefore + 3);
});
