import { errors } from './errors.ts';

/** The spec's sentence for an address outside the university. */
export function wrongDomainMessage(domain: string): string {
  return errors.WRONG_EMAIL_DOMAIN.message.replace('{host}', domain);
}

/**
 * True for one bare address (no name, list, comment or quoted part) whose part after the last `@`
 * equals the university's domain, compared without case.
 */
export function isUniversityEmail(email: string, domain: string): boolean {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  return (
    at > 0 &&
    // Letters of other scripts turn into ours in lower case: the Kelvin sign is no k.
    /^[\x21-\x7e]+$/.test(email) &&
    email.slice(at + 1).toLowerCase() === domain.toLowerCase() &&
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i.test(local)
  );
}
