import type { Ref } from 'react';
import { domainChoice } from '#contract/email-address.ts';
import { limits } from '#contract/limits.ts';
import { site } from '#web/site.ts';
import { TextField } from '#web/ui/text-field.tsx';

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
