import { dictionary } from '@zxcvbn-ts/language-common';
import { Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { hasPasswordLength } from '#contract/password-length.ts';

/** Those of the 50,000 passwords that people choose most which are long enough to be chosen here. */
const common = new Set(
  dictionary['passwords-common'].filter((word) => word.length >= limits.passwordMin),
);

/** @throws {Refusal} PASSWORD_LENGTH, PASSWORD_COMMON */
export function checkNewPassword(password: string, email: string, appName: string): void {
  if (!hasPasswordLength(password)) throw new Refusal('PASSWORD_LENGTH');
  const typed = password.toLowerCase();
  const own = [email, email.slice(0, email.lastIndexOf('@')), appName];
  if (common.has(typed) || own.some((word) => word.toLowerCase() === typed)) {
    throw new Refusal('PASSWORD_COMMON');
  }
}
