// The app with its stage: what the tests of costs start, and what counts the work of the database.
import { startOidcServer } from '#tests/support/oidc-server.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestDatabase } from '#tests/support/test-database.ts';
import { createSchool } from '../../bench/school.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { countSqlWork, type SqlCounter } from './count-work.ts';
import { members, prepareStage, type fullState, type Stage } from './stage.ts';

export interface StagedApp {
  app: RunningApp;
  counter: SqlCounter;
  stage: Stage;
  stop(): Promise<void>;
}

/** @param settings that are added to those of the sign-in at the university */
export async function startStagedApp(
  state: typeof fullState,
  settings: Readonly<Record<string, string>> = {},
): Promise<StagedApp> {
  const counter = countSqlWork();
  const database = await createTestDatabase();
  const school = await createSchool(database.settings.DATA_DIR, members, 1, {
    messagesPerClass: 48,
    isMember: () => true,
  });
  const port = await findFreePort();
  const provider = await startOidcServer(`http://127.0.0.1:${port}`);
  const app = await startApp({ ...provider.settings, PORT: String(port), ...settings }, database);
  const stage = await prepareStage({
    ...state,
    origin: app.origin,
    database,
    provider,
    cookies: school.cookies,
    classId: school.classIds[0] ?? '',
  });
  return {
    app,
    counter,
    stage,
    async stop() {
      stage.close();
      await app.stop();
      await provider.stop();
      counter.stop();
    },
  };
}
