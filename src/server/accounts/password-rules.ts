import { dictionary } from '@zxcvbn-ts/language-common';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { hasPasswordLength } from '#contract/password-length.ts';

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
  const typed = password.toLowerCase();
  const own = [email, email.slice(0, email.lastIndexOf('@')), appName];
  if (
    common.has(typed) ||
    isMonotonous(typed) ||
    own.some((word) => word.toLowerCase() === typed)
  ) {
    throw new AppError('PASSWORD_COMMON');
  }
}

/** The maximum length of a repeated unit: `abcabcabc` repeats a unit of three characters. */
const maxRepeatedLength = 4; // AUTH-54

/** Detects repetitions and sequences: `00000000`, `abcabcabc`, `abcdefgh`, `87654321`. */
function isMonotonous(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0) ?? 0);
  const differ = (by: number, step: number) =>
    codes.every((code, i) => i < by || code - (codes[i - by] ?? 0) === step);
  for (let by = 1; by <= maxRepeatedLength; by++) if (differ(by, 0)) return true;
  return differ(1, 1) || differ(1, -1);
}
