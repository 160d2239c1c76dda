import { errors } from './errors.ts';

/** The specification's error message for an address outside the university. */
export function wrongDomainMessage(domains: readonly string[]): string {
  return errors.WRONG_EMAIL_DOMAIN.message.replace('@{host}', () => domainChoice(domains));
}

/** For example `@uni.edu`, or `@uni.edu, @students.uni.edu or @alumni.uni.edu`. */
export function domainChoice(domains: readonly string[]): string {
  const written = domains.map((domain) => `@${domain}`);
  const last = written.pop() ?? '';
  return written.length > 0 ? `${written.join(', ')} or ${last}` : last;
}

/**
 * True if the text is one bare address (no name, list, comment or quoted part) and the part after the
 * last `@` equals one of the university's domains, ignoring case.
 */
export function isUniversityEmail(email: string, domains: readonly string[]): boolean {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const domain = email.slice(at + 1).toLowerCase();
  return (
    at > 0 &&
    // Lower-casing can turn other characters into ASCII letters: the Kelvin sign becomes k.
    /^[\x21-\x7e]+$/.test(email) &&
    domains.some((known) => known.toLowerCase() === domain) &&
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i.test(local)
  );
}
