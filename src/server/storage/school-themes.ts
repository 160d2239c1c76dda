// The schools' themes: one file each, read at startup and again when it changes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import { StartupError } from '../startup-failure.ts';

export interface SchoolThemes {
  /** The school's theme, or the default one. */
  themeFor(key: string): SchoolTheme;
  /** The origins of external logos. The same array until a theme changes. */
  logoOrigins(): readonly string[];
  /** Stops polling. */
  stop(): void;
}

const pollIntervalMs = 1000;
const fallback = 'default.json';

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
  const read = new Map<string, string>();
  let lastPoll = stampsOf(dir);

  function take(file: string, stamp: string): void {
    read.set(file, stamp);
    const name = `themes/${file}`;
    themes.set(keyOf(file), check(name, readJson(join(dir, file), name)));
  }

  function refuse(file: string, error: unknown): void {
    log.warn('theme.refused', { file, reason: (error as Error).message });
  }

  function look(): void {
    const stamps = stampsOf(dir);
    for (const [file, stamp] of stamps) {
      // Skips files that changed since the last poll, because they may still be written.
      if (stamp === read.get(file) || stamp !== lastPoll.get(file)) continue;
      try {
        take(file, stamp);
        log.info('theme.read', { file });
      } catch (error) {
        refuse(file, error);
      }
    }
    for (const file of read.keys()) {
      if (stamps.has(file) || lastPoll.has(file)) continue;
      read.delete(file);
      if (file === fallback) log.warn('theme.refused', { file, reason: missing });
      else themes.delete(keyOf(file));
    }
    lastPoll = stamps;
    const found = logoOriginsOf(themes.values());
    if (found.join() !== logoOrigins.join()) logoOrigins = found;
  }

  const standard = lastPoll.get(fallback);
  if (standard === undefined) throw new StartupError(missing);
  // Every other file may be invalid: its school then gets the default theme.
  take(fallback, standard);
  for (const [file, stamp] of lastPoll) {
    try {
      if (file !== fallback) take(file, stamp);
    } catch (error) {
      refuse(file, error);
    }
  }
  let logoOrigins = logoOriginsOf(themes.values());
  const timer = setInterval(look, pollIntervalMs).unref();

  return {
    themeFor(key) {
      const theme = themes.get(key.toLowerCase()) ?? themes.get(keyOf(fallback));
      if (!theme) throw new AppError('NOT_FOUND');
      return theme;
    },
    logoOrigins: () => logoOrigins,
    stop: () => clearInterval(timer),
  };
}

const missing = `themes/${fallback} is missing: every school without a theme of its own needs it.`;

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
