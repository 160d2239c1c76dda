import type { SchoolTheme } from '#contract/entities.ts';

/** Which values a school may set, and what each must look like. */
const checks: readonly [RegExp, RegExp][] = [
  [/^[a-z]+Color(Dark)?$/, /^#[0-9a-f]{6}$/i],
  [/^radius$/, /^\d{1,2}(\.\d{1,3})?(px|rem)$/],
  [/^fontFamily$/, /^[\w\s,'"-]{1,200}$/],
  [/^logoUrl(Dark)?$/, /^(https:\/\/[^\s"'()\\]+|\/[^/\s"'()\\][^\s"'()\\]*)$/],
];

/**
 * @param file names the theme in the error
 * @throws {Error} that names the value that cannot be used
 */
export function checkSchoolTheme(file: string, values: unknown): SchoolTheme {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new Error(`${file} must be a flat map of strings.`);
  }
  for (const [key, value] of Object.entries(values)) {
    const check = checks.find(([keys]) => keys.test(key));
    if (!check) throw new Error(`${file} has a value that is not known: ${key}.`);
    if (typeof value !== 'string' || !check[1].test(value)) {
      throw new Error(`${file} has a ${key} that cannot be used: ${JSON.stringify(value)}.`);
    }
  }
  return values as SchoolTheme;
}
