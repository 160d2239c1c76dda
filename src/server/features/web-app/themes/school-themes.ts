// The schools' themes: one file each, read at startup and again when it changes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import { StartupError } from '#server/base/startup-failure.ts';

export interface SchoolThemes {
  /** The school's theme, or the default one. */
  themeFor(key: string): SchoolTheme;
  /** The origins of external logos. The same array until a theme changes. */
  logoOrigins(): readonly string[];
  /** Stops polling. */
  stop(): void;
}

const pollIntervalMs = 1000;
const defaultFile = 'default.json';

/**
 * Reads each `<key>.json` of the folder, a flat map of strings. If a file is invalid, the server logs it, and
 * its school keeps its previous theme or the default one.
 *
 * @param check returns the values as a theme, or throws an error that names the file and the value
 * @throws {StartupError} if the default theme is invalid or missing
 */
export function openSchoolThemes(
  dir: string,
  check: (file: string, values: unknown) => SchoolTheme,
  log: Log,
): SchoolThemes {
  const themes = new Map<string, SchoolTheme>();
  /** The stamp of each file when it was last read, by file name. */
  const loadedStamps = new Map<string, string>();
  let lastStamps = stampsOf(dir);

  function load(file: string, stamp: string): void {
    loadedStamps.set(file, stamp);
    const name = `themes/${file}`;
    themes.set(keyOf(file), check(name, readJson(join(dir, file), name)));
  }

  function logRefused(file: string, error: unknown): void {
    log.warn('theme.refused', { file, reason: (error as Error).message });
  }

  function poll(): void {
    const stamps = stampsOf(dir);
    for (const [file, stamp] of stamps) {
      // Skips files that changed since the last poll: another program may still write them.
      if (stamp === loadedStamps.get(file) || stamp !== lastStamps.get(file)) continue;
      try {
        load(file, stamp);
        log.info('theme.read', { file });
      } catch (error) {
        logRefused(file, error);
      }
    }
    for (const file of loadedStamps.keys()) {
      if (stamps.has(file) || lastStamps.has(file)) continue;
      loadedStamps.delete(file);
      if (file === defaultFile) log.warn('theme.refused', { file, reason: missing });
      else themes.delete(keyOf(file));
    }
    lastStamps = stamps;
    const origins = logoOriginsOf(themes.values());
    if (origins.join() !== logoOrigins.join()) logoOrigins = origins;
  }

  const defaultStamp = lastStamps.get(defaultFile);
  if (defaultStamp === undefined) throw new StartupError(missing);
  // Every other file may be invalid: its school then gets the default theme.
  load(defaultFile, defaultStamp);
  for (const [file, stamp] of lastStamps) {
    try {
      if (file !== defaultFile) load(file, stamp);
    } catch (error) {
      logRefused(file, error);
    }
  }
  let logoOrigins = logoOriginsOf(themes.values());
  const timer = setInterval(poll, pollIntervalMs).unref();

  return {
    themeFor(key) {
      const theme = themes.get(key.toLowerCase()) ?? themes.get(keyOf(defaultFile));
      if (!theme) throw new AppError('NOT_FOUND');
      return theme;
    },
    logoOrigins: () => logoOrigins,
    stop: () => clearInterval(timer),
  };
}

const missing = `themes/${defaultFile} is missing: every school without its own theme needs it.`;

function logoOriginsOf(themes: Iterable<SchoolTheme>): string[] {
  const urls = [...themes].flatMap(({ logoUrl = '', logoUrlDark = '' }) => [logoUrl, logoUrlDark]);
  const origins = urls.filter((url) => url.startsWith('https:')).map((url) => new URL(url).origin);
  return [...new Set(origins)].toSorted();
}

function keyOf(file: string): string {
  return basename(file, '.json').toLowerCase();
}

/** A stamp per file name, which changes if the file is written or replaced. */
function stampsOf(dir: string): Map<string, string> {
  const stamps = new Map<string, string>();
  for (const file of namesIn(dir).filter((name) => name.endsWith('.json'))) {
    const found = statSync(join(dir, file), { throwIfNoEntry: false });
    if (found) stamps.set(file, `${found.ino} ${found.mtimeMs} ${found.size}`);
  }
  return stamps;
}

/** A folder that is missing for a short time, such as during a deployment, counts as empty. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read by this user';
    throw new StartupError(`${name} ${why}.`);
  }
}
