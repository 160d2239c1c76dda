import type { Ref } from 'react';
import { limits } from '#contract/limits.ts';
import { site } from '#web/site.ts';
import { TextField } from '#web/ui/text-field.tsx';

interface Props {
  ref: Ref<HTMLInputElement>;
  value: string;
  onChange: (value: string) => void;
}

export function EmailField({ ref, value, onChange }: Props) {
  return (
    <TextField
      ref={ref}
      label={`Email (must end with @${site.emailDomain})`}
      type="email"
      name="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      maxLength={limits.email}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
