import { limits } from './limits.ts';

/** Of a password that is chosen; one that is typed to sign in may be as it is. */
export function hasPasswordLength(password: string): boolean {
  return password.length >= limits.passwordMin && password.length <= limits.passwordMax;
}
