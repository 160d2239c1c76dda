import { limits } from './limits.ts';

/** Applies to new passwords only, not to passwords that are typed to sign in. */
export function hasPasswordLength(password: string): boolean {
  return password.length >= limits.passwordMin && password.length <= limits.passwordMax;
}
