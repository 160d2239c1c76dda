import { formatHex } from 'culori';
import type { SchoolTheme } from '#contract/entities.ts';
import { findFailingPair } from './theme-contrast.ts';

/** The keys that a theme may set, and the format of each value. */
const checks: readonly [RegExp, RegExp][] = [
  [/^[a-z]+Color(Dark)?$/, /^#[0-9a-f]{6}$/i],
  [/^name$/, /^[^\p{C}\p{Z}<>]([^\p{C}<>]{0,43}[^\p{C}\p{Z}<>])?$/u],
  [/^radius$/, /^\d{1,2}(\.\d{1,3})?(px|rem)$/],
  [/^(fontFamily|headingFontFamily)$/, /^[\w\s,'"-]{1,200}$/],
  [/^logoUrl(Dark)?$/, /^(https:\/\/[^\s"'()\\]+|\/[^/\s"'()\\][^\s"'()\\]*)$/],
];

/**
 * Validates the content of a theme file.
 *
 * @param file the theme's name in the error
 * @throws {Error} that names the invalid value or the two colors with too little contrast
 */
export function checkSchoolTheme(file: string, values: unknown): SchoolTheme {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new Error(`${file} must be a flat map of strings.`);
  }
  for (const [key, value] of Object.entries(values)) {
    const check = checks.find(([keys]) => keys.test(key));
    if (!check) throw new Error(`${file} has an unknown key: ${key}.`);
    if (typeof value !== 'string' || !check[1].test(value) || !hasPlainHost(value)) {
      throw new Error(`${file} has an invalid ${key}: ${JSON.stringify(value)}.`);
    }
  }
  const theme = values as SchoolTheme;
  checkContrast(file, theme);
  return theme;
}

/** The origin goes into a header, so it must be a plain host name and port. */
function hasPlainHost(value: string): boolean {
  if (!value.startsWith('https:')) return true;
  return URL.canParse(value) && /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(new URL(value).origin);
}

function checkContrast(file: string, theme: SchoolTheme): void {
  const failing = findFailingPair(theme);
  if (!failing) return;
  const { name, colorScheme, ratio, minRatio, foreground, background } = failing;
  // Rounded down, so that a value just below the minimum does not look sufficient.
  const rounded = (Math.floor(ratio * 100) / 100).toFixed(2);
  throw new Error(
    `${file} is hard to read: ${name} has a contrast of ${rounded} in the ${colorScheme} color scheme (${formatHex(foreground)} on ${formatHex(background)}). The minimum is ${minRatio}.`,
  );
}
