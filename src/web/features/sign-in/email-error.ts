import { isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { site } from '#web/site.ts';

/** What is wrong with an address before it is sent anywhere, or null. */
export function emailError(email: string, missing = 'Please enter your email.'): string | null {
  if (!email.trim()) return missing;
  return isUniversityEmail(email.trim(), site.emailDomains)
    ? null
    : wrongDomainMessage(site.emailDomains);
}
