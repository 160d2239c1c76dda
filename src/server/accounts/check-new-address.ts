import { findAddressError, formatDomainChoice } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';

/** @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS */
export function checkNewAddress(email: string, domains: readonly string[]): void {
  const error = findAddressError(email, domains);
  if (error) throw new AppError(error, { addresses: formatDomainChoice(domains) });
}
