// Changes between a failed request to a push service and the next one.
import { beforeEach, expect, test, vi } from 'vitest';
import type * as PushQueues from '#server/features/notifications/push/push-queue.ts';
import { grantRole, report } from '#tests/support/moderation.ts';
import {
  chooseNotifications,
  turnOnNotifications,
  waitForServer,
} from '#tests/support/notifications.ts';
import type { PushBrowser } from '#tests/support/push-service.ts';
import { setUpPushApp } from '#tests/support/set-up-push-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { deleteStoredRoles } from '#tests/support/roles.ts';

/** The number of attempts that have ended, retries included. */
let attemptCount = 0;
/** Retries that wait until the test starts them. */
const waitingRetries: (() => void)[] = [];

// The tests choose when a retry starts, and see when it has ended.
vi.mock('#server/features/notifications/push/push-queue.ts', async (importOriginal) => {
  const original = await importOriginal<typeof PushQueues>();
  class PushQueue<Job extends object> extends original.PushQueue<Job> {
    constructor(dependencies: ConstructorParameters<typeof original.PushQueue<Job>>[0]) {
      super({
        ...dependencies,
        async run(job) {
          await dependencies.run(job);
          attemptCount += 1;
        },
      });
    }

    override add(...[job, delayMs, place]: Parameters<PushQueues.PushQueue<Job>['add']>): void {
      if (delayMs === 0) super.add(job, 0, place);
      else waitingRetries.push(() => super.add(job, 0, place));
    }
  }
  return { ...original, PushQueue };
});

const { app, service } = setUpPushApp();

let ada: TestClient;
let ben: TestClient;
let classId: string;
let benDevice: PushBrowser;
beforeEach(async () => {
  ({ ada, ben, classId } = await createClassWithTwoMembers(app));
  benDevice = await turnOnNotifications(ben, service);
  service.answer(benDevice, [{ status: 503 }]);
  attemptCount = 0;
  waitingRetries.length = 0;
});

async function waitForFailure(): Promise<void> {
  await expect.poll(() => waitingRetries.length).toBe(1);
  expect(service.countRequests(benDevice)).toBe(1);
}

async function retry(): Promise<void> {
  const countBefore = attemptCount;
  waitingRetries.pop()!();
  await expect.poll(() => attemptCount).toBe(countBefore + 1);
}

test('a message that was read before a device is reached does not notify it [PUSH-13]', async () => {
  await chooseNotifications(ben, classId, 'all');
  await ben.snapshot(classId);
  const otherSocket = await ben.connect();
  await ada.post(classId, 'Read on another device');
  await waitForFailure();

  const { seq } = await otherSocket.subscribe(classId);
  otherSocket.send({ type: 'read', classId, seq });
  await waitForServer(otherSocket);
  await retry();

  expect(service.countRequests(benDevice)).toBe(1);
});

test('a message that was deleted before a device is reached notifies no one [PUSH-23]', async () => {
  await chooseNotifications(ben, classId, 'all');
  const adaSocket = await ada.connectTo(classId);
  const { id: messageId } = await adaSocket.post(classId, 'Regrettable');
  await waitForFailure();

  await adaSocket.request({ type: 'delete', classId, messageId });
  await retry();

  expect(service.countRequests(benDevice)).toBe(1);

  await adaSocket.post(classId, 'Better');
  await benDevice.waitFor(classId);
});

test('an operator whose role ends before the device is reached gets no report of a threat [PUSH-23, PUSH-37]', async () => {
  await grantRole(app, ben, null, 'Kim');
  const { id: messageId } = await ada.post(classId, 'A bad word');
  const cem = await app.createStudent();
  await cem.join(classId);
  await report(cem, classId, { messageId, reason: 'threat', text: 'secret' });
  await waitForFailure();

  await deleteStoredRoles(app.database, ben);
  await retry();

  expect(service.countRequests(benDevice)).toBe(1);
});
