import type { Ref } from 'react';
import { domainChoice, isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { site } from '#web/site.ts';
import { limits } from '#contract/limits.ts';
import { TextField } from '#web/ui/text-field.tsx';

/** Validates an address on the client. Returns an error message or null. */
export function emailError(email: string, missing = 'Please enter your email.'): string | null {
  if (!email.trim()) return missing;
  return isUniversityEmail(email.trim(), site.emailDomains)
    ? null
    : wrongDomainMessage(site.emailDomains);
}

interface Props {
  ref: Ref<HTMLInputElement>;
  wrong: boolean;
  value: string;
  onChange: (value: string) => void;
}

export function EmailField({ ref, wrong, value, onChange }: Props) {
  return (
    <TextField
      ref={ref}
      label={`Email (must end with ${domainChoice(site.emailDomains)})`}
      type="email"
      name="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      aria-invalid={wrong}
      maxLength={limits.email}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
