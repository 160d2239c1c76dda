import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SchoolTheme } from '#contract/entities.ts';
import { Refusal } from '#contract/errors.ts';
import { StartupError } from '../startup-failure.ts';

export interface SchoolThemes {
  /** The school's theme, or `default`. @throws {Refusal} NOT_FOUND when there is neither */
  themeFor(key: string): SchoolTheme;
}

/**
 * Reads `<key>.json` of the folder, each a flat map of strings.
 *
 * @param check gives the values as a theme, or throws an error that names the file and the value
 */
export function readSchoolThemes(
  dir: string,
  check: (file: string, values: unknown) => SchoolTheme,
): SchoolThemes {
  const themes = new Map<string, SchoolTheme>();
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.json'))) {
    const values = readJson(join(dir, file), `themes/${file}`);
    themes.set(basename(file, '.json').toLowerCase(), check(`themes/${file}`, values));
  }
  return {
    themeFor(key) {
      const theme = themes.get(key.toLowerCase()) ?? themes.get('default');
      if (!theme) throw new Refusal('NOT_FOUND');
      return theme;
    },
  };
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read by this user';
    throw new StartupError(`${name} ${why}.`);
  }
}
