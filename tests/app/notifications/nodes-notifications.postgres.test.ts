// Notifications and digests with several nodes, which a student or a device can use alike.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { redisCommand, setUpNodes } from '#tests/support/nodes.ts';
import { chooseNotifications, turnOnNotifications } from '#tests/support/notifications.ts';
import {
  startPushService,
  type PushBrowser,
  type PushService,
} from '#tests/support/push-service.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

describe.skipIf(!redisCommand)('notifications of two nodes', () => {
  let service: PushService;
  beforeAll(async () => {
    service = await startPushService();
  });
  afterAll(() => service.close());
  const nodes = setUpNodes(2, () => ({ PUSH_HOSTS: service.host, PUSH_DELAY: '0' }));

  let ada: TestClient;
  let ben: TestClient;
  let classId: string;
  let benDevice: PushBrowser;
  beforeEach(async () => {
    ({ ada, ben, classId } = await createClassWithTwoMembers(nodes.apps[0]!));
  });

  /** Ben subscribes at this node, and chooses all messages. */
  async function notifyBenFrom(node: number) {
    const client = nodes.at(node, ben);
    benDevice = await turnOnNotifications(client, service);
    await chooseNotifications(client, classId, 'all');
    await nodes.settle(node);
  }

  /** Posts, waits until a new member is notified, and counts the notifications of Ben. */
  async function postAndCount(from: number, text: string): Promise<number> {
    const cem = await nodes.apps[0]!.createStudent();
    await cem.join(classId);
    const device = await turnOnNotifications(nodes.at(from, cem), service);
    await chooseNotifications(nodes.at(from, cem), classId, 'all');
    await nodes.settle(from);
    await nodes.at(from, ada).post(classId, text);
    await device.waitFor(classId);
    return benDevice.listPushes(classId).length;
  }

  /** Shows the class on a screen of Ben. @returns a function that hides it */
  async function showClass(node: number): Promise<() => Promise<void>> {
    const socket = await nodes.at(node, ben).connectTo(classId);
    socket.send({ type: 'viewing', classId, inView: true });
    await socket.request({});
    await nodes.settle(node);
    return async () => {
      socket.send({ type: 'viewing', classId, inView: false });
      await socket.request({});
      socket.close();
      await nodes.settle(node);
    };
  }

  test.each([0, 1])(
    'a device that subscribed at node %i gets one notification of the messages at both [NODE-12]',
    async (node) => {
      await notifyBenFrom(node);
      await nodes.at(0, ada).post(classId, 'one');
      await benDevice.waitFor(classId);

      expect(await postAndCount(1, 'two')).toBe(1);
      expect(await postAndCount(0, 'three')).toBe(1);

      await (
        await showClass(1 - node)
      )();
      await nodes.at(1, ada).post(classId, 'four');
      await benDevice.waitFor(classId, 2);
      await (
        await showClass(node)
      )();
      await nodes.at(0, ada).post(classId, 'five');
      await benDevice.waitFor(classId, 3);
    },
  );

  test.each([0, 1])(
    'a class that is in view at node %i does not notify [NODE-12]',
    async (node) => {
      await notifyBenFrom(1 - node);
      const close = await showClass(node);

      expect(await postAndCount(0, 'seen')).toBe(0);
      expect(await postAndCount(1, 'seen, too')).toBe(0);

      await close();
    },
  );

  test('each node knows immediately whether a device gets notifications, with or without Redis [NODE-12]', async () => {
    await nodes.redis.kill();
    const clients = [0, 1].map((node) => nodes.at(node, ben));
    const listSettings = () =>
      Promise.all(
        clients.map(async (client) => {
          const { devices } = await client.call('listDevices', {});
          const { subscribed } = await client.call('readNotifications', {});
          return [devices.map(({ notified }) => notified), subscribed];
        }),
      );
    await turnOnNotifications(clients[0]!, service);

    expect(await listSettings()).toEqual([
      [[true], true],
      [[true], true],
    ]);

    await clients[1]!.call('unsubscribePush', {});
    expect(await listSettings()).toEqual([
      [[false], false],
      [[false], false],
    ]);

    await nodes.redis.start();
  });

  test('a subscription that the push service has lost ends at every node [NODE-12, PUSH-25]', async () => {
    const listNotified = () =>
      Promise.all(
        [0, 1].map(async (node) => {
          const { devices } = await nodes.at(node, ben).call('listDevices', {});
          return devices.map((device) => device.notified).join();
        }),
      );
    await notifyBenFrom(1);
    service.answer(benDevice, [{ status: 410 }]);

    await nodes.at(1, ada).post(classId, 'lost');

    await expect.poll(listNotified).toEqual(['false', 'false']);

    // The device may get the same notification again.
    await nodes.at(0, ben).call('subscribePush', { body: benDevice.subscription });
    await nodes.settle(0);
    expect(await listNotified()).toEqual(['true', 'true']);

    await nodes.at(1, ada).post(classId, 'found');
    await benDevice.waitFor(classId);
  });

  test('without Redis, each of two nodes notifies of its own messages [NODE-12]', async () => {
    await notifyBenFrom(0);

    await nodes.redis.kill();

    await expect.poll(async () => (await nodes.readiness()).join()).toMatch(/gone.*gone/);

    await nodes.at(1, ada).post(classId, 'without Redis');
    await benDevice.waitFor(classId);
    await nodes.redis.start();
  });
});
