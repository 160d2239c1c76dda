// Finds an environment variable that looks like a misspelled setting.
import { findFuzzyTerms } from '#server/base/fuzzy-terms.ts';

/** Shorter names resemble too many variables of other programs: PORTS, HOSTNAME, HOSTTYPE. */
const minLength = 8;

/**
 * @param settings the names of all settings
 * @returns an unknown variable and the setting that it resembles, or null
 */
export function findMisspelledSetting(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): { name: string; nearest: string } | null {
  const knownNames = new Set(settings);
  const compared = settings.filter((setting) => setting.length >= minLength);
  for (const name of Object.keys(environment)) {
    // The files of secrets have been read: what remains is no setting, or one that cannot be in a file.
    const stem = name.replace(/_FILE$/, '');
    const nearest = knownNames.has(name)
      ? undefined
      : compared.find((setting) => isSimilar(stem, setting));
    if (nearest) return { name, nearest };
  }
  return null;
}

function isSimilar(name: string, setting: string): boolean {
  if (normalizeName(name) === normalizeName(setting)) return true;
  // AWS_ACCESS_KEY_ID is three edits from S3_ACCESS_KEY_ID. Typing errors are rare in the first letter.
  const edits = countAllowedEdits(setting);
  if (name[0] !== setting[0] || Math.abs(name.length - setting.length) > edits) return false;
  return findFuzzyTerms([{ text: setting }], name, edits, false).length > 0;
}

function normalizeName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toUpperCase();
}

function countAllowedEdits({ length }: string): number {
  if (length < 12) return 1;
  return length < 15 ? 2 : 3;
}
