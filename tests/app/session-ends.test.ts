import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type * as Sessions from '#server/storage/queries/sessions.ts';
import { startApp, type RunningApp } from './running-app.ts';

/** Done when a session has been read, before whoever asked for it goes on. */
let beforeGoingOn: (() => Promise<unknown>) | null = null;

vi.mock('#server/storage/queries/sessions.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Sessions>();
  return {
    ...original,
    async findSession(...asked: Parameters<typeof Sessions.findSession>) {
      const found = await original.findSession(...asked);
      const then = beforeGoingOn;
      beforeGoingOn = null;
      await then?.();
      return found;
    },
  };
});

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a socket that is opened while its session ends is closed as well [AUTH-52]', async () => {
  const ada = await app.newStudent();
  const { devices } = await ada.call('listDevices', {});
  const again = app.visitor(ada.email.split('@')[0]);
  await again.call('signIn', { body: { email: ada.email, password: ada.password } });
  let ended = false;
  beforeGoingOn = async () => {
    await again.call('signOutDevice', { params: { deviceId: devices[0]!.deviceId } });
    ended = true;
  };
  const live = await ada.connect();
  expect(ended).toBe(true);
  expect(await live.closed).toBe(4001);
});
