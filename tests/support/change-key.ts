// Changes the server key of a test's app, on both engines.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { admin } from './run-command.ts';
import type { RunningApp } from './running-app.ts';

/**
 * Returns the settings with which commands find the new key.
 *
 * @param oldKey 'lost' if `new-key` cannot read it
 */
export async function changeKey(app: RunningApp, oldKey: 'there' | 'lost' = 'there') {
  const { settings } = app.database;
  const next = randomBytes(32).toString('base64url');
  const isInFile = settings.SECRET_KEY === undefined;
  const lost = isInFile ? {} : { SECRET_KEY: randomBytes(32).toString('base64url') };
  const changed: Record<string, string> = isInFile ? {} : { SECRET_KEY: next };
  await app.restart(async () => {
    if (oldKey === 'lost' && isInFile) rmSync(join(settings.DATA_DIR, 'server.key'));
    const { code, errors } = await admin(
      {
        ...settings,
        ...(oldKey === 'lost' && lost),
        ...(!isInFile && { NEW_SECRET_KEY: next }),
      },
      ...['new-key', '--yes'],
    );
    expect([code, errors]).toEqual([0, []]);
  }, changed);
  return { ...settings, ...changed };
}
