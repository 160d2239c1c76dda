import { afterAll, beforeAll } from 'vitest';
import { defer } from './later.ts';
import { startPushService, type PushService } from './push-service.ts';
import { startApp, type RunningApp } from './running-app.ts';

/** Runs the app and a push service on this machine, which gets notifications without a delay. */
export function setUpPushApp(settings: Readonly<Record<string, string>> = {}) {
  let app: RunningApp;
  let service: PushService;
  beforeAll(async () => {
    service = await startPushService();
    app = await startApp({ PUSH_HOSTS: service.host, PUSH_DELAY: '0', ...settings });
  });
  afterAll(async () => {
    await app.stop();
    await service.close();
  });
  return { app: defer(() => app), service: defer(() => service) };
}
