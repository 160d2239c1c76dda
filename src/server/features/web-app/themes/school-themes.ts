// The schools' themes: one file each, of the project or of the data folder, which the server reads when it starts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Log } from '#server/base/log.ts';
import { StartupError } from '#server/base/startup-failure.ts';

export interface SchoolThemes {
  /** The school's theme, or the default one. */
  getTheme(key: string): SchoolTheme;
  /** The origins of external logos. */
  logoOrigins: readonly string[];
}

const defaultFile = 'default.json';

/**
 * Reads each `<key>.json` of the folders, a flat map of strings. If a file is invalid, the server logs it, and
 * its school gets the default theme.
 *
 * @param dirs a theme of a later folder replaces that of an earlier one
 * @param check returns the values as a theme, or throws an error that names the file and the value
 * @throws {StartupError} if the default theme is invalid or missing
 */
export function loadSchoolThemes(
  dirs: readonly string[],
  check: (file: string, values: unknown) => SchoolTheme,
  log: Log,
): SchoolThemes {
  const files = dirs.flatMap((dir) => listThemeFiles(dir));
  if (!files.some(({ file }) => file === defaultFile)) {
    throw new StartupError(
      `themes/${defaultFile} is missing: every school without its own theme needs it.`,
    );
  }
  const themes = new Map<string, SchoolTheme>();
  for (const { dir, file } of files) {
    const name = `themes/${file}`;
    try {
      themes.set(toKey(file), check(name, loadJson(join(dir, file), name)));
    } catch (error) {
      if (file === defaultFile && !themes.has(toKey(file))) throw error;
      log.warn('theme.refused', { file, reason: (error as Error).message });
    }
  }
  return {
    getTheme(key) {
      const theme = themes.get(key.toLowerCase()) ?? themes.get(toKey(defaultFile));
      if (!theme) throw new AppError('NOT_FOUND');
      return theme;
    },
    logoOrigins: listLogoOrigins(themes.values()),
  };
}

function listLogoOrigins(themes: Iterable<SchoolTheme>): string[] {
  const urls = [...themes].flatMap(({ logoUrl = '', logoUrlDark = '' }) => [logoUrl, logoUrlDark]);
  const origins = urls.filter((url) => url.startsWith('https:')).map((url) => new URL(url).origin);
  return [...new Set(origins)].toSorted();
}

function toKey(file: string): string {
  return basename(file, '.json').toLowerCase();
}

/** A folder that is missing counts as empty. */
function listThemeFiles(dir: string): { dir: string; file: string }[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  return names.map((file) => ({ dir, file }));
}

function loadJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read by this user';
    throw new StartupError(`${name} ${why}.`);
  }
}
