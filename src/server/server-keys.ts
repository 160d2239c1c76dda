// The server's secret and the keys that come of it, each of its own: who holds one cannot make another.
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ServerKeys {
  /** Signs cookies. */
  cookies: string;
  /** Ties accounts to personas. */
  personas: Buffer;
}

/** The given secret, or the one in `dataDir`, which is made (mode 0600) when there is none yet. */
export function loadServerKeys(secret: string | null, dataDir: string): ServerKeys {
  const root = secret ?? readOrMakeKeyFile(join(dataDir, 'server.key'));
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', root, 'backchannel', purpose, 32));
  return { cookies: derive('cookies').toString('base64url'), personas: derive('personas') };
}

/** What the database keeps to know its key again, without telling it. */
export function keyCheckValue(keys: ServerKeys): string {
  return createHmac('sha256', keys.personas).update('check value').digest('base64url');
}

function readOrMakeKeyFile(file: string): string {
  try {
    writeFileSync(file, randomBytes(32).toString('base64url') + '\n', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
