import type { Ref } from 'react';
import { limits } from '#contract/limits.ts';
import { TextField } from '#web/ui/text-field.tsx';

interface Props {
  ref: Ref<HTMLInputElement>;
  label: string;
  hint?: string;
  value: string;
  isInvalid: boolean;
  onChange: (address: string) => void;
}

/** The address of someone else, which the browser must not fill in. */
export function AddressField({ isInvalid, onChange, ...rest }: Props) {
  return (
    <TextField
      {...rest}
      type="email"
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      maxLength={limits.email}
      aria-invalid={isInvalid}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
