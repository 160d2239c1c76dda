import { dictionary } from '@zxcvbn-ts/language-common';
import { AppError } from '#contract/errors.ts';
import { hasPasswordLength, limits, normalizePassword } from '#contract/limits.ts';

/**
 * The passwords of a list of the 50,000 most common ones that are long enough to be chosen here. The
 * list omits repetitions and sequences.
 */
const common = new Set(
  dictionary['passwords-common'].filter((word) => word.length >= limits.passwordMin),
);

/** @throws {AppError} PASSWORD_LENGTH, PASSWORD_COMMON */
export function checkNewPassword(password: string, email: string, appName: string): void {
  if (!hasPasswordLength(password)) throw new AppError('PASSWORD_LENGTH');
  const lowercasePassword = normalizePassword(password).toLowerCase();
  const obviousPasswords = [email, email.slice(0, email.lastIndexOf('@')), appName];
  if (
    common.has(lowercasePassword) ||
    // The list has 'contrasena' and 'motdepasse', but no accents.
    common.has(lowercasePassword.normalize('NFD').replaceAll(/\p{M}/gu, '')) ||
    isRepetitive(lowercasePassword) ||
    obviousPasswords.some((word) => word.toLowerCase() === lowercasePassword)
  ) {
    throw new AppError('PASSWORD_COMMON');
  }
}

/** The maximum length of a repeated unit: `abcabcabc` repeats a unit of three characters. */
const maxRepeatedLength = 4; // AUTH-44

/** Detects repetitions and sequences: `00000000`, `abcabcabc`, `abcdefgh`, `87654321`. */
function isRepetitive(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0) ?? 0);
  /** Whether each character differs by `step` from the one `distance` places before it. */
  const hasStep = (distance: number, step: number) =>
    codes.every((code, i) => i < distance || code - (codes[i - distance] ?? 0) === step);
  for (let length = 1; length <= maxRepeatedLength; length++) if (hasStep(length, 0)) return true;
  return hasStep(1, 1) || hasStep(1, -1);
}
