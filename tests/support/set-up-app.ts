import { afterAll, beforeAll } from 'vitest';
import { defer } from './later.ts';
import { startApp, type RunningApp } from './running-app.ts';

/** Runs the app for the tests of the file, or of the describe block that calls this. */
export function setUpApp(settings: Readonly<Record<string, string>> = {}): RunningApp {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp(settings);
  });
  afterAll(() => app.stop());
  return defer(() => app);
}
