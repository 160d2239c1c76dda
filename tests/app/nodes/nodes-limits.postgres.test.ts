// Nodes count actions, wrong passwords and sockets together.
import { describe, expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const getErrorCode = (call: Promise<unknown>) =>
  call.then(
    () => 'allowed',
    ({ code }: AppError) => code,
  );
const create = (client: TestClient) => getErrorCode(client.createClass());

describe.skipIf(!redisCommand)('three nodes count together', () => {
  const nodes = setUpNodes(3, () => ({
    LIMITS: 'newClasses=4/1d, failedSignIns=3/1h, sockets=1000/1h',
  }));

  const signIn = (email: string, node: number, password: string) => {
    const stranger = nodes.apps[node]!.visitor(email.split('@')[0]);
    return getErrorCode(stranger.signIn(password));
  };

  test('an action at one node counts at the others [NODE-11]', async () => {
    const ada = await nodes.apps[0]!.createStudent();
    for (const node of [0, 1, 2, 1]) expect(await create(nodes.at(node, ada))).toBe('allowed');

    await nodes.settle(0);
    await nodes.settle(1);
    await nodes.settle(2);
    for (const node of [0, 1, 2]) expect(await create(nodes.at(node, ada))).toBe('TOO_MANY');

    const ben = await nodes.apps[0]!.createStudent();
    expect(await create(nodes.at(1, ben))).toBe('allowed');
  });

  test('wrong passwords at one node make a guesser wait at the others [NODE-11]', async () => {
    const { email } = await nodes.apps[0]!.createStudent();
    for (let n = 0; n < 2; n++) await signIn(email, 0, `guess number ${n}`);
    await nodes.settle(0);
    const guesses = await Promise.all(Array.from({ length: 5 }, () => signIn(email, 1, 'a guess')));

    expect(guesses.filter((code) => code === 'WRONG_CREDENTIALS')).toHaveLength(1);
    expect(guesses.filter((code) => code === 'TOO_MANY')).toHaveLength(4);
  });

  test('the right password at one node ends the wait at the others [NODE-11]', async () => {
    const { email, password } = await nodes.apps[0]!.createStudent();
    for (let n = 0; n < 2; n++) await signIn(email, 0, `guess number ${n}`);
    await nodes.settle(0);

    expect(await signIn(email, 1, password)).toBe('allowed');

    await nodes.settle(1);
    const guesses = await Promise.all(Array.from({ length: 5 }, () => signIn(email, 2, 'a guess')));
    expect(guesses.filter((code) => code === 'WRONG_CREDENTIALS')).toHaveLength(3);
  });

  test('an account has at most 100 sockets at all nodes [LIMIT-27, NODE-11]', async () => {
    const ada = await nodes.apps[0]!.createStudent();

    const sockets = await Promise.all(Array.from({ length: 100 }, () => ada.connect()));

    const openSocket = async () => {
      const socket = await nodes.at(1, ada).connect();
      socket.close();
      return 'opened';
    };
    const tryToOpen = () => openSocket().catch(({ message }: Error) => message);
    await expect.poll(tryToOpen, { timeout: 10_000 }).toContain('429');
    for (const socket of sockets) socket.close();
    await expect.poll(tryToOpen, { timeout: 10_000 }).toBe('opened');
  });
});

describe.skipIf(!redisCommand)('without Redis', () => {
  const nodes = setUpNodes(2, () => ({ LIMITS: 'newClasses=2/1d' }));

  test('without Redis, each node counts separately [NODE-11]', async () => {
    const ada = await nodes.apps[0]!.createStudent();
    await nodes.redis.kill();

    for (const node of [0, 1]) {
      const client = nodes.at(node, ada);
      expect([await create(client), await create(client)]).toEqual(['allowed', 'allowed']);
      expect(await create(client)).toBe('TOO_MANY');
    }
  });
});
