// Changes the server key of a test's database, on both engines.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '#server/base/log.ts';
import { createSecret } from '#server/base/server-keys.ts';
import { loadConfig } from '#server/config/config.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';
import type { TestDatabase } from './test-database.ts';

type Settings = TestDatabase['settings'];

const log = createLog({ write: () => {} });

/** The server key is a file of the data folder on SQLite, and a setting on PostgreSQL. */
export function loadSecret({ DATA_DIR, SECRET_KEY }: Settings): string {
  return SECRET_KEY ?? readFileSync(join(DATA_DIR, 'server.key'), 'utf8').trim();
}

/**
 * Does what `npm run admin -- new-key --yes` does, in this process. No server may run.
 *
 * @param oldKey 'lost' if the change cannot read it
 * @returns the settings with the new key
 */
export async function replaceServerKey(
  settings: Settings,
  oldKey: 'there' | 'lost' = 'there',
): Promise<Settings> {
  if (settings.SECRET_KEY === undefined) {
    if (oldKey === 'lost') rmSync(join(settings.DATA_DIR, 'server.key'));
    await replaceKey(loadConfig(settings), true, log);
    return settings;
  }
  const SECRET_KEY = oldKey === 'lost' ? createSecret() : settings.SECRET_KEY;
  const NEW_SECRET_KEY = createSecret();
  await replaceKey(loadConfig({ ...settings, SECRET_KEY, NEW_SECRET_KEY }), true, log);
  return { ...settings, SECRET_KEY: NEW_SECRET_KEY };
}

/**
 * Restarts the server with another key.
 *
 * @returns the settings with which commands find the new key
 */
export async function changeKey(
  app: RunningApp,
  oldKey: 'there' | 'lost' = 'there',
): Promise<Settings> {
  const settings = { ...app.database.settings };
  const replaceInSettings = async () =>
    Object.assign(settings, await replaceServerKey(settings, oldKey));
  // The server reads these settings after the change.
  await app.restart(replaceInSettings, settings);
  return settings;
}

/** After the key was lost, no one can open the accounts. */
export async function signUpAgain(student: TestClient, classId: string): Promise<void> {
  await student.signUp();
  await student.join(classId);
}
